import AudioTypes
import Testing

@testable import Playback

/// A timeline goes on at another rate when the output's format changes.
struct TimelineFormatTests {
    @Test func whatFollowsKeepsItsTime() throws {
        var queue = PlayerQueue()
        let ids = queue.append([MediaEntry("a"), MediaEntry("b")])
        var old = Timeline(sampleRate: 100)
        old.append(.init(start: .zero, item: ids[0], time: .zero, rate: 1, origin: .jump))
        old.append(.init(start: FramePosition(500), item: ids[1], time: .zero, rate: 1, origin: .end))
        var new = Timeline(sampleRate: 200)
        new.adopt(old, from: FramePosition(300), to: FramePosition(1_000))
        #expect(new.time(at: 1_000)?.seconds == 3)
        #expect(new.time(at: 1_200)?.seconds == 4)
        #expect(new.segments.map(\.item) == ids)
        #expect(new.segments.map(\.start.index) == [1_000, 1_400])
        #expect(new.time(at: 1_500)?.seconds == 0.5)
    }

    /// A player that waits for frames is to learn that they continue.
    @Test func aDryEndIsKept() {
        var queue = PlayerQueue()
        let ids = queue.append([MediaEntry("a")])
        var old = Timeline(sampleRate: 100)
        old.append(.init(start: .zero, item: ids[0], time: .zero, rate: 1, origin: .jump))
        old.dryEnd = Timeline.DryEnd(start: FramePosition(400), reason: .starving)
        old.dryEnd?.isNoticed = true
        var new = Timeline(sampleRate: 200)
        new.adopt(old, from: FramePosition(300), to: FramePosition(1_000))
        #expect(new.dryEnd?.start == FramePosition(1_200))
        #expect(new.dryEnd?.isNoticed == true)
    }
}
