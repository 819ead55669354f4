import AudioTypes
import Files
private import Synchronization
import Threads

/// One record that changes continuously, such as the playback position, in a file of one page that is written in place.
///
/// The file has two slots, written in turn, each with a number and a checksum: if one is torn, the other is valid. It
/// is written at most once per ``Settings/interval``, and not at all while nothing changes; the kernel chooses when it
/// reaches the disk (no sync), which spares SD cards and loses a few seconds at most.
package final class PositionFile: Sendable {
    package struct Settings: Sendable {
        /// The shortest time between two writes, in seconds.
        package var interval = 5.0
        /// Called on the disk's thread when writing fails, when it fails for a different reason, and with `nil` when it
        /// works again.
        package var onProblem: @Sendable (StateProblem?) -> Void = { _ in }

        package init() {}
    }

    package struct Opened: Sendable {
        package var file: PositionFile
        package var record: Record?
        package var problem: StateProblem?
    }

    private struct State {
        var latest: Record?
        var written: Record?
        var lastWrite: HostTime?
        /// The number of the slot written last.
        var number: UInt64
        var problem: StateProblem?
        var waiting: [Doorbell] = []
        var source: (@Sendable () -> Record?)?
        /// Counts the owner's calls, so that a record from a replaced source is ignored.
        var orders = 0
    }

    /// In bytes.
    static let slotSize = 2048
    /// In bytes; anything after the two slots is ignored.
    private static let limit = 1 << 20

    private let path: String
    private let settings: Settings
    private let thread: DiskThread
    private let state: Mutex<State>

    /// Reads the last record; on the caller's thread.
    package static func open(path: String, on thread: DiskThread, settings: Settings = Settings()) -> Opened {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try fileContents(path, atMost: limit)
        } catch {
            let problem: StateProblem? =
                error == .noSuchFile ? nil : .cannotRead(path: path, error.number, asideAs: nil)
            return Opened(file: PositionFile(path, thread, settings, nil), record: nil, problem: problem)
        }
        let newest = [0, slotSize].compactMap { slot(in: bytes.dropFirst($0).prefix(slotSize)) }
            .max { $0.number < $1.number }
        return Opened(
            file: PositionFile(path, thread, settings, newest),
            record: newest?.record,
            problem: newest == nil && !bytes.isEmpty ? .noPosition(path: path) : nil
        )
    }

    private init(_ path: String, _ thread: DiskThread, _ settings: Settings, _ slot: (number: UInt64, record: Record)?)
    {
        self.path = path
        self.thread = thread
        self.settings = settings
        state = Mutex(State(latest: slot?.record, written: slot?.record, number: slot?.number ?? 0))
    }

    // MARK: For the owner

    /// Sets the record.
    ///
    /// - Returns: Whether it fits into a slot; if not, the previous record stays.
    @discardableResult
    package func set(_ record: Record) -> Bool {
        guard Self.slot(number: .max, record) != nil else { return false }
        let time: HostTime? = state.withLock { state in
            state.orders += 1
            guard record != state.latest else { return nil }
            state.latest = record
            // Coalesce a burst of changes.
            let soon = HostTime.now + min(0.25, settings.interval)
            return state.lastWrite.map { max($0 + settings.interval, soon) } ?? soon
        }
        if let time { thread.schedule(for: self, at: time) { self.work() } }
        return true
    }

    /// From now on, gets the record from `source`, on the disk's thread, each time it is due to be written.
    ///
    /// A position that advances by itself thus costs one wake-up per ``Settings/interval``, of that thread alone.
    ///
    /// - Parameter source: Must not block; returns `nil` when it has nothing new. Without a source, only records that
    ///   are set are written.
    package func observe(_ source: (@Sendable () -> Record?)?) {
        let time: HostTime? = state.withLock { state in
            state.orders += 1
            state.source = source
            return source.map { _ in max((state.lastWrite ?? .now) + settings.interval, .now) }
        }
        if let time { thread.schedule(for: self, at: time) { self.work() } }
    }

    /// Clears the record, and removes the file.
    package func erase() {
        state.withLock { state in
            state.orders += 1
            state.source = nil
            state.latest = nil
        }
        thread.schedule(for: self, at: .now) { self.work() }
    }

    /// Whether all records have been written.
    package var isSettled: Bool { state.withLock { $0.latest == $0.written && $0.source == nil } }

    /// Writes the pending record and waits until that is done; for the end of the process.
    ///
    /// - Parameter limit: In seconds.
    /// - Returns: Whether it was written.
    package func flush(within limit: Double = 5) -> Bool {
        let bell = Doorbell()
        let isNeeded = state.withLock { state in
            guard state.latest != state.written else { return false }
            state.waiting.append(bell)
            return true
        }
        guard isNeeded else { return true }
        thread.schedule(for: self, at: .now) { self.work() }
        bell.wait(until: .now + limit)
        return state.withLock { $0.latest == $0.written }
    }

    // MARK: On the disk's thread

    private func work() {
        askSource()
        let (record, isNews, number) = state.withLock { state in
            (state.latest, state.latest != state.written, state.number &+ 1)
        }
        var problem: StateProblem?
        if isNews {
            do throws(SystemError) {
                try write(record, number)
            } catch {
                problem = .cannotWrite(path: path, error.number)
            }
        }
        finish(record, isNews, number, problem)
    }

    private func write(_ record: Record?, _ number: UInt64) throws(SystemError) {
        guard let record, let slot = Self.slot(number: number, record) else { return try removeFile(path) }
        let file = try Descriptor(path, .changing)
        try file.write(slot, at: Int(number % 2) * Self.slotSize)
    }

    private func askSource() {
        let (source, orders) = state.withLock { ($0.source, $0.orders) }
        guard let record = source?(), Self.slot(number: .max, record) != nil else { return }
        state.withLock { if $0.orders == orders { $0.latest = record } }
    }

    private func finish(_ record: Record?, _ isNews: Bool, _ number: UInt64, _ problem: StateProblem?) {
        let (news, waiting, isMoreWaiting) = state.withLock { state in
            if isNews, problem == nil {
                state.written = record
                state.number = number
            }
            if isNews { state.lastWrite = .now }
            let news = problem != state.problem
            state.problem = problem
            // A record set during this write is the one that they wait for; it is written next.
            let waiting = state.latest == state.written || problem != nil ? state.waiting : []
            if !waiting.isEmpty { state.waiting = [] }
            return (news, waiting, state.latest != state.written || state.source != nil)
        }
        if news { settings.onProblem(problem) }
        if isMoreWaiting {
            let delay = problem == nil ? settings.interval : max(settings.interval, 5)
            thread.schedule(for: self, at: .now + delay) { self.work() }
        }
        for bell in waiting { bell.ring() }
    }

    // MARK: Format

    /// `CHECKSUM NUMBER RECORD` and a line feed, then blanks up to the slot's end; `nil` when that is too short.
    static func slot(number: UInt64, _ record: Record) -> [UInt8]? {
        var bytes = JournalText.bytes([Record("\(number)", [record.verb] + record.arguments)]).bytes
        guard bytes.count < slotSize else { return nil }
        bytes += Array(repeating: blank, count: slotSize - 1 - bytes.count)
        bytes.append(lineFeed)
        return bytes
    }

    static func slot(in bytes: ArraySlice<UInt8>) -> (number: UInt64, record: Record)? {
        guard let record = JournalText.record(in: bytes.prefix { $0 != lineFeed }), let number = UInt64(record.verb),
            let verb = record.arguments.first
        else { return nil }
        return (number, Record(verb, Array(record.arguments.dropFirst())))
    }
}
