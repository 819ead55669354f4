import Segments
import TestThreads
import Testing

@testable import DASH

/// The segments of presentations with an end.
@Suite(.blocking) struct PlaylistTests {
    // MARK: Templates

    @Test(arguments: [
        ("$Number$.m4s", "7.m4s"), ("$Number%05d$.m4s", "00007.m4s"), ("a$$b-$Number%1d$", "a$b-7"),
        ("$RepresentationID$/$Bandwidth$/$Time$", "a/128000/96000"), ("$Bandwidth%08d$-$Number$", "00128000-7"),
        ("$Number%00d$", "7"),
    ])
    func templates(text: String, expected: String) throws {
        let manifest = try manifest(vod(sound("<BaseURL>x</BaseURL>")))
        let template = try URLTemplate(text, of: manifest.periods[0].representations[0])
        #expect(template.location(number: 7, time: 96_000) == expected)
    }

    @Test(arguments: [
        ("PT10S", [2.0, 2, 2, 2, 2]), ("PT9S", [2, 2, 2, 2, 1]), ("PT8.001S", [2, 2, 2, 2]), ("PT1S", [1]),
        ("PT10.5S", [2, 2, 2, 2, 2, 0.5]),
    ])
    func segmentsOfOneLength(duration: String, expected: [Double]) throws {
        let template = "<SegmentTemplate timescale=\"48000\" duration=\"96000\" startNumber=\"3\" media=\"$Number$\"/>"
        let played = try Played(vod(sound(template), duration: duration))
        #expect(played.locations == expected.indices.map { "\($0 + 3)" })
        #expect(
            zip(played.durations, expected).allSatisfy { abs($0 - $1) < 1e-9 }
                && played.durations.count == expected.count
        )
        #expect(played.playlist.kind == .vod)
        #expect(played.playlist.mediaSequence == 0)
        #expect(played.playlist.segments.map(\.mediaTime) == expected.indices.map { Double($0) * 2 })
    }

    @Test func anEndNumberEnds() throws {
        let template = "<SegmentTemplate duration=\"2\" startNumber=\"0\" endNumber=\"2\" media=\"$Number$\"/>"
        #expect(try Played(vod(sound(template))).locations == ["0", "1", "2"])
    }

    @Test(arguments: [
        ("<S t=\"0\" d=\"4\" r=\"1\"/><S d=\"2\"/>", ["0", "4", "8"], [4.0, 4, 2]),
        ("<S t=\"0\" d=\"4\" r=\"-1\"/>", ["0", "4", "8"], [4, 4, 2]),
        ("<S t=\"0\" d=\"2\" r=\"-1\"/><S t=\"6\" d=\"4\"/>", ["0", "2", "4", "6"], [2, 2, 2, 4]),
        ("<S d=\"5\"/><S d=\"0\"/><S d=\"5\"/>", ["0", "5"], [5, 5]),
        // What goes beyond the presentation lasts until its end.
        ("<S t=\"0\" d=\"6\" r=\"1\"/>", ["0", "6"], [6, 4]),
        ("<S t=\"0\" d=\"5\" r=\"-9\"/>", ["0", "5"], [5, 5]),
    ])
    func timelines(entries: String, locations: [String], durations: [Double]) throws {
        let template =
            "<SegmentTemplate media=\"$Time$\"><SegmentTimeline>\(entries)</SegmentTimeline></SegmentTemplate>"
        let played = try Played(vod(sound(template)))
        #expect(played.locations == locations)
        #expect(played.durations == durations)
    }

    @Test func aPresentationTimeOffsetIsTheFirstMoment() throws {
        let template = """
            <SegmentTemplate media="$Time$" timescale="10" presentationTimeOffset="1005" initialization="i-$Bandwidth$">
            <SegmentTimeline><S t="960" d="40" r="3"/></SegmentTimeline></SegmentTemplate>
            """
        let played = try Played(vod(sound(template)))
        // The first segment is over before that; of the second, half a second is.
        #expect(played.locations == ["1000", "1040", "1080"])
        #expect(played.durations == [3.5, 4, 2.5])
        #expect(played.playlist.segments.map(\.mediaTime) == [100.5, 104, 108])
        #expect(played.playlist.segments[0].map == SegmentMap(uri: "i-128000"))
    }

    // MARK: Lists and files

    @Test func lists() throws {
        let list = """
            <SegmentList timescale="10" duration="40"><Initialization sourceURL="init.mp4" range="0-99"/>
            <SegmentURL media="a.m4s"/><SegmentURL media="b.m4s" mediaRange="100-199"/><SegmentURL mediaRange="5-5"/>
            </SegmentList>
            """
        let played = try Played(vod(sound("<BaseURL>all.mp4</BaseURL>" + list)))
        #expect(played.locations == ["a.m4s", "b.m4s", "http://host/dir/all.mp4"])
        #expect(played.durations == [4, 4, 2])
        #expect(
            played.playlist.segments.map(\.byteRange) == [
                nil, ByteRange(offset: 100, length: 100), ByteRange(offset: 5, length: 1),
            ]
        )
        let map = SegmentMap(uri: "init.mp4", byteRange: ByteRange(offset: 0, length: 100))
        #expect(played.playlist.segments.allSatisfy { $0.map == map })
    }

    @Test func aListWithATimeline() throws {
        let list = """
            <SegmentList><SegmentTimeline><S d="3" r="1"/><S d="4"/></SegmentTimeline>
            <SegmentURL media="a"/><SegmentURL media="b"/><SegmentURL media="c"/></SegmentList>
            """
        let played = try Played(vod(sound(list)))
        #expect(played.locations == ["a", "b", "c"])
        #expect(played.durations == [3, 3, 4])
    }

    @Test func aFileWithoutAnIndexIsOneSegment() throws {
        let played = try Played(vod(sound("<BaseURL>all.mp4</BaseURL>")))
        #expect(played.locations == ["http://host/dir/all.mp4"])
        #expect(played.durations == [10])
        #expect(played.playlist.segments[0].map == nil)
    }

    /// An index as MP4 has it: version 0, 1000 ticks per second, and `lengths` bytes of 4 s each.
    private func index(_ lengths: [Int], time: Int = 0) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
        }
        var body = Array("sidx".utf8) + number(0, 4) + number(1, 4) + number(1000, 4) + number(time, 4)
        body += number(20, 4) + number(0, 2) + number(lengths.count, 2)
        for length in lengths { body += number(length, 4) + number(4000, 4) + number(0x9000_0000, 4) }
        return number(body.count + 4, 4) + body
    }

    @Test func aFileWithAnIndex() throws {
        let base = "<SegmentBase indexRange=\"800-899\" timescale=\"1000\" presentationTimeOffset=\"500\"/>"
        let text = vod(sound("<BaseURL>all.mp4</BaseURL>" + base))
        let free = [0, 0, 0, 10] + Array("free".utf8) + [1, 2]
        let bytes = free + index([1000, 2000, 500], time: 500)
        let place = try #require(Timetable.index(of: manifest(text).periods[0].representations[0]))
        let played = try Played(text, indexes: [place: SegmentIndex(bytes, at: 800)])
        let first = 800 + bytes.count + 20
        #expect(
            played.playlist.segments.map(\.byteRange) == [
                ByteRange(offset: first, length: 1000), ByteRange(offset: first + 1000, length: 2000),
                ByteRange(offset: first + 3000, length: 500),
            ]
        )
        #expect(played.durations == [4, 4, 2])
        #expect(played.playlist.segments.map(\.mediaTime) == [0.5, 4.5, 8.5])
        // What comes before the index initialises the demuxer.
        #expect(played.playlist.segments[0].map?.byteRange == ByteRange(offset: 0, length: 800))
    }

    @Test func aDamagedIndexIsAnError() {
        // The last four bytes are not looked at.
        for count in 0..<52 {
            #expect(throws: SegmentError.self) { try SegmentIndex(Array(index([1000, 2000]).prefix(count)), at: 0) }
        }
    }

    // MARK: Periods

    private let template = "<SegmentTemplate duration=\"4\" media=\"$Number$\" initialization=\"i\"/>"

    @Test func everyPeriodHasAClockOfItsOwn() throws {
        let text = """
            <MPD mediaPresentationDuration="PT15S">
            <Period id="one" duration="PT6S"><BaseURL>one/</BaseURL>\(sound(template))</Period>
            <Period id="two"><BaseURL>two/</BaseURL>\(sound(template))</Period></MPD>
            """
        let played = try Played(text)
        let two = "http://host/dir/two/"
        #expect(played.base == "http://host/dir/one/")
        #expect(played.locations == ["1", "2", two + "1", two + "2", two + "3"])
        #expect(played.durations == [4, 2, 4, 4, 1])
        #expect(played.playlist.segments.map(\.map?.uri) == ["i", "i", two + "i", two + "i", two + "i"])
        let clocks = played.playlist.segments.map(\.discontinuity)
        #expect(Set(clocks).count == 2 && clocks[1] != clocks[2] && clocks[0] == clocks[1])
        // Nothing of the first one is heard in the second one's time.
        #expect(played.playlist.segments.map(\.soundLeft) == [6, 2, nil, nil, nil])
    }

    @Test func whatIsListedBehindAPeriodsEndIsNotInIt() throws {
        let entries = "<SegmentTimeline><S d=\"4\" r=\"9\"/></SegmentTimeline>"
        let listed = sound("<SegmentTemplate media=\"$Time$\">\(entries)</SegmentTemplate>")
        let text = """
            <MPD mediaPresentationDuration="PT12S"><Period duration="PT6S">\(listed)</Period>
            <Period>\(sound(template))</Period></MPD>
            """
        #expect(try Played(text).locations == ["0", "4", "1", "2"])
    }

    /// Where time passes between segments, what follows keeps its place.
    @Test func aHoleIsAGap() throws {
        let entries = "<SegmentTimeline><S t=\"0\" d=\"3\"/><S t=\"5\" d=\"2\"/></SegmentTimeline>"
        let listed = sound("<SegmentTemplate media=\"$Time$\">\(entries)</SegmentTemplate>")
        let text = """
            <MPD mediaPresentationDuration="PT12S"><Period duration="PT8S">\(listed)</Period>
            <Period>\(sound(template))</Period></MPD>
            """
        let played = try Played(text)
        #expect(played.locations == ["0", "", "5", "", "1"])
        #expect(played.durations == [3, 2, 2, 1, 4])
        #expect(played.playlist.segments.map(\.isGap) == [false, true, false, true, false])
    }

    @Test func aPeriodWithoutSoundIsAGap() throws {
        let text = """
            <MPD mediaPresentationDuration="PT12S"><Period duration="PT4S">\(sound(template))</Period>
            <Period duration="PT4S"><AdaptationSet mimeType="video/mp4" codecs="avc1.4d401e">
            <Representation id="v" bandwidth="1"/></AdaptationSet></Period><Period>\(sound(template))</Period></MPD>
            """
        let played = try Played(text)
        #expect(played.playlist.segments.map(\.isGap) == [false, true, false])
        #expect(played.durations == [4, 4, 4])
    }
}
