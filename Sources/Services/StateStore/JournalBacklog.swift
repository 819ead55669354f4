/// A journal's pending writes, and what is known about its file: makes decisions, does no I/O.
struct JournalBacklog {
    /// Records that make up the whole state at one moment.
    struct Replacement {
        var number: Int
        var bytes: [UInt8]
        /// The number of pending bytes that it replaces.
        var covered: Int
    }

    /// The pending writes of one disk access.
    struct Batch {
        var bytes: [UInt8]
        var replacement: Replacement?
        var isReplacementNeeded: Bool
    }

    struct Outcome {
        /// A change of the disk's problem to report; a `nil` problem in it means that writing works again.
        var news: News?
        var isTooLarge: Bool
        var retryDelay: Double?
        var isMoreWaiting: Bool
    }

    struct News {
        var problem: StateProblem?
    }

    /// Pending records, in order.
    var bytes: [UInt8] = []
    /// Called after the next disk access that begins.
    private var observers: [@Sendable () -> Void] = []
    private(set) var problem: StateProblem?
    private var replacement: Replacement?
    /// Whether the file lacks records that only a replacement contains.
    private var isReplacementNeeded = false
    private var fileSize: Int
    private let smallest: Int
    /// The length above which the owner is asked to compact; `nil` while it has been asked and has not answered.
    private var askAbove: Int?
    /// Records since the last compaction, and the number of them that makes the next one worthwhile.
    private var newRecords = 0
    private var askAfter = Self.fewRecords
    private var failures = 0
    private var replacements = 0

    /// The backlog, in bytes, above which a failing disk's records are dropped in favour of a replacement.
    private static let mostKept = 1 << 20
    /// Fewer new records than this do not make a compaction worthwhile.
    private static let fewRecords = 64

    init(fileSize: Int, smallest: Int) {
        self.fileSize = fileSize
        self.smallest = smallest
        askAbove = smallest
    }

    var isEmpty: Bool { bytes.isEmpty && replacement == nil }

    /// 1 s after the first failure, then doubling up to a minute.
    var retryDelay: Double? { failures == 0 ? nil : min(60, Double(1 << min(failures - 1, 6))) }

    var batch: Batch { Batch(bytes: bytes, replacement: replacement, isReplacementNeeded: isReplacementNeeded) }

    mutating func observe(_ body: @escaping @Sendable () -> Void) { observers.append(body) }

    /// Takes those who wait for the disk access that begins now.
    mutating func takeObservers() -> [@Sendable () -> Void] {
        defer { observers = [] }
        return observers
    }

    mutating func append(_ bytes: [UInt8], count: Int) {
        self.bytes += bytes
        newRecords += count
    }

    /// - Parameter count: The number of records.
    /// - Returns: Whether there is something to write.
    mutating func replace(by bytes: [UInt8], count: Int, onlyIfWorthwhile: Bool) -> Bool {
        let length = fileSize + self.bytes.count
        (newRecords, askAfter) = (0, max(Self.fewRecords, count / 2))
        if onlyIfWorthwhile, !isReplacementNeeded, length <= max(smallest, 2 * bytes.count) {
            askAbove = max(smallest, 2 * bytes.count)
            return false
        }
        if failures > 0, self.bytes.count > Self.mostKept {
            self.bytes = []
            isReplacementNeeded = true
        }
        replacements += 1
        replacement = Replacement(number: replacements, bytes: bytes, covered: self.bytes.count)
        return true
    }

    mutating func didReplace(_ batch: Batch, size: Int) {
        fileSize = size
        askAbove = max(smallest, 2 * size)
        isReplacementNeeded = false
        drop(batch)
        if replacement?.number == batch.replacement?.number { replacement = nil }
    }

    mutating func didNotReplace(_ batch: Batch) {
        askAbove = (fileSize + bytes.count) * 3 / 2 + smallest
        // The owner is asked again later; until then the file, which is complete, keeps growing.
        if !isReplacementNeeded, replacement?.number == batch.replacement?.number { replacement = nil }
    }

    mutating func didAppend(_ batch: Batch) {
        fileSize += batch.bytes.count
        drop(batch)
    }

    mutating func didNotAppend(_ problem: StateProblem) {
        guard case .vanished = problem else { return }
        isReplacementNeeded = true
        askAbove = 0
    }

    private mutating func drop(_ batch: Batch) {
        // Copy to release the memory: it may have held a queue of a hundred thousand songs.
        bytes = Array(bytes.dropFirst(batch.bytes.count))
        if let covered = replacement?.covered { replacement?.covered = max(0, covered - batch.bytes.count) }
    }

    /// Updates the backlog after a disk access.
    mutating func finish(_ problems: [StateProblem]) -> Outcome {
        let isStuck = problems.first.map { if case .cannotCompact = $0 { isReplacementNeeded } else { true } } ?? false
        failures = isStuck ? failures + 1 : 0
        var news: News?
        if problems.first != problem { news = News(problem: problems.first) }
        problem = problems.first
        let length = fileSize + bytes.count
        let isTooLarge = askAbove.map { length > $0 || length > smallest && newRecords >= askAfter } ?? false
        if isTooLarge { askAbove = nil }
        return Outcome(
            news: news,
            isTooLarge: isTooLarge,
            retryDelay: retryDelay,
            isMoreWaiting: !isEmpty
        )
    }
}
