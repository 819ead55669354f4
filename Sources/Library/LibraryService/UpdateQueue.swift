internal import Songs

/// Updates of the library, one at a time, under MPD's numbers.
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
        /// What is looked at; a command names one part.
        var parts: [Part]
        let rereads: Bool
        /// Whether nobody asked for it but the file system.
        let isWatched: Bool

        /// What is noted of it for the next start, should the server end meanwhile.
        var uri: String { parts.count == 1 && parts[0].isRecursive ? parts[0].uri : "" }
    }

    private(set) var running: Job?
    private(set) var waiting: [Job] = []
    private var last = 0

    /// So many may wait, as in MPD.
    private static let limit = 32
    /// Numbers begin anew behind it, as in MPD.
    private static let highest = 32_768

    init() {}

    var isIdle: Bool { running == nil && waiting.isEmpty }

    /// What `status` shows: the update that is being done, or comes next.
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

    /// Adds what the file system said; all of it that waits is one update.
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
