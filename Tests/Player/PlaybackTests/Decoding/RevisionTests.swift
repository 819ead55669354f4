import AudioTypes
import Testing

@testable import Playback

/// What a change of the queue means for frames that are decoded already.
struct RevisionTests {
    private static func item(_ number: Int) -> PlayerItem {
        PlayerItem(id: .init(number: number), entry: MediaEntry(location: "/\(number).flac"))
    }

    /// An item's end at frame `1000 * ended`, after which another one plays.
    private static func end(_ ended: Int?, _ next: Int?, _ origin: Timeline.Origin = .end) -> Timeline.Ending {
        let start = FramePosition(1_000 * (ended ?? 0))
        let item = next.map { PlayerItem.ID(number: $0) }
        let segment = Timeline.Segment(start: start, item: item, time: .zero, rate: 1, origin: origin)
        return Timeline.Ending(segment: segment, ended: ended.map { .init(number: $0) })
    }

    private static func outcome(
        _ chain: [Pipeline.Following],
        _ ends: [Timeline.Ending],
        ending: Int = 1
    ) -> Pipeline.Revision.Outcome {
        Pipeline.Revision(item: item(1), noticed: .zero, chain: chain).outcome(ends, ending: .init(number: ending))
    }

    /// Item 1 is heard, 2 and 3 are decoded.
    private static let ends = [end(1, 2), end(2, 3)]

    @Test func whatIsRightStays() {
        let chain: [Pipeline.Following] = [.item(Self.item(2)), .item(Self.item(3)), .item(Self.item(4))]
        #expect(Self.outcome(chain, Self.ends) == .holds(last: Self.item(3), .item(Self.item(4))))
        #expect(Self.outcome(Array(chain.prefix(2)), Self.ends) == .holds(last: Self.item(3), nil))
        #expect(Self.outcome([.loop], [Self.end(1, 1, .loop)]) == .holds(last: Self.item(1), nil))
        #expect(Self.outcome([.silence], [Self.end(1, 1, .silence)]) == .holds(last: Self.item(1), nil))
        #expect(Self.outcome([.nothing], [Self.end(1, nil)]) == .holds(last: Self.item(1), nil))
    }

    @Test func theFirstWrongItemIsReplaced() {
        let other = Pipeline.Following.item(Self.item(9))
        #expect(
            Self.outcome([.item(Self.item(2)), other], Self.ends)
                == .replaces(Self.ends[1].segment, after: Self.item(2), other)
        )
        #expect(Self.outcome([other], Self.ends) == .replaces(Self.ends[0].segment, after: Self.item(1), other))
        #expect(Self.outcome([], Self.ends) == .replaces(Self.ends[0].segment, after: Self.item(1), .undecided))
        // The same item is repeated, or another one of its kind begins.
        #expect(
            Self.outcome([.loop], [Self.end(1, 1)]) == .replaces(Self.end(1, 1).segment, after: Self.item(1), .loop)
        )
    }

    @Test func anotherItemIsHeardByNow() {
        #expect(Self.outcome([.nothing], [Self.end(2, 3)]) == .isLate)
        #expect(Self.outcome([.nothing], [], ending: 2) == .isLate)
        // The segment of the heard item may be gone.
        #expect(Self.outcome([.item(Self.item(2))], [Self.end(nil, 2)]) == .holds(last: Self.item(2), nil))
    }
}
