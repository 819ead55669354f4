import Segments
import TestThreads
import Testing

@testable import DASH

@Suite(.blocking) struct ManifestTests {
    @Test(arguments: [
        ("PT0S", 0.0), ("PT1H2M3.5S", 3723.5), ("P1DT1S", 86_401), ("P1Y2M3D", 36_979_200.0),
        ("PT634.566S", 634.566), (" PT8S\n", 8), ("P2W", 1_209_600),
    ])
    func durations(text: String, expected: Double) { #expect(seconds(ofDuration: text) == expected) }

    @Test(arguments: [
        "", "P", "8", "PT", "-PT8S", "PT8", "PT8S3", "PTS", "P1H", "PT1D", "PT1e300S", "PT99999999999999S",
    ])
    func whatIsNoDuration(text: String) {
        let value = seconds(ofDuration: text)
        #expect(value == nil || value == 0 && ["P", "PT"].contains(text))
    }

    @Test func attributesOfTheWhole() throws {
        let manifest = try manifest(
            """
            <MPD type="dynamic" availabilityStartTime="2024-01-01T00:00:00Z" minimumUpdatePeriod="PT2S"
              timeShiftBufferDepth="PT30S" suggestedPresentationDelay="PT6S" maxSegmentDuration="PT2.1S">
            <Location>../other/b.mpd?x=1&amp;y=2</Location>
            <UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-iso:2014" value="https://time.example/iso"/>
            <Period start="PT0S"/></MPD>
            """
        )
        #expect(manifest.isDynamic)
        #expect(manifest.availabilityStart == 1_704_067_200)
        #expect(manifest.updatePeriod == 2)
        #expect(manifest.depth == 30)
        #expect(manifest.delay == 6)
        #expect(manifest.longestSegment == 2.1)
        #expect(manifest.location == "http://host/other/b.mpd?x=1&y=2")
        #expect(
            manifest.clocks == [
                ManifestClock(scheme: "urn:mpeg:dash:utc:http-iso:2014", value: "https://time.example/iso")
            ]
        )
    }

    @Test func prefixesOfNamespacesAreNoPartOfNames() throws {
        let text = vod(sound("<SegmentTemplate media=\"$Number$.m4s\" duration=\"2\"/>"))
            .replacing("<MPD", with: "<d:MPD").replacing("</MPD", with: "</d:MPD")
            .replacing("<Period", with: "<d:Period").replacing("</Period", with: "</d:Period")
        #expect(try manifest(text).periods.map(\.id) == ["p"])
    }

    // MARK: Periods

    @Test(arguments: [
        ("<Period/>", [0.0], [60.0]),
        ("<Period duration=\"PT20S\"/><Period/>", [0, 20], [20, 40]),
        ("<Period start=\"PT0S\"/><Period start=\"PT25S\"/>", [0, 25], [25, 35]),
        ("<Period start=\"PT5S\" duration=\"PT30S\"/><Period start=\"PT20S\" duration=\"PT1S\"/>", [5, 20], [15, 1]),
    ])
    func periodsFollowEachOther(periods: String, starts: [Double], lengths: [Double]) throws {
        let manifest = try manifest("<MPD mediaPresentationDuration=\"PT60S\">\(periods)</MPD>")
        #expect(manifest.periods.map(\.start) == starts)
        #expect(manifest.periods.map(\.duration) == lengths)
        #expect(manifest.periods.map(\.isFollowed) == starts.dropFirst().map { _ in true } + [false])
    }

    /// Without a beginning, behind one without an end: a period that is only announced (section 5.3.2.1).
    @Test func aPeriodThatIsOnlyAnnouncedIsNotThere() throws {
        #expect(
            try manifest("<MPD><Period id=\"a\" start=\"PT0S\"/><Period id=\"b\"/></MPD>").periods.map(\.id) == ["a"]
        )
    }

    @Test func whatIsResolvedToNothingIsNotThere() throws {
        let link = "xlink:href=\"urn:mpeg:dash:resolve-to-zero:2013\""
        let text = "<MPD><Period id=\"a\" \(link)><AdaptationSet/></Period><Period id=\"b\"/></MPD>"
        #expect(try manifest(text).periods.map(\.id) == ["b"])
    }

    // MARK: Locations

    @Test func baseLocationsOfEveryLevel() throws {
        let text = vod(
            """
            <BaseURL>period/</BaseURL><AdaptationSet mimeType="audio/mp4"><BaseURL> set/
            </BaseURL><BaseURL>https://second.example/</BaseURL>
            <Representation id="a" bandwidth="1"><BaseURL>a/</BaseURL></Representation>
            <Representation id="b" bandwidth="2"/>
            <Representation id="c" bandwidth="3"><BaseURL>https://cdn.example/c.mp4?t=1</BaseURL></Representation>
            </AdaptationSet>
            """
        )
        .replacing("<Period", with: "<BaseURL>/root/</BaseURL><BaseURL>http://never/</BaseURL><Period")
        #expect(
            try manifest(text).periods[0].representations.map(\.base) == [
                "http://host/root/period/set/a/", "http://host/root/period/set/", "https://cdn.example/c.mp4?t=1",
            ]
        )
    }

    @Test(arguments: ["file:///etc/", "concat:a", "data:audio/mp4;base64,AAAA", "ftp://host/", "subfile:x"])
    func locationsThatTheNetworkMustNotName(location: String) {
        let scheme = String(location.prefix { $0 != ":" })
        let text = vod(sound("<BaseURL>\(location)</BaseURL>"))
        if scheme == "file" || scheme == "ftp" {
            #expect(failure(text) == .forbidden(scheme: scheme, what: "a base location"))
        } else {
            // Without slashes it is the name of a file on the server, or nothing that is allowed.
            let base = (try? manifest(text))?.periods[0].representations[0].base
            #expect(base.map { $0.hasPrefix("http://host/") } != false)
        }
    }

    // MARK: What is inherited

    @Test func whatSegmentsHaveIsInherited() throws {
        let text = vod(
            """
            <SegmentTemplate timescale="1000" duration="2000" startNumber="5" initialization="$RepresentationID$/i"/>
            <AdaptationSet mimeType="audio/mp4" lang="en">
            <SegmentTemplate media="$RepresentationID$/$Number$"/>
            <Representation id="a" bandwidth="1"/>
            <Representation id="b" bandwidth="2"><SegmentTemplate timescale="10" duration="40"/></Representation>
            <Representation id="c" bandwidth="3"><SegmentBase indexRange="10-19"/></Representation>
            </AdaptationSet>
            """
        )
        let found = try manifest(text).periods[0].representations.map(\.addressing)
        #expect(found.map(\.kind) == [.template, .template, .file])
        #expect(found.map(\.timescale) == [1000, 10, 1])
        #expect(found.map(\.duration) == [2000, 40, nil])
        #expect(found.map(\.startNumber) == [5, 5, 1])
        #expect(found[1].media == "$RepresentationID$/$Number$")
        #expect(found[1].initialization?.media == "$RepresentationID$/i")
        #expect(found[2].indexRange == ByteRange(offset: 10, length: 10))
    }

    @Test func anInnerTimelineTakesThePlaceOfAnOuterOne() throws {
        let text = vod(
            """
            <AdaptationSet mimeType="audio/mp4">
            <SegmentTemplate media="$Time$"><SegmentTimeline><S t="0" d="5" r="1"/></SegmentTimeline></SegmentTemplate>
            <Representation id="a" bandwidth="1"/>
            <Representation id="b" bandwidth="2">
            <SegmentTemplate><SegmentTimeline><S d="3"/><S d="7" r="-1"/></SegmentTimeline></SegmentTemplate>
            </Representation></AdaptationSet>
            """
        )
        let found = try manifest(text).periods[0].representations.map(\.addressing)
        #expect(found[0].timeline == [TimelineEntry(time: 0, duration: 5, repetitions: 1)])
        #expect(
            found[1].timeline == [
                TimelineEntry(time: nil, duration: 3, repetitions: 0),
                TimelineEntry(time: nil, duration: 7, repetitions: -1),
            ]
        )
        #expect(found[1].media == "$Time$")
    }

    // MARK: What cannot be followed

    @Test(arguments: [
        ("", "it has no MPD"), ("<html><body>404</body></html>", "it has no MPD"),
        ("<MPD><Period>", "it breaks off, or is not XML"), ("<MPD/>", "it has no Period"),
        ("<MPD><Period start=\"PT9S\"/><Period start=\"PT3S\"/></MPD>", "its periods are out of order"),
        (vod(sound("<SegmentTemplate timescale=\"0\"/>")), "its timescale is invalid"),
        (vod(sound("<SegmentTemplate timescale=\"99999999999\"/>")), "its timescale is invalid"),
        (vod(sound("<SegmentTemplate duration=\"2\"/>")), "its segments have no template"),
        (vod(sound("<SegmentTemplate duration=\"2\" media=\"$Number\"/>")), "a template ends within a name"),
        (vod(sound("<SegmentTemplate duration=\"2\" media=\"$Sub$\"/>")), "a template has the unknown name 'Sub'"),
        (
            vod(sound("<SegmentTemplate duration=\"2\" media=\"$Number%99d$\"/>")),
            "a template has the unknown format '%99d'"
        ),
    ])
    func whatCannotBeFollowedIsAnError(text: String, fault: String) { #expect(failure(text) == .badManifest(fault)) }

    @Test func whatIsTooMuchIsAnError() {
        #expect(failure("<MPD>" + String(repeating: "<Period/>", count: 60_000)) == .tooLarge("the manifest"))
        let entries = String(repeating: "<S d=\"1\"/>", count: 210_000)
        let template =
            "<SegmentTemplate media=\"$Time$\"><SegmentTimeline>\(entries)</SegmentTimeline></SegmentTemplate>"
        #expect(failure(vod(sound(template))) == .tooLarge("the manifest"))
        #expect(
            failure("<MPD>" + String(repeating: "<Role>", count: 100)) == .badManifest("it breaks off, or is not XML")
        )
        let endless = "<SegmentTemplate duration=\"1\" media=\"$Number$\"/>"
        #expect(failure(vod(sound(endless), duration: "P300Y")) == .tooLarge("the list of segments"))
        let long = "<SegmentTimeline><S d=\"1152921504606846976\" r=\"9\"/></SegmentTimeline>"
        let fault = "its segments last for longer than can be counted"
        #expect(
            failure(vod(sound("<SegmentTemplate media=\"$Time$\">\(long)</SegmentTemplate>"))) == .badManifest(fault)
        )
    }
}
