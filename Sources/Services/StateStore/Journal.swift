import AudioTypes
private import Synchronization
import Threads

/// Records on the disk, appended to a text file (``Record``), each line preceded by a checksum.
///
/// The owner of some state appends a record for each change, and reads all records again after a restart. Writing is
/// done on a ``DiskThread``: records appended within the delay share one write and one sync, and without new records
/// nothing runs. When the disk fails, records are kept in memory, and writing is retried with a growing delay of up to
/// a minute.
///
/// The file grows until compaction is worthwhile: then the owner is asked for records that make up its current state.
/// That is when the file is twice as long as after the last compaction, or has half as many new records as it had then,
/// so that it shrinks with the state. Without records there is no file.
package final class Journal: Sendable {
    package struct Settings: Sendable {
        /// How long records wait so that others can share the write, in seconds; at most 5.
        package var delay = 1.0
        /// Smaller files are not compacted, in bytes.
        package var smallest = 64 << 10
        /// Called on the disk's thread when the file is more than twice as long as necessary; answered by
        /// ``Journal/compact(_:onlyIfWorthwhile:)``, at once or later.
        package var onLarge: @Sendable () -> Void = {}
        /// Called on the disk's thread when writing fails, when it fails for a different reason, and with `nil` when it
        /// works again.
        package var onProblem: @Sendable (StateProblem?) -> Void = { _ in }

        package init() {}
    }

    private let settings: Settings
    private let thread: DiskThread
    /// After opening, only the disk's thread uses the file, so no thread waits.
    private let file: Mutex<JournalFile>
    private let backlog: Mutex<JournalBacklog>
    private let drafts = Mutex(Drafts())
    /// The owner of the drafts' work on the thread, beside that of the writing.
    private let drafting = Drafting()

    private final class Drafting: Sendable {}

    /// Records that are not text yet, in order.
    private struct Drafts {
        var waiting: [JournalDraft] = []
        /// Whether some are being made into text.
        var isRendering = false

        var isEmpty: Bool { waiting.isEmpty && !isRendering }
    }

    /// Reads a journal; a damaged one is moved aside, and its valid records are used.
    ///
    /// Reads on the caller's thread. Without a file the journal is empty, and the first record creates one.
    ///
    /// - Parameter take: Gets each record, in order.
    package static func open(
        path: String,
        on thread: DiskThread,
        settings: Settings = Settings(),
        take: (Record) -> Void
    ) -> (journal: Journal, problems: [StateProblem]) {
        var file = JournalFile(path: path)
        let problems = file.load(take)
        return (Journal(file: file, thread: thread, settings: settings), problems)
    }

    private init(file: consuming JournalFile, thread: DiskThread, settings: Settings) {
        backlog = Mutex(JournalBacklog(fileSize: file.size, smallest: settings.smallest))
        self.file = Mutex(file)
        self.thread = thread
        self.settings = settings
    }

    // MARK: For the owner

    /// Appends records; they are on the disk within ``Settings/delay``.
    package func append(_ records: [Record]) {
        if !records.isEmpty { append { records } }
    }

    /// Appends records that are made on the disk's thread, at once.
    package func append<Records: Sequence<Record> & SendableMetatype>(making records: @escaping @Sendable () -> Records)
    {
        add(JournalDraft(.addition) { JournalText.bytes(records()) })
    }

    /// Replaces all records so far.
    ///
    /// - Parameter onlyIfWorthwhile: Whether to leave the file as it is unless it is twice as long.
    package func compact(_ records: [Record], onlyIfWorthwhile: Bool = false) {
        compact(onlyIfWorthwhile: onlyIfWorthwhile) { records }
    }

    /// Replaces all records so far by records that are made on the disk's thread, at once.
    package func compact<Records: Sequence<Record> & SendableMetatype>(
        onlyIfWorthwhile: Bool = false,
        making records: @escaping @Sendable () -> Records
    ) {
        add(JournalDraft(.replacement(onlyIfWorthwhile: onlyIfWorthwhile)) { JournalText.bytes(records()) })
    }

    private func add(_ draft: JournalDraft) {
        drafts.withLock { $0.waiting.append(draft) }
        thread.schedule(for: drafting, at: .now) { self.render() }
    }

    /// Whether all records have been written.
    package var isSettled: Bool { drafts.withLock { $0.isEmpty } && backlog.withLock { $0.isEmpty } }

    /// Writes all pending records and waits until that is done; for the end of the process.
    ///
    /// - Parameter limit: In seconds.
    /// - Returns: Whether all records are on the disk.
    package func flush(within limit: Double = 5) -> Bool {
        let deadline = HostTime.now + limit
        while true {
            let bell = Doorbell()
            if isSettled { return true }
            whenWritten { bell.ring() }
            bell.wait(until: deadline)
            let isHopeless = backlog.withLock { $0.problem != nil && !$0.isEmpty }
            if isHopeless || .now >= deadline { return isSettled }
        }
    }

    /// Writes all pending records now.
    ///
    /// - Parameter body: Called on the disk's thread once they are on the disk, or could not be written.
    package func whenWritten(_ body: @escaping @Sendable () -> Void) {
        backlog.withLock { $0.observe(body) }
        thread.schedule(for: self, at: .now) { self.work() }
    }

    // MARK: On the disk's thread

    private func schedule(after delay: Double) {
        // While the disk fails, further records do not shorten the retry delay.
        let wait = backlog.withLock { $0.retryDelay } ?? delay
        thread.schedule(for: self, at: .now + wait) { self.work() }
    }

    /// Makes drafts into text.
    private func render() {
        let waiting = drafts.withLock { drafts in
            defer { (drafts.waiting, drafts.isRendering) = ([], true) }
            return drafts.waiting
        }
        var isToWrite = false
        for draft in waiting where put(draft) { isToWrite = true }
        drafts.withLock { $0.isRendering = false }
        if isToWrite { schedule(after: min(max(settings.delay, 0), 5)) }
    }

    /// - Returns: Whether there is something to write.
    private func put(_ draft: JournalDraft) -> Bool {
        let (bytes, count) = draft.text()
        return backlog.withLock { backlog in
            switch draft.kind {
            case .addition:
                backlog.append(bytes, count: count)
                return !bytes.isEmpty
            case .replacement(let onlyIfWorthwhile):
                return backlog.replace(by: bytes, count: count, onlyIfWorthwhile: onlyIfWorthwhile)
            }
        }
    }

    private func work() {
        // Those who come while it works may have added records that it does not write.
        let observers = backlog.withLock { $0.takeObservers() }
        render()
        let batch = backlog.withLock { $0.batch }
        var problems: [StateProblem] = []
        if !replaced(batch, &problems), !batch.isReplacementNeeded { append(batch, &problems) }
        let after = backlog.withLock { $0.finish(problems) }
        if let news = after.news { settings.onProblem(news.problem) }
        if after.isTooLarge { settings.onLarge() }
        if let delay = after.retryDelay {
            thread.schedule(for: self, at: .now + delay) { self.work() }
        } else if after.isMoreWaiting {
            schedule(after: settings.delay)
        }
        for observer in observers { observer() }
    }

    /// Whether the file was replaced, including the whole batch.
    private func replaced(_ batch: JournalBacklog.Batch, _ problems: inout [StateProblem]) -> Bool {
        guard let replacement = batch.replacement else { return false }
        let bytes = replacement.bytes + batch.bytes[replacement.covered...]
        do throws(StateProblem) {
            try file.withLock { file throws(StateProblem) in try file.replace(with: bytes) }
            backlog.withLock { $0.didReplace(batch, size: bytes.count) }
            return true
        } catch {
            backlog.withLock { $0.didNotReplace(batch) }
            problems.append(error)
            return false
        }
    }

    private func append(_ batch: JournalBacklog.Batch, _ problems: inout [StateProblem]) {
        guard !batch.bytes.isEmpty else { return }
        do throws(StateProblem) {
            try file.withLock { file throws(StateProblem) in try file.append(batch.bytes) }
            backlog.withLock { $0.didAppend(batch) }
        } catch {
            backlog.withLock { $0.didNotAppend(error) }
            // This error is more informative than why the file could not be replaced.
            problems.insert(error, at: 0)
        }
    }
}

/// Records of a journal that become text on the disk's thread.
private struct JournalDraft: Sendable {
    enum Kind: Sendable {
        case addition
        case replacement(onlyIfWorthwhile: Bool)
    }

    let kind: Kind
    /// The text, and the number of records.
    let text: @Sendable () -> (bytes: [UInt8], count: Int)

    init(_ kind: Kind, _ text: @escaping @Sendable () -> (bytes: [UInt8], count: Int)) {
        (self.kind, self.text) = (kind, text)
    }
}
