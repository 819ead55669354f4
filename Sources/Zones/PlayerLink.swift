internal import AudioTypes
internal import Playback
internal import Synchronization

/// A zone's way to its player: orders go there one after another, events come back, and neither waits for the other.
final class PlayerLink: Sendable {
    typealias Order = @Sendable (isolated Player) -> Void

    let player: Player
    private let orders: AsyncStream<Order>.Continuation
    private let sentCount = Atomic<Int>(0)
    private let doneCount = Atomic<Int>(0)
    private let entries = Mutex<[PlayerItem.ID: UInt32]>([:])

    /// - Parameter receive: Told of what happens, in order.
    init(player: Player, receive: @escaping @Sendable (PlayerEvent) async -> Void) {
        self.player = player
        let (stream, orders) = AsyncStream.makeStream(of: Order.self)
        self.orders = orders
        Task { [weak self] in
            for await order in stream {
                await Self.carryOut(order, by: player)
                self?.doneCount.add(1, ordering: .releasing)
            }
        }
        Task {
            for await event in await player.events() { await receive(event) }
        }
    }

    deinit { orders.finish() }

    private static func carryOut(_ order: Order, by player: isolated Player) { order(player) }

    /// Has an order carried out after those before.
    func send(_ order: @escaping Order) {
        sentCount.add(1, ordering: .relaxed)
        orders.yield(order)
    }

    /// How many orders were sent.
    var sent: Int { sentCount.load(ordering: .relaxed) }

    /// Whether the player has carried out so many orders.
    func hasDone(_ count: Int) -> Bool { doneCount.load(ordering: .acquiring) >= count }

    /// Plays one entry of the queue from a time on, and nothing behind it.
    func replaceCurrent(_ id: UInt32, _ medium: MediaEntry, at time: Double) {
        send { [self] player in
            let item = player.replaceCurrentItem(with: medium, at: MediaTime(seconds: time))
            entries.withLock { entries in
                entries = [:]
                if let item { entries[item] = id }
            }
        }
    }

    /// Says which entry follows without a gap.
    func replaceFollowing(_ following: (id: UInt32, medium: MediaEntry)?) {
        send { [self] player in
            let items = player.replaceFollowingItems(with: following.map { [$0.medium] } ?? [])
            let current = player.status.currentItem?.id
            entries.withLock { entries in
                entries = entries.filter { $0.key == current }
                if let following, let item = items.first { entries[item] = following.id }
            }
        }
    }

    /// The queue's entry that an item is of; `nil` for an item that was replaced since.
    func entry(of item: PlayerItem.ID) -> UInt32? { entries.withLock { $0[item] } }
}
