internal import AudioTypes
internal import Playback
internal import Synchronization

/// An event of a zone's player, and its place among the orders.
package struct ZoneEvent: Sendable {
    let event: PlayerEvent
    /// The number of the last order that had taken effect.
    let after: Int
    let player: Player
}

/// A zone's link to its player: orders go there one after another, events come back, and neither side waits.
///
/// Orders are numbered from 1 on, and each event carries the last order that it came after, so an event from before an
/// order can be told from that order's effect.
final class PlayerLink: Sendable {
    typealias Order = @Sendable (isolated Player) -> Void

    let player: Player
    private let orders: AsyncStream<(Order, notBefore: HostTime?)>.Continuation
    private let holdEnd = Mutex<HostTime?>(nil)
    private let sentCount = Atomic<Int>(0)
    private let doneCount = Atomic<Int>(0)
    private let placed = Mutex(Places())
    /// Called when there is room again for orders.
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    private struct Places {
        var items: [PlayerItem.ID: Placed] = [:]
        /// The last order to play an entry, or to seek in one.
        var jump = 0
    }

    /// The zone's view of an item of the player.
    struct Placed {
        /// The queue's entry.
        var entry: UInt32
        /// The number of the order that placed it.
        var order: Int
    }

    /// - Parameter receive: Receives the events, in order.
    init(player: Player, receive: @escaping @Sendable (ZoneEvent) async -> Void) {
        self.player = player
        let (stream, orders) = AsyncStream.makeStream(of: (Order, notBefore: HostTime?).self)
        self.orders = orders
        Task { [weak self] in
            // Before the first order, so that none of its events is missed.
            let events = await player.orderedEvents()
            Task {
                for await (event, order) in events {
                    // By then the order that led to it has recorded the item.
                    if case .currentItemChanged = event { await Self.waitForTurn(of: player) }
                    await receive(ZoneEvent(event: event, after: order, player: player))
                }
            }
            var number = 0
            for await (order, notBefore) in stream {
                if let notBefore { try? await Task.sleep(for: .seconds(saturating: max(0, notBefore - .now))) }
                number += 1
                await Self.carryOut(order, number, by: player)
                self?.doneCount.store(number, ordering: .sequentiallyConsistent)
                self?.tellOfRoom()
            }
        }
    }

    deinit {
        orders.finish()
        // No order will be carried out any more.
        for body in waiting.withLock({ $0 }) { body() }
    }

    /// Returns when the player has finished its current call.
    private static func waitForTurn(of player: isolated Player) {}

    /// An order takes effect when it has been carried out, unless it said so before.
    private static func carryOut(_ order: Order, _ number: Int, by player: isolated Player) {
        order(player)
        player.order = number
    }

    /// Queues an order after those before.
    ///
    /// - Returns: The order's number.
    @discardableResult
    func send(_ order: @escaping Order) -> Int {
        let number = sentCount.wrappingAdd(1, ordering: .relaxed).newValue
        orders.yield((order, notBefore: holdEnd.withLock { $0.take() }))
        return number
    }

    /// Delays the next order, and so all after it, by so many seconds.
    func hold(for seconds: Double) { holdEnd.withLock { $0 = .now + seconds } }

    // MARK: Room

    /// The most orders that may wait for the player; after that, clients wait.
    static let budget = 256

    private var pendingCount: Int {
        sentCount.load(ordering: .sequentiallyConsistent) - doneCount.load(ordering: .sequentiallyConsistent)
    }

    /// Whether the most orders that may wait do so.
    var isFull: Bool { pendingCount >= Self.budget }

    /// Calls once, on any thread, when half of the orders that may wait are carried out.
    func whenThereIsRoom(_ body: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(body) }
        // The last order may have been carried out meanwhile.
        tellOfRoom()
    }

    private func tellOfRoom() {
        guard pendingCount <= Self.budget / 2 else { return }
        let told = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for body in told { body() }
    }

    /// Whether the player has carried out so many orders.
    func hasDone(_ count: Int) -> Bool { doneCount.load(ordering: .relaxed) >= count }

    // MARK: Items

    /// Plays one entry of the queue from a time on, or pauses there, with nothing after it.
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
            placed = Places(jump: order)
            if let item { placed.items[item] = Placed(entry: id, order: order) }
        }
        player.order = order
    }

    /// Seeks in an entry, which the player may have left in the meantime.
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
            player.catchUp()
            let isThere = placed.withLock { placed in
                guard let item = player.status.currentItem?.id, let place = placed.items[item],
                    isCurrent(item, place)
                else { return false }
                placed.items[item] = Placed(entry: id, order: number)
                placed.jump = number
                return true
            }
            guard isThere else { return replaceCurrent(id, medium, at: time, order: number, of: player) }
            player.order = number
            Task.immediate { _ = await player.seek(to: MediaTime(seconds: time)) }
        }
    }

    /// Changes the location of an entry's medium.
    func relocate(_ id: UInt32, to medium: MediaEntry) {
        send { [self] player in
            let items = placed.withLock { $0.items.filter { $0.value.entry == id }.keys }
            for item in items { player.relocate(item, to: medium) }
        }
    }

    /// Sets the entry that follows without a gap.
    ///
    /// A player that has nothing left plays it, even if it has failed before.
    func replaceFollowing(_ following: (id: UInt32, medium: MediaEntry)?) -> Int {
        let number = sentCount.load(ordering: .relaxed) + 1
        return send { [self] player in
            player.catchUp()
            let hasEnded = player.status.currentItem == nil
            let item =
                if let following, hasEnded {
                    player.replaceCurrentItem(with: following.medium)
                } else {
                    player.replaceFollowingItems(with: following.map { [$0.medium] } ?? []).first
                }
            let current = player.status.currentItem?.id
            placed.withLock { placed in
                // An item that has failed meanwhile is gone for the player; the zone has not heard of it yet.
                let jump = placed.jump
                placed.items = placed.items.filter { $0.key == current || $0.value.order == jump }
                if let following, let item { placed.items[item] = Placed(entry: following.id, order: number) }
            }
        }
    }

    /// The zone's view of an item; `nil` for one that was replaced since.
    func place(of item: PlayerItem.ID) -> Placed? { placed.withLock { $0.items[item] } }
}
