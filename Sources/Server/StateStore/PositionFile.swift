import AudioTypes
private import Glibc
private import Mixing
private import Synchronization

/// One record that changes all the time, such as where playing is, in a file of one page that is written in place.
///
/// There are two slots in it, written in turn, each with a number and a checksum: when one is torn, the other one is
/// there. It is handed to the kernel at most once in ``Settings/interval``, and not at all while nothing changes; when it
/// gets to the disk is the kernel's choice (no sync), which saves an SD card's life and costs some seconds at most.
package final class PositionFile: Sendable {
    package struct Settings: Sendable {
        /// The shortest time between two writes, in seconds.
        package var interval = 5.0
        /// Called on the disk's thread when writing fails, when it fails for another reason, and with `nil` when it works
        /// again.
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
        /// Of the slot written last.
        var number: UInt64
        var problem: StateProblem?
        var waiting: [Doorbell] = []
        var source: (@Sendable () -> Record?)?
        /// Counts what the owner has said, so that what a source tells after it has been replaced is passed over.
        var orders = 0
    }

    /// In bytes.
    static let slotSize = 2048

    private let path: String
    private let settings: Settings
    private let thread: DiskThread
    private let state: Mutex<State>

    /// Reads what was written last; on the caller's thread.
    package static func open(path: String, on thread: DiskThread, settings: Settings = Settings()) -> Opened {
        let bytes: [UInt8]
        do throws(SystemFailure) {
            bytes = try OpenFile(path, O_RDONLY).readAll()
        } catch {
            let problem: StateProblem? = error.code == ENOENT ? nil : .cannotRead(path: path, error.code, asideAs: nil)
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

    /// Sets what is to be remembered.
    ///
    /// - Returns: Whether it fits into a slot; else what was there stays.
    @discardableResult
    package func set(_ record: Record) -> Bool {
        guard Self.slot(number: .max, record) != nil else { return false }
        let time: HostTime? = state.withLock { state in
            state.orders += 1
            guard record != state.latest else { return nil }
            state.latest = record
            // A burst of changes is one.
            let soon = HostTime.now + min(0.25, settings.interval)
            return state.lastWrite.map { max($0 + settings.interval, soon) } ?? soon
        }
        if let time { thread.schedule(for: self, at: time) { self.work() } }
        return true
    }

    /// Asks for what is to be remembered, on the disk's thread and whenever it is to be written, from now on.
    ///
    /// So what goes on by itself costs one wake-up in ``Settings/interval``, of that thread alone.
    ///
    /// - Parameter source: Answers at once; with `nil` it has nothing new to tell. None: only what is set is written.
    package func follow(_ source: (@Sendable () -> Record?)?) {
        let time: HostTime? = state.withLock { state in
            state.orders += 1
            state.source = source
            return source.map { _ in max((state.lastWrite ?? .now) + settings.interval, .now) }
        }
        if let time { thread.schedule(for: self, at: time) { self.work() } }
    }

    /// Writes what is waiting now, and waits until that is done; for the end of the process.
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
        let (record, number) = state.withLock { state in
            (state.latest == state.written ? nil : state.latest, state.number &+ 1)
        }
        var problem: StateProblem?
        if let record, let slot = Self.slot(number: number, record) {
            do throws(SystemFailure) {
                let file = try OpenFile(path, O_WRONLY | O_CREAT)
                try file.write(slot, at: Int(number % 2) * Self.slotSize)
            } catch {
                problem = .cannotWrite(path: path, error.code)
            }
        }
        finish(record, number, problem)
    }

    private func askSource() {
        let (source, orders) = state.withLock { ($0.source, $0.orders) }
        guard let record = source?(), Self.slot(number: .max, record) != nil else { return }
        state.withLock { if $0.orders == orders { $0.latest = record } }
    }

    private func finish(_ record: Record?, _ number: UInt64, _ problem: StateProblem?) {
        let (news, waiting, isMoreWaiting) = state.withLock { state in
            if let record, problem == nil {
                state.written = record
                state.number = number
            }
            if record != nil { state.lastWrite = .now }
            let news = problem != state.problem
            state.problem = problem
            // What was set while this was being written is what they wait for; it is written next.
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

    // MARK: Its form

    /// `CHECKSUM NUMBER RECORD` and a line feed, then blanks up to the slot's end; `nil` when that is too short.
    static func slot(number: UInt64, _ record: Record) -> [UInt8]? {
        var bytes = JournalText.bytes([Record("\(number)", [record.verb] + record.arguments)])
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
