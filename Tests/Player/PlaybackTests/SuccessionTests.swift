import AudioTypes
import Testing

@testable import Playback

/// What plays after an item.
struct SuccessionTests {
    private static func queue(_ count: Int = 3, failed: Set<Int> = [], current: Int? = nil) -> PlayerQueue {
        var queue = PlayerQueue()
        let ids = queue.append((0..<count).map { MediaEntry(location: "\($0)") })
        for index in failed { queue.update(ids[index]) { $0.status = .failed("bad") } }
        queue.select(current)
        return queue
    }

    private static func succession(
        _ mode: LoopMode = .off,
        _ action: ActionAtItemEnd = .advance,
        isGapless: Bool = true
    ) -> Succession {
        var succession = Succession(isGapless: isGapless)
        succession.loopMode = mode
        succession.actionAtItemEnd = action
        return succession
    }

    @Test func theNextItemFollows() {
        let queue = Self.queue(failed: [1])
        #expect(Self.succession().following(0, in: queue) == .item(queue.items[2]))
        #expect(Self.succession().following(2, in: queue) == .nothing)
        #expect(Self.succession(.queue).following(2, in: queue) == .item(queue.items[0]))
        #expect(Self.succession(.queue).following(0, in: Self.queue(1)) == .loop)
        #expect(Self.succession(.item).following(0, in: queue) == .loop)
        // An item that cannot be played is not repeated for ever.
        #expect(Self.succession(.item).following(1, in: queue) == .item(queue.items[2]))
    }

    /// Where it is to pause or to stay silent, no mode changes that.
    @Test(arguments: [LoopMode.off, .item, .queue]) func theActionComesFirst(_ mode: LoopMode) {
        #expect(Self.succession(mode, .pause).following(0, in: Self.queue()) == .nothing)
        #expect(Self.succession(mode, .none).following(0, in: Self.queue()) == .silence)
    }

    @Test func withGapsNothingIsDecodedAhead() {
        #expect(Self.succession(isGapless: false).following(0, in: Self.queue()) == .nothing)
        #expect(Self.succession(.item, isGapless: false).following(0, in: Self.queue()) == .loop)
    }

    @Test func aChainEndsWhereNothingFollows() {
        let queue = Self.queue()
        let items = queue.items.map { Pipeline.Following.item($0) }
        #expect(Self.succession().chain(after: 0, in: queue, count: 9) == [items[1], items[2], .nothing])
        #expect(Self.succession().chain(after: 0, in: queue, count: 1) == [items[1]])
        #expect(
            Self.succession(.queue).chain(after: 1, in: queue, count: 4) == [items[2], items[0], items[1], items[2]]
        )
        #expect(Self.succession(.item).chain(after: 1, in: queue, count: 3) == [.loop, .loop, .loop])
        #expect(Self.succession(.off, .none).chain(after: 0, in: queue, count: 3) == [.silence])
    }

    @Test func jumpsToAndFro() {
        #expect(Self.succession().next(in: Self.queue()) == 0)
        #expect(Self.succession().next(in: Self.queue(current: 2)) == nil)
        #expect(Self.succession(.queue).next(in: Self.queue(current: 2)) == 0)
        // Repeating an item does not keep a jump from leaving it.
        #expect(Self.succession(.item).next(in: Self.queue(current: 0)) == 1)
        #expect(Self.succession().previous(in: Self.queue()) == 2)
        #expect(Self.succession().previous(in: Self.queue(current: 0)) == 0)
        #expect(Self.succession(.queue).previous(in: Self.queue(current: 0)) == 2)
    }
}
