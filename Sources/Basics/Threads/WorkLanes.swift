/// Decides which work starts next, as a pure value.
///
/// The work of one lane starts in the order in which it was added, as soon as its lane and its kind have a thread free.
struct WorkLanes<Job: Sendable>: Sendable {
    /// Work with its place in the order.
    struct Entry: Sendable {
        let number: Int
        let lane: WorkLane
        /// The client that the work is done for; `nil` for the server itself, whose work is never refused or dropped.
        let owner: Int?
        let job: Job
    }

    private struct Lane: Sendable {
        var running = 0
        var waiting: [Entry] = []
    }

    /// Lanes with running or waiting work.
    private var lanes: [WorkLane: Lane] = [:]
    /// Threads in use by kind.
    private var threads: [String: Int] = [:]
    private var running: [Int: Entry] = [:]
    private var nextNumber = 0

    init() {}

    var isEmpty: Bool { lanes.isEmpty }

    /// - Throws: `WorkRefusal.tooMany`.
    mutating func add(_ job: Job, to lane: WorkLane, for owner: Int?) throws(WorkRefusal) {
        let count = lanes[lane]?.waiting.count ?? 0
        guard owner == nil || hasRoom(lane) || count < lane.waiting else { throw .tooMany(lane.work) }
        lanes[lane, default: Lane()].waiting.append(Entry(number: nextNumber, lane: lane, owner: owner, job: job))
        nextNumber += 1
    }

    /// Removes the next work that has a thread free; it counts as running until `end`.
    mutating func begin() -> Entry? {
        let heads = lanes.values.compactMap(\.waiting.first).filter { hasThread($0.lane) }
        guard let next = heads.min(by: { $0.number < $1.number }) else { return nil }
        lanes[next.lane]?.waiting.removeFirst()
        lanes[next.lane]?.running += 1
        threads[next.lane.work, default: 0] += 1
        running[next.number] = next
        return next
    }

    mutating func end(_ entry: Entry) {
        guard running.removeValue(forKey: entry.number) != nil else { return }
        lanes[entry.lane]?.running -= 1
        threads[entry.lane.work, default: 1] -= 1
        tidy(entry.lane)
    }

    /// Puts back work that could not start, at the front of its lane.
    mutating func putBack(_ entry: Entry) {
        lanes[entry.lane, default: Lane()].waiting.insert(entry, at: 0)
        end(entry)
    }

    /// Drops an owner's waiting work.
    ///
    /// - Returns: The owner's running work.
    mutating func drop(_ owner: Int) -> [Job] {
        for lane in lanes.keys {
            lanes[lane]?.waiting.removeAll { $0.owner == owner }
            tidy(lane)
        }
        return running.values.filter { $0.owner == owner }.map(\.job)
    }

    /// Drops the waiting work of all owners.
    ///
    /// - Returns: Their running work.
    mutating func dropAll() -> [Job] {
        for lane in lanes.keys {
            lanes[lane]?.waiting.removeAll { $0.owner != nil }
            tidy(lane)
        }
        return running.values.filter { $0.owner != nil }.map(\.job)
    }

    /// Whether there is a thread for one more job, besides the running ones and those about to start.
    private func hasRoom(_ lane: WorkLane) -> Bool {
        let own = lanes[lane].map { $0.running + $0.waiting.count } ?? 0
        let kind = lanes.reduce(threads[lane.work] ?? 0) { $1.key.work == lane.work ? $0 + $1.value.waiting.count : $0 }
        return own < lane.threads && kind < lane.threadsInAll
    }

    private func hasThread(_ lane: WorkLane) -> Bool {
        (lanes[lane]?.running ?? 0) < lane.threads && (threads[lane.work] ?? 0) < lane.threadsInAll
    }

    private mutating func tidy(_ lane: WorkLane) {
        if let state = lanes[lane], state.running == 0, state.waiting.isEmpty { lanes[lane] = nil }
        if threads[lane.work] == 0 { threads[lane.work] = nil }
    }
}
