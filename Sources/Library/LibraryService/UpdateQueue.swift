internal import Songs

/// The library's updates, one at a time, numbered like MPD's.
struct UpdateQueue: Sendable, Equatable {
    struct Part: Sendable, Hashable {
        private let place: ExactText
        let isRecursive: Bool

        init(uri: String, isRecursive: Bool) {
            place = ExactText(uri)
            self.isRecursive = isRecursive
        }

        var uri: String { place.text }
    }

    struct Job: Sendable, Equatable {
        let number: Int
        /// The parts to scan; a command names one part.
        var parts: [Part]
        let rereads: Bool
        /// Whether it was caused by a change of the file system rather than by a client.
        let isWatched: Bool

        /// The URI recorded for the next start, in case the server ends during the update.
        var uri: String { parts.count == 1 && parts[0].isRecursive ? parts[0].uri : "" }
    }

    private(set) var running: Job?
    private(set) var waiting: [Job] = []
    private var last = 0

    /// The most updates that may wait, as in MPD.
    private static let limit = 32
    /// After this number, numbering starts at 1 again, as in MPD.
    private static let highest = 32_768

    init() {}

    var isIdle: Bool { running == nil && waiting.isEmpty }

    /// The number in `status`: that of the current update, or else the next.
    var number: Int? { running?.number ?? waiting.first?.number }

    /// - Returns: The update's number; `nil` when too many wait.
    mutating func add(_ uri: String, rereads: Bool) -> Int? {
        guard waiting.count < Self.limit else { return nil }
        let job = Job(
            number: nextNumber(),
            parts: [Part(uri: uri, isRecursive: true)],
            rereads: rereads,
            isWatched: false
        )
        waiting.append(job)
        return job.number
    }

    /// Adds changes reported by the watcher; all that wait are one update.
    mutating func add(watched parts: [Part]) {
        guard !parts.isEmpty else { return }
        if let place = waiting.firstIndex(where: \.isWatched) {
            let known = Set(waiting[place].parts)
            waiting[place].parts += parts.filter { !known.contains($0) }
        } else {
            waiting.append(Job(number: nextNumber(), parts: parts, rereads: false, isWatched: true))
        }
    }

    mutating func begin() -> Job? {
        guard running == nil, !waiting.isEmpty else { return nil }
        running = waiting.removeFirst()
        return running
    }

    mutating func end() { running = nil }

    private mutating func nextNumber() -> Int {
        last = last >= Self.highest ? 1 : last + 1
        return last
    }
}
