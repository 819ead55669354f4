import AudioTypes
import Playback
import Testing

/// Tags along the timeline, and where frames end for now.
struct StreamTimelineTests {
    private static let item = PlayerItem.ID(number: 1)

    private static func timeline(marks: [Int] = [], dry: Int? = nil) -> Timeline {
        var timeline = Timeline(sampleRate: 10)
        timeline.append(.init(start: FramePosition(100), item: item, time: .zero, rate: 1, origin: .jump))
        for start in marks {
            var tags = Tags()
            tags.set("title", to: "\(start)")
            timeline.append(Timeline.Mark(start: FramePosition(start), item: item, tags: tags))
        }
        timeline.dryEnd = dry.map { Timeline.DryEnd(start: FramePosition($0), reason: .starving) }
        return timeline
    }

    @Test func marksAreTakenWhenHeard() {
        var timeline = Self.timeline(marks: [100, 200, 300])
        #expect(timeline.nextNotice == 100)
        #expect(timeline.takeMarks(through: 99).isEmpty)
        #expect(timeline.takeMarks(through: 250).compactMap(\.tags.title) == ["100", "200"])
        #expect(timeline.nextNotice == 300)
        #expect(timeline.takeMarks(through: 300).compactMap(\.tags.title) == ["300"])
        #expect(timeline.nextNotice == nil)
    }

    @Test func marksGoWithTheFrames() {
        var timeline = Self.timeline(marks: [100, 200, 300])
        timeline.truncate(to: FramePosition(200))
        #expect(timeline.marks.map(\.start.index) == [100])
        timeline.removeAll()
        #expect(timeline.marks.isEmpty)
    }

    /// A change of speed does not take the tags of what follows away.
    @Test func marksStayWhereASegmentBegins() {
        var timeline = Self.timeline(marks: [200])
        timeline.append(
            .init(start: FramePosition(200), item: Self.item, time: .zero, rate: 2, origin: .adjustment)
        )
        #expect(timeline.marks.count == 1)
    }

    @Test func theEndIsNoticedOnce() {
        var timeline = Self.timeline(dry: 200)
        #expect(timeline.noticeDryEnd(at: 199) == nil)
        #expect(timeline.nextNotice == 200)
        #expect(timeline.noticeDryEnd(at: 200) == .starving)
        #expect(timeline.noticeDryEnd(at: 200) == nil)
        #expect(timeline.nextNotice == nil)
        #expect(timeline.dryEnd?.isNoticed == true)
    }

    /// An output that has too little to play stands before the end.
    @Test func anOutputThatStandsIsNoticed() {
        var timeline = Self.timeline(dry: 200)
        timeline.dryEnd?.stands = true
        #expect(timeline.noticeDryEnd(at: 150) == .starving)
    }

    @Test func theEarliestIsNoticedFirst() {
        #expect(Self.timeline(marks: [150], dry: 200).nextNotice == 150)
        #expect(Self.timeline(marks: [250], dry: 200).nextNotice == 200)
    }
}
