import Segments
import TestThreads
import Testing

@testable import DASH

/// The segments of live presentations, as time goes on and manifests follow each other.
@Suite(.blocking) struct LiveTests {
    private static func live(_ periods: String, _ attributes: String = "") -> String {
        """
        <MPD type="dynamic" availabilityStartTime="1970-01-12T13:46:40Z" timeShiftBufferDepth="PT20S" \(attributes)>
        \(periods)</MPD>
        """
    }

    private static func timeline(_ entries: String, period: String = "id=\"p\" start=\"PT0S\"") -> String {
        let template =
            "<SegmentTemplate media=\"$Time$\"><SegmentTimeline>\(entries)</SegmentTimeline></SegmentTemplate>"
        return "<Period \(period)>\(sound(template))</Period>"
    }

    private static let numbered = """
        <Period id="p" start="PT10S">\(sound(
            "<SegmentTemplate timescale=\"1000\" duration=\"2000\" startNumber=\"7\" media=\"$Number$\"/>"
        ))</Period>
        """

    /// The period begins at 10 s; a segment is there when it is over, and stays for 20 s.
    private static let moments: [(Double, [Int])] = [
        (5, []), (11.9, []), (12, [7]), (17.99, [7, 8, 9]), (30, Array(7...16)), (33, Array(8...17)),
        (34, Array(9...18)), (1010, Array(497...506)),
    ]

    @Test(arguments: moments)
    func theClockSaysWhatIsThere(now: Double, numbers: [Int]) throws {
        let played = try Played(Self.live(Self.numbered, "suggestedPresentationDelay=\"PT9S\""), now: now)
        #expect(played.locations == numbers.map(String.init))
        #expect(played.playlist.kind == .live)
        #expect(played.playlist.holdBack == 9)
        #expect(played.playlist.refreshInterval == nil)
        #expect(played.playlist.segments.first.flatMap(\.date) == numbers.first.map { 1_000_010 + Double($0 - 7) * 2 })
    }

    @Test func segmentsKeepTheirNumbers() throws {
        var numbers = SequenceNumbers()
        var first = 0
        for now in stride(from: 20.0, to: 200, by: 3) {
            let played = try Played(Self.live(Self.numbered), now: now, numbers: &numbers)
            let location = try #require(played.locations.first.flatMap { Int($0) })
            if now == 20 { first = location - played.playlist.mediaSequence }
            #expect(location - played.playlist.mediaSequence == first)
        }
    }

    /// Most servers' timelines have no numbers, or begin with 1 again and again.
    @Test func timesAreWhatIdentifiesSegments() throws {
        var numbers = SequenceNumbers()
        func sequence(_ entries: String) throws -> (first: Int, end: Int) {
            let playlist = try Played(Self.live(Self.timeline(entries)), now: 100, numbers: &numbers).playlist
            return (playlist.mediaSequence, playlist.endSequence)
        }
        #expect(try sequence("<S t=\"40\" d=\"4\" r=\"3\"/>") == (0, 4))
        #expect(try sequence("<S t=\"40\" d=\"4\" r=\"4\"/>") == (0, 5))
        #expect(try sequence("<S t=\"48\" d=\"4\" r=\"3\"/>") == (2, 6))
        // An old copy.
        #expect(try sequence("<S t=\"44\" d=\"4\" r=\"3\"/>") == (1, 5))
        // Where the last one ended.
        #expect(try sequence("<S t=\"60\" d=\"4\" r=\"1\"/>") == (5, 7))
        // Two are missing.
        #expect(try sequence("<S t=\"76\" d=\"4\"/>") == (9, 10))
        // What left comes back.
        #expect(try sequence("<S t=\"68\" d=\"4\" r=\"2\"/>") == (7, 10))
        #expect(try sequence("") == (10, 10))
    }

    /// Lists without times move on by their first number.
    @Test(arguments: [true, false]) func numbersAreWhatIdentifiesSegmentsWithoutTimes(hasTimeline: Bool) throws {
        var numbers = SequenceNumbers()
        for first in [5, 6, 8] {
            let names = (first..<first + 3).map { "<SegmentURL media=\"\($0)\"/>" }.joined()
            let timeline = "<SegmentTimeline><S d=\"10\" r=\"2\"/></SegmentTimeline>"
            let list = "<SegmentList \(hasTimeline ? "" : "duration=\"10\"") startNumber=\"\(first)\">"
            let period = sound(list + (hasTimeline ? timeline : "") + names + "</SegmentList>")
            let text = Self.live("<Period id=\"p\" start=\"PT0S\">\(period)</Period>")
            let played = try Played(text, now: 1e9, numbers: &numbers)
            #expect(played.locations == (first..<first + 3).map(String.init))
            #expect(played.playlist.mediaSequence == first - 5)
        }
    }

    @Test func aRepetitionWithoutAnEndGoesOnUntilNow() throws {
        let text = Self.live(Self.timeline("<S t=\"0\" d=\"4\" r=\"-1\"/>"))
        #expect(try Played(text, now: 15.9).locations == ["0", "4", "8"])
        #expect(try Played(text, now: 16).locations == ["0", "4", "8", "12"])
    }

    @Test func onlyTheNewestOfVeryManyAreKept() throws {
        let text = Self.live(Self.timeline("<S t=\"0\" d=\"1\" r=\"99999999\"/>"))
        let played = try Played(text, now: 1e8)
        #expect(played.locations.count == ManifestLimits.liveSegments)
        #expect(played.locations.last == "99999999")
        let endless = Self.numbered.replacing("PT10S", with: "PT0S")
        let window = Self.live(endless).replacing("PT20S", with: "P300Y")
        #expect(try Played(window, now: 1e9).locations.count == ManifestLimits.liveSegments)
    }

    /// Its end is known and reached, and no other manifest follows.
    @Test(arguments: [(19.0, MediaPlaylist.Kind.live), (20, .vod), (100, .vod)])
    func theEnd(now: Double, kind: MediaPlaylist.Kind) throws {
        let period = "<Period start=\"PT0S\">\(sound("<SegmentTemplate duration=\"2\" media=\"$Number$\"/>"))</Period>"
        let text = Self.live(period, "mediaPresentationDuration=\"PT20S\"").replacing(
            "PT20S\" media",
            with: "PT90S\" media"
        )
        #expect(try Played(text, now: now).playlist.kind == kind)
        let more = text.replacing("type=", with: "minimumUpdatePeriod=\"PT2S\" type=")
        #expect(try Played(more, now: now).playlist.kind == .live)
    }

    /// What lists its segments is looked at when it may have more, and listened to so far from its end.
    @Test func aSlowManifestIsNotAskedForTooSoon() throws {
        let text = Self.live(Self.timeline("<S t=\"0\" d=\"2\" r=\"9\"/>"), "minimumUpdatePeriod=\"PT10S\"")
        let playlist = try Played(text, now: 20).playlist
        #expect(playlist.refreshInterval == 10)
        #expect(playlist.holdBack == 14)
    }

    @Test(arguments: [
        (numbered, nil), (timeline("<S t=\"0\" d=\"2\"/>"), 2.0),
        (timeline("<S t=\"0\" d=\"2\"/>", period: "start=\"PT0S\" duration=\"PT2S\""), nil),
    ])
    func whatCannotGoOnOtherwiseIsAskedForAnew(period: String, expected: Double?) throws {
        #expect(try manifest(Self.live(period)).refreshPeriod == expected)
        #expect(try manifest(Self.live(period, "minimumUpdatePeriod=\"PT7S\"")).refreshPeriod == 7)
        #expect(try manifest(Self.live(period).replacing("dynamic", with: "static")).refreshPeriod == nil)
    }

    @Test func periodsKeepTheirClocks() throws {
        var numbers = SequenceNumbers()
        let one = Self.timeline("<S t=\"0\" d=\"4\" r=\"1\"/>", period: "id=\"one\" start=\"PT0S\"")
        let two = Self.timeline("<S t=\"0\" d=\"4\" r=\"1\"/>", period: "id=\"two\" start=\"PT8S\"")
        let first = try Played(Self.live(one), now: 8, numbers: &numbers).playlist
        let both = try Played(Self.live(one + two), now: 16, numbers: &numbers).playlist
        let last = try Played(Self.live(two), now: 16, numbers: &numbers).playlist
        #expect(both.segments.prefix(2).map(\.discontinuity) == first.segments.map(\.discontinuity))
        #expect(both.segments.suffix(2).map(\.discontinuity) == last.segments.map(\.discontinuity))
        #expect(both.segments[1].discontinuity != both.segments[2].discontinuity)
        #expect([first, both, last].map(\.mediaSequence) == [0, 0, 2])
        #expect(last.segments.first?.date == 1_000_008)
    }
}
