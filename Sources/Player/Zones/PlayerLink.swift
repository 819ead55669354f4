internal import AudioTypes
internal import Playback
internal import Synchronization

/// What a zone's player told, and when.
package struct ZoneEvent: Sendable {
    let event: PlayerEvent
    /// The number of the zone's order that had taken effect last.
    let after: Int
    let player: Player
}

/// A zone's way to its player: orders go there one after another, events come back, and neither waits for the other.
///
/// Orders are numbered from 1 on, and an event says which of them it came after: so what the player told before it had
/// heard of an order can be told from what that order led to.
final class PlayerLink: Sendable {
    typealias Order = @Sendable (isolated Player) -> Void

    let player: Player
    private let orders: AsyncStream<(Order, notBefore: HostTime?)>.Continuation
    private let holdEnd = Mutex<HostTime?>(nil)
    private let sentCount = Atomic<Int>(0)
    private let log = OrderLog()
    private let placed = Mutex<[PlayerItem.ID: Placed]>([:])

    /// What an item of the player is to the zone.
    struct Placed {
        /// The queue's entry.
        var entry: UInt32
        /// The number of the order that placed it.
        var order: Int
    }

    /// - Parameter receive: Told of what happens, in order.
    init(player: Player, receive: @escaping @Sendable (ZoneEvent) async -> Void) {
        self.player = player
        let (stream, orders) = AsyncStream.makeStream(of: (Order, notBefore: HostTime?).self)
        self.orders = orders
        Task { [log] in
            // Before the first order, so that nothing of what that leads to is missed.
            let (events, first) = await Self.listen(to: player)
            Task {
                var number = first
                for await event in events {
                    // An order that led to it has noted by then what the item is.
                    if case .currentItemChanged = event { await Self.waitForTurn(of: player) }
                    await receive(ZoneEvent(event: event, after: log.order(before: number), player: player))
                    number += 1
                }
            }
            for await (order, notBefore) in stream {
                if let notBefore { try? await Task.sleep(for: .seconds(max(0, notBefore - .now))) }
                await Self.carryOut(order, by: player, log)
            }
        }
    }

    deinit { orders.finish() }

    /// The events from now on, and the number of the first.
    private static func listen(to player: isolated Player) -> (AsyncStream<PlayerEvent>, Int) {
        (player.events(), player.eventCount)
    }

    /// Returns when the player has done what it is doing.
    private static func waitForTurn(of player: isolated Player) {}

    private static func carryOut(_ order: Order, by player: isolated Player, _ log: OrderLog) {
        order(player)
        log.orderDone(events: player.eventCount)
    }

    /// Has an order carried out after those before.
    ///
    /// - Returns: The order's number.
    @discardableResult
    func send(_ order: @escaping Order) -> Int {
        let number = sentCount.wrappingAdd(1, ordering: .relaxed).newValue
        orders.yield((order, notBefore: holdEnd.withLock { $0.take() }))
        return number
    }

    /// Has the next order, and so all after it, wait so many seconds.
    func hold(for seconds: Double) { holdEnd.withLock { $0 = .now + seconds } }

    /// Whether the player has carried out so many orders.
    func hasDone(_ count: Int) -> Bool { log.done >= count }

    // MARK: Items

    /// Plays one entry of the queue from a time on, or has it paused there, and nothing behind it.
    func replaceCurrent(_ id: UInt32, _ medium: MediaEntry, at time: Double, isPaused: Bool) -> Int {
        let number = sentCount.load(ordering: .relaxed) + 1
        return send { [self] player in
            if isPaused { player.pause() }
            replaceCurrent(id, medium, at: time, order: number, of: player)
            if !isPaused { player.play() }
        }
    }

    private func replaceCurrent(
        _ id: UInt32,
        _ medium: MediaEntry,
        at time: Double,
        order: Int,
        of player: isolated Player
    ) {
        let item = player.replaceCurrentItem(with: medium, at: MediaTime(seconds: time))
        placed.withLock { placed in
            placed = [:]
            if let item { placed[item] = Placed(entry: id, order: order) }
        }
        log.begin(order, events: player.eventCount)
    }

    /// Goes to a time of an entry, which the player may have left meanwhile.
    ///
    /// - Parameter isCurrent: Whether an item is the one to seek in.
    func seek(
        _ id: UInt32,
        _ medium: MediaEntry,
        to time: Double,
        if isCurrent: @escaping @Sendable (PlayerItem.ID, Placed) -> Bool
    ) -> Int {
        let number = sentCount.load(ordering: .relaxed) + 1
        return send { [self] player in
            player.follow()
            let isThere = placed.withLock { placed in
                guard let item = player.status.currentItem?.id, let place = placed[item], isCurrent(item, place) else {
                    return false
                }
                placed[item] = Placed(entry: id, order: number)
                return true
            }
            guard isThere else { return replaceCurrent(id, medium, at: time, order: number, of: player) }
            log.begin(number, events: player.eventCount)
            Task.immediate { _ = await player.seek(to: MediaTime(seconds: time)) }
        }
    }

    /// Says that an entry's medium is somewhere else now.
    func relocate(_ id: UInt32, to medium: MediaEntry) {
        send { [self] player in
            let items = placed.withLock { $0.filter { $0.value.entry == id }.keys }
            for item in items { player.relocate(item, to: medium) }
        }
    }

    /// Says which entry follows without a gap.
    ///
    /// A player that has nothing left goes on with it, also with one that has failed before.
    func replaceFollowing(_ following: (id: UInt32, medium: MediaEntry)?) -> Int {
        let number = sentCount.load(ordering: .relaxed) + 1
        return send { [self] player in
            player.follow()
            let hasEnded = player.status.currentItem == nil
            let item =
                if let following, hasEnded {
                    player.replaceCurrentItem(with: following.medium)
                } else {
                    player.replaceFollowingItems(with: following.map { [$0.medium] } ?? []).first
                }
            let current = player.status.currentItem?.id
            placed.withLock { placed in
                placed = placed.filter { $0.key == current }
                if let following, let item { placed[item] = Placed(entry: following.id, order: number) }
            }
        }
    }

    /// What an item is to the zone; `nil` for one that was replaced since.
    func place(of item: PlayerItem.ID) -> Placed? { placed.withLock { $0[item] } }
}

/// Which events came after which orders.
private final class OrderLog: Sendable {
    private struct State {
        var done = 0
        /// Orders, with the number of events that had been told when they took effect.
        var marks: [(order: Int, events: Int)] = []
        /// What the last event asked about came after.
        var last = 0
    }

    private let state = Mutex(State())

    /// How many orders were carried out.
    var done: Int { state.withLock { $0.done } }

    /// An order takes effect: what is told from here on comes after it.
    func begin(_ order: Int, events: Int) {
        state.withLock { state in
            if state.marks.last?.events == events { state.marks.removeLast() }
            state.marks.append((order: order, events: events))
        }
    }

    /// An order was carried out; unless it said otherwise, it takes effect now.
    func orderDone(events: Int) {
        let order = state.withLock { state in
            state.done += 1
            return state.done
        }
        if state.withLock({ max($0.last, $0.marks.last?.order ?? 0) < order }) { begin(order, events: events) }
    }

    /// After which order an event came; asked for one event after another.
    func order(before event: Int) -> Int {
        state.withLock { state in
            let passed = state.marks.prefix { $0.events <= event }
            state.last = passed.last?.order ?? state.last
            state.marks.removeFirst(passed.count)
            return state.last
        }
    }
}
