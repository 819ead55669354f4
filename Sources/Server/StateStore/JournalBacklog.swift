import Mixing

/// What a journal has still to write, and what it knows about the file: decisions only.
struct JournalBacklog {
    /// What makes up all state at one moment.
    struct Replacement {
        var number: Int
        var bytes: [UInt8]
        /// How much of what waits it makes needless.
        var covered: Int
    }

    /// What one visit to the disk is about.
    struct Batch {
        var bytes: [UInt8]
        var replacement: Replacement?
        var isReplacementNeeded: Bool
    }

    struct Outcome {
        /// What to tell about the disk: `nil` in it says that it is well again.
        var news: News?
        var isTooLarge: Bool
        var retryDelay: Double?
        var isMoreWaiting: Bool
        var waiting: [Doorbell]
    }

    struct News {
        var problem: StateProblem?
    }

    /// What waits, in the order in which it came.
    var bytes: [UInt8] = []
    var waiting: [Doorbell] = []
    private(set) var problem: StateProblem?
    private var replacement: Replacement?
    /// Whether the file lacks something that only a replacement has.
    private var isReplacementNeeded = false
    private var fileSize: Int
    private let smallest: Int
    /// The length from which on the owner is asked; `nil` while it was asked and has not answered.
    private var askAbove: Int?
    private var failures = 0
    private var replacements = 0

    /// Beyond this much memory, a failing disk's backlog is given up for a replacement.
    private static let mostKept = 1 << 20

    init(fileSize: Int, smallest: Int) {
        self.fileSize = fileSize
        self.smallest = smallest
        askAbove = smallest
    }

    var isEmpty: Bool { bytes.isEmpty && replacement == nil }

    /// 1 s after the first failure, then ever longer, up to a minute.
    var retryDelay: Double? { failures == 0 ? nil : min(60, Double(1 << min(failures - 1, 6))) }

    var batch: Batch { Batch(bytes: bytes, replacement: replacement, isReplacementNeeded: isReplacementNeeded) }

    /// - Returns: Whether there is something to write.
    mutating func replace(by bytes: [UInt8], onlyIfWorthwhile: Bool) -> Bool {
        let length = fileSize + self.bytes.count
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
        // It is asked for again; until then the file, which lacks nothing, goes on growing.
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
        // Its room is given back: it may have been a queue of a hundred thousand songs.
        bytes = Array(bytes.dropFirst(batch.bytes.count))
        if let covered = replacement?.covered { replacement?.covered = max(0, covered - batch.bytes.count) }
    }

    /// After a visit to the disk.
    mutating func finish(_ problems: [StateProblem]) -> Outcome {
        let isStuck = problems.first.map { if case .cannotCompact = $0 { isReplacementNeeded } else { true } } ?? false
        failures = isStuck ? failures + 1 : 0
        var news: News?
        if problems.first != problem { news = News(problem: problems.first) }
        problem = problems.first
        let isTooLarge = askAbove.map { fileSize + bytes.count > $0 } ?? false
        if isTooLarge { askAbove = nil }
        defer { waiting = [] }
        return Outcome(
            news: news,
            isTooLarge: isTooLarge,
            retryDelay: retryDelay,
            isMoreWaiting: !isEmpty,
            waiting: waiting
        )
    }
}
