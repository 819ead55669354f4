/// Decides which work starts next, as a pure value.
///
/// The work of one queue starts in the order in which it was added, as soon as its queue and its kind have a thread free.
struct WorkSchedule<Job: Sendable>: Sendable {
    /// Work with its place in the order.
    struct Entry: Sendable {
        let number: Int
        let queue: WorkQueue
        /// The client that the work is done for; `nil` for the server itself, whose work is never refused or dropped.
        let owner: Int?
        let job: Job
    }

    private struct Queue: Sendable {
        var running = 0
        var waiting: [Entry] = []
    }

    /// Queues with running or waiting work.
    private var queues: [WorkQueue: Queue] = [:]
    /// Threads in use by kind.
    private var threads: [String: Int] = [:]
    private var running: [Int: Entry] = [:]
    private var nextNumber = 0

    init() {}

    var isEmpty: Bool { queues.isEmpty }

    /// - Throws: `WorkRefusal.tooMany`.
    mutating func add(_ job: Job, to queue: WorkQueue, for owner: Int?) throws(WorkRefusal) {
        let count = queues[queue]?.waiting.count ?? 0
        guard owner == nil || hasRoom(queue) || count < queue.waiting else { throw .tooMany(queue.work) }
        queues[queue, default: Queue()].waiting.append(Entry(number: nextNumber, queue: queue, owner: owner, job: job))
        nextNumber += 1
    }

    /// Removes the next work that has a thread free; it counts as running until `end`.
    mutating func begin() -> Entry? {
        let heads = queues.values.compactMap(\.waiting.first).filter { hasThread($0.queue) }
        guard let next = heads.min(by: { $0.number < $1.number }) else { return nil }
        queues[next.queue]?.waiting.removeFirst()
        queues[next.queue]?.running += 1
        threads[next.queue.work, default: 0] += 1
        running[next.number] = next
        return next
    }

    mutating func end(_ entry: Entry) {
        guard running.removeValue(forKey: entry.number) != nil else { return }
        queues[entry.queue]?.running -= 1
        threads[entry.queue.work, default: 1] -= 1
        tidy(entry.queue)
    }

    /// Puts back work that could not start, at the front of its queue.
    mutating func putBack(_ entry: Entry) {
        queues[entry.queue, default: Queue()].waiting.insert(entry, at: 0)
        end(entry)
    }

    /// Drops an owner's waiting work.
    ///
    /// - Returns: The owner's running work.
    mutating func drop(_ owner: Int) -> [Job] {
        for queue in queues.keys {
            queues[queue]?.waiting.removeAll { $0.owner == owner }
            tidy(queue)
        }
        return running.values.filter { $0.owner == owner }.map(\.job)
    }

    /// Drops the waiting work of all owners.
    ///
    /// - Returns: Their running work.
    mutating func dropAll() -> [Job] {
        for queue in queues.keys {
            queues[queue]?.waiting.removeAll { $0.owner != nil }
            tidy(queue)
        }
        return running.values.filter { $0.owner != nil }.map(\.job)
    }

    /// Whether there is a thread for one more job, besides the running ones and those about to start.
    private func hasRoom(_ queue: WorkQueue) -> Bool {
        let own = queues[queue].map { $0.running + $0.waiting.count } ?? 0
        let kind = queues.reduce(threads[queue.work] ?? 0) {
            $1.key.work == queue.work ? $0 + $1.value.waiting.count : $0
        }
        return own < queue.threads && kind < queue.threadsInAll
    }

    private func hasThread(_ queue: WorkQueue) -> Bool {
        (queues[queue]?.running ?? 0) < queue.threads && (threads[queue.work] ?? 0) < queue.threadsInAll
    }

    private mutating func tidy(_ queue: WorkQueue) {
        if let state = queues[queue], state.running == 0, state.waiting.isEmpty { queues[queue] = nil }
        if threads[queue.work] == 0 { threads[queue.work] = nil }
    }
}
