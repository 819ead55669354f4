/// How soon a picture is needed.
package enum PicturePriority: Sendable, Comparable {
    /// It is not asked for yet.
    case prefetched
    /// A client waits for it.
    case visible
}

/// The pictures that are waited for, by whom, and the one that is made next.
///
/// A pure value: those who use it do what it says. All who want the same picture share one request, which the first of
/// them loads. When the last of them has left, the request is gone, and the same picture asked for later is another one.
struct PictureRequests<Key: Hashable & Sendable, Picture: Sendable>: Sendable {
    /// One wish for a picture.
    struct Ticket: Sendable, Hashable {
        let request: Int
        fileprivate let waiter: Int
        /// Whether its holder loads the picture, for all who wait for it.
        let mustLoad: Bool
    }

    enum Turn: Sendable, Equatable {
        /// The picture may be made now.
        case begin
        /// All who wanted it have left.
        case abandoned
    }

    private enum Stage: Sendable {
        case loading, queued, running
        case finished(Picture)
    }

    private struct Request: Sendable {
        let key: Key
        var waiters: [Int: PicturePriority] = [:]
        var stage = Stage.loading

        var isQueued: Bool { if case .queued = stage { true } else { false } }
        var isRunning: Bool { if case .running = stage { true } else { false } }
        var priority: PicturePriority { waiters.values.max() ?? .prefetched }
    }

    /// By numbers, which rise.
    private var requests: [Int: Request] = [:]
    private var numbers: [Key: Int] = [:]
    /// Also those that all have left, until they have ended.
    private var running: Set<Int> = []
    private var nextNumber = 0
    private let runningLimit: Int
    private let limit: Int

    /// - Parameters:
    ///   - running: How many pictures are made at once, at most.
    ///   - limit: How many different ones may be wanted at a time.
    init(running: Int, limit: Int) { (runningLimit, self.limit) = (max(1, running), max(1, limit)) }

    /// Of different pictures.
    var count: Int { requests.count }

    /// - Returns: `nil` when too many others are wanted.
    mutating func join(_ key: Key, _ priority: PicturePriority) -> Ticket? {
        let known = numbers[key]
        guard known != nil || requests.count < limit else { return nil }
        nextNumber += 1
        let number = known ?? nextNumber
        numbers[key] = number
        requests[number, default: Request(key: key)].waiters[nextNumber] = priority
        return Ticket(request: number, waiter: nextNumber, mustLoad: known == nil)
    }

    /// Forgets a wish; a ticket that was used is of no effect.
    ///
    /// - Returns: Whether the picture is being made for the one who has left alone.
    mutating func leave(_ ticket: Ticket) -> Bool {
        guard requests[ticket.request]?.waiters.removeValue(forKey: ticket.waiter) != nil else { return false }
        return removeIfUnwanted(ticket.request)?.isRunning ?? false
    }

    /// Asks, for the one who loads, to make the picture.
    ///
    /// Pictures that are made ahead leave a worker to those that will be asked for, unless there is only one.
    ///
    /// - Returns: `nil` while others are made, or go before: what is visible, then what was asked for first.
    mutating func turn(_ number: Int) -> Turn? {
        guard let request = requests[number] else { return .abandoned }
        requests[number]?.stage = .queued
        let limit = request.priority == .visible ? runningLimit : max(1, runningLimit - 1)
        guard running.count < limit, number == next else { return nil }
        requests[number]?.stage = .running
        running.insert(number)
        return .begin
    }

    private var next: Int? {
        requests.filter { $0.value.isQueued }.min {
            ($1.value.priority, $0.key) < ($0.value.priority, $1.key)
        }?.key
    }

    /// A picture that began is made, or has failed.
    ///
    /// - Returns: Whether it is still wanted.
    mutating func end(_ number: Int) -> Bool {
        running.remove(number)
        requests[number]?.stage = .loading
        return requests[number] != nil
    }

    /// Gives all who wait what they wait for.
    mutating func finish(_ number: Int, with picture: Picture) { requests[number]?.stage = .finished(picture) }

    enum Outcome: Sendable {
        case finished(Picture)
        /// The ticket's holder has left.
        case left
    }

    /// The outcome of a wish, which uses its ticket up; `nil` while the picture is not there.
    mutating func outcome(_ ticket: Ticket) -> Outcome? {
        guard let request = requests[ticket.request], request.waiters[ticket.waiter] != nil else { return .left }
        guard case .finished(let picture) = request.stage else { return nil }
        requests[ticket.request]?.waiters[ticket.waiter] = nil
        _ = removeIfUnwanted(ticket.request)
        return .finished(picture)
    }

    private mutating func removeIfUnwanted(_ number: Int) -> Request? {
        guard let request = requests[number], request.waiters.isEmpty else { return nil }
        requests[number] = nil
        numbers[request.key] = nil
        return request
    }
}
