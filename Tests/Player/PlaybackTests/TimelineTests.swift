import AudioTypes
import Playback
import TestSupport
import Testing

/// Which part of which item a frame belongs to.
struct TimelineTests {
    private static let first = PlayerItem.ID(number: 1)
    private static let second = PlayerItem.ID(number: 2)

    private static func segment(
        _ start: Int,
        _ item: PlayerItem.ID?,
        at time: Double = 0,
        rate: Double = 1,
        _ origin: Timeline.Origin = .end
    ) -> Timeline.Segment {
        .init(start: FramePosition(start), item: item, time: MediaTime(seconds: time), rate: rate, origin: origin)
    }

    /// Item 1 from second 5 at frame 100, item 2 at double speed from frame 600, looped at 900, and an end at 1,000; ten
    /// frames are a second.
    private static let timeline: Timeline = {
        var timeline = Timeline(sampleRate: 10)
        timeline.append(segment(100, first, at: 5, .jump))
        timeline.append(segment(600, second, rate: 2))
        timeline.append(segment(900, second, rate: 2, .loop))
        timeline.append(segment(1000, nil, at: 20, rate: 0))
        return timeline
    }()

    @Test(arguments: [
        (0, 5), (100, 5), (110, 6), (599, 54.9), (600, 0), (605.5, 1.1), (899, 59.8), (900, 0), (910, 2), (1000, 20),
        (2000, 20),
    ])
    func tellsTheTime(_ frame: Double, _ seconds: Double) {
        #expect(abs((Self.timeline.time(at: frame)?.seconds ?? -1) - seconds) < 1e-9)
    }

    /// What was heard of an item, as far as its end; nothing of one that is long over.
    @Test(
        arguments: [(110, 1, 6.0), (700, 1, 55), (700, 2, 20), (950, 1, nil), (1500, 2, 20)] as [(Double, Int, Double?)]
    )
    func tellsTheTimeOfAnItem(_ frame: Double, _ item: Int, _ seconds: Double?) {
        #expect(Self.timeline.time(of: PlayerItem.ID(number: item), at: frame)?.seconds == seconds)
    }

    @Test func knowsNoTimeWhenEmpty() {
        #expect(Timeline(sampleRate: 10).time(at: 5) == nil)
        #expect(Timeline(sampleRate: 10).nextEnd(after: 0) == nil)
    }

    @Test func findsFrames() {
        #expect(Self.timeline.frame(of: 7, from: 100) == 120)
        #expect(Self.timeline.frame(of: 10, from: 700) == 650)
        #expect(Self.timeline.frame(of: 10, from: 950) == 950)
        // At an end no time passes.
        #expect(Self.timeline.frame(of: 10, from: 1000) == nil)
    }

    @Test func findsEnds() {
        // A jump is none, and one at the same frame does not hide an end.
        #expect(Self.timeline.nextEnd(after: 0)?.start.index == 600)
        #expect(Self.timeline.nextEnd(after: 600)?.start.index == 900)
        #expect(Self.timeline.nextEnd(after: 1000) == nil)
        #expect(Self.timeline.ends(after: 100, through: 900).map(\.start.index) == [600, 900])
        #expect(Self.timeline.ends(after: 0, through: 100).isEmpty)
    }

    /// Where one hears later than another, the end of the last item comes when all have heard it; joints come as they do.
    @Test(arguments: [
        (899, 30, 899), (905, 30, 905), (999, 30, 999), (1000, 30, 999), (1029, 30, 999), (1030, 30, 1030),
        (1000, 0, 1000),
    ])
    func holdsTheLastEndBack(_ frame: Double, _ spread: Double, _ heard: Double) {
        #expect(Self.timeline.heardByAll(frame, spread: spread) == heard)
        let notices = Self.timeline.segments.map { $0.noticeFrame(spread: 30) }
        #expect(notices == [100, 600, 900, 1030])
    }

    @Test func forgets() {
        var timeline = Self.timeline
        timeline.drop(before: FramePosition(650))
        #expect(timeline.segments.map(\.start.index) == [600, 900, 1000])
        timeline.truncate(to: FramePosition(900))
        #expect(timeline.segments.map(\.start.index) == [600])
        timeline.append(Self.segment(600, Self.first))
        #expect(timeline.segments == [Self.segment(600, Self.first)])
        timeline.removeAll()
        #expect(timeline.segments.isEmpty)
    }

    /// Whatever is appended and forgotten, segments stay in order, and the time at a frame that is still known does not
    /// change by forgetting what lies before it or behind it.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func staysInOrder(_ seed: UInt64) {
        var generator = SplitMix(state: seed)
        var timeline = Timeline(sampleRate: 100)
        var end = 0
        for number in 1...300 {
            let before = timeline
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                let position = Int.random(in: 0...max(end, 1), using: &generator)
                timeline.drop(before: FramePosition(position))
                #expect(timeline.time(at: Double(position)) == before.time(at: Double(position)))
                #expect(timeline.time(at: Double(end)) == before.time(at: Double(end)))
            case 1 where !timeline.segments.isEmpty:
                let position = Int.random(in: 0...max(end, 1), using: &generator)
                timeline.truncate(to: FramePosition(position))
                #expect(timeline.segments == before.segments.filter { $0.start.index < position })
            default:
                end += Int.random(in: 0...50, using: &generator)
                let rate = Double.random(in: 0.25...4, using: &generator)
                timeline.append(Self.segment(end, .init(number: number), rate: rate))
                #expect(timeline.segment(at: Double(end))?.item?.number == number)
            }
            let starts = timeline.segments.map(\.start)
            #expect(zip(starts, starts.dropFirst()).allSatisfy { $0 < $1 })
        }
    }
}
