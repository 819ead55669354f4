import AudioTypes
import HTTP
import Segments
import TestSupport
import TestThreads
import Testing
import Threads

@testable import DASH

/// Manifests, clocks and indexes from a real server.
@Suite(.blocking, .timeLimit(.minutes(5)), .enabled(if: WebServer.missing.isEmpty, "needs nginx")) struct SourceTests {
    private static func client() -> HTTPClient { HTTPClient(HTTPOptions(), interrupt: Interrupt()) { _ in } }

    private static func source(_ url: String) throws -> DASHPlaylists {
        let client = client()
        return DASHPlaylists(PresentationRequest(try client.fetch(url, atMost: 1 << 20), url: url, client: client))
    }

    /// A manifest whose segments have these times, of ten seconds each.
    private static func live(_ times: [Int], _ more: String = "") -> String {
        let entries = times.map { "<S t=\"\($0)\" d=\"10\"/>" }.joined()
        let timeline = "<SegmentTimeline>\(entries)</SegmentTimeline>"
        return """
            <MPD type="dynamic" availabilityStartTime="2020-01-01T00:00:00Z" minimumUpdatePeriod="PT0S">\(more)
            <Period id="p" start="PT0S">\(sound("<SegmentTemplate media=\"$Time$\">\(timeline)</SegmentTemplate>"))</Period>
            </MPD>
            """
    }

    /// Asks for a step's playlist until it has so many segments.
    private static func playlist(_ source: DASHPlaylists, _ ladder: VariantLadder, count: Int) throws -> LoadedPlaylist
    {
        let end = ContinuousClock.now + .patience
        while true {
            let loaded = try source.playlist(of: ladder.steps[0])
            if loaded.playlist.segments.count == count || ContinuousClock.now > end { return loaded }
        }
    }

    @Test func newerManifestsAreAtTheirNewPlace() async throws {
        let web = try await WebServer.start()
        try web.publish(text: Self.live([0, 10], "<Location>/there/b.mpd</Location>"), as: "a.mpd")
        try web.publish(text: Self.live([0, 10, 20]), as: "there/b.mpd")
        let source = try Self.source(web.url("a.mpd"))
        let ladder = try source.open()
        let first = try source.playlist(of: ladder.steps[0])
        #expect(first.playlist.segments.map(\.uri) == ["0", "10"])
        #expect(first.url == web.url("a.mpd"))
        let second = try Self.playlist(source, ladder, count: 3)
        #expect(second.playlist.segments.map(\.uri) == ["0", "10", "20"])
        #expect(second.playlist.mediaSequence == first.playlist.mediaSequence)
        #expect(second.url == web.url("there/b.mpd"))
    }

    @Test func aNewPlaceMustNotBeAFile() async throws {
        let web = try await WebServer.start()
        try web.publish(text: Self.live([0], "<Location>file:///etc/passwd</Location>"), as: "a.mpd")
        let source = try Self.source(web.url("a.mpd"))
        #expect(throws: SegmentError.forbidden(scheme: "file", what: "the manifest's new place")) { try source.open() }
    }

    /// What is known is enough where the clock says what is there; where it is listed, it is not.
    @Test(arguments: [true, false]) func aManifestThatIsAway(isListed: Bool) async throws {
        let web = try await WebServer.start()
        var text = Self.live([0, 10])
        if !isListed {
            text = text.replacing("media=", with: "duration=\"1\" timescale=\"1000\" media=")
                .replacing(/<SegmentTimeline>.*<\/SegmentTimeline>/, with: "")
        }
        try web.publish(text: text, as: "a.mpd")
        let source = try Self.source(web.url("a.mpd"))
        let ladder = try source.open()
        _ = try source.playlist(of: ladder.steps[0])
        try web.fail("a.mpd", with: .missing)
        let end = ContinuousClock.now + .patience
        var trouble: SegmentError?
        while trouble == nil, ContinuousClock.now < end {
            switch Result(catching: { () throws(SegmentError) in try source.playlist(of: ladder.steps[0]) }) {
            case .success(let loaded):
                trouble = loaded.trouble
                if trouble != nil { #expect(!isListed) }
            case .failure(let error):
                trouble = error
                #expect(isListed)
            }
        }
        #expect(trouble?.httpError?.status == 404)
    }

    // MARK: The time of day

    @Test(arguments: [
        ("urn:mpeg:dash:utc:direct:2014", "2030-01-01T00:00:00Z"), ("urn:mpeg:dash:utc:http-xsdate:2014", "/time"),
        ("urn:mpeg:dash:utc:http-iso:2014", "nowhere http://127.0.0.1:9/"), ("urn:example:own", "2040-01-01T00:00:00Z"),
        ("urn:mpeg:dash:utc:http-iso:2014", "file:///etc/passwd"),
    ])
    func clocks(scheme: String, value: String) async throws {
        let web = try await WebServer.start(.answer("time", 200, "2030-01-01T00:00:00.000Z"))
        let first = ManifestClock(scheme: scheme, value: value)
        let second = ManifestClock(scheme: "urn:mpeg:dash:utc:http-iso:2012", value: web.url("time"))
        var clock = ServerClock()
        try clock.set(by: [first, second], in: web.url("a.mpd"), client: Self.client())
        #expect(abs(clock.now - 1_893_456_000) < 5)
    }

    @Test func aServersDateIsAClock() async throws {
        let web = try await WebServer.start(.answer("time", 200, "x"))
        var clock = ServerClock()
        let head = ManifestClock(scheme: "urn:mpeg:dash:utc:http-head:2014", value: web.url("time"))
        try clock.set(by: [head], in: web.url("a.mpd"), client: Self.client())
        #expect(abs(clock.lead) < 2)
    }

    /// No answer comes from the future; but one may have been kept for a while.
    @Test(arguments: [(3600.0, 3600.0), (1, 0), (-3600, 0)])
    func aMachineThatIsBehindGoesByTheServer(lead: Double, expected: Double) {
        var clock = ServerClock()
        var head = HTTPHead()
        head.date = clock.now + lead
        clock.record(head)
        #expect(abs(clock.lead - expected) < 0.1)
    }

    // MARK: Indexes

    @Test(.enabled(if: MediaFixtures.missing.isEmpty, "needs ffmpeg"))
    func anIndexIsFetchedOnce() async throws {
        let web = try await WebServer.start()
        try web.publish(folder: await NetworkMaterial.dash(.cues, seconds: 9), as: "a")
        let source = try Self.source(web.url("a/index.mpd"))
        let ladder = try source.open()
        let playlist = try source.playlist(of: ladder.steps[0]).playlist
        #expect(playlist.segments.count == 5)
        #expect(abs(playlist.duration - 9) < 0.05)
        #expect(
            zip(playlist.segments, playlist.segments.dropFirst()).allSatisfy {
                $0.byteRange?.end == $1.byteRange?.offset
            }
        )
        let again = try source.playlist(of: ladder.steps[0]).playlist
        #expect(again == playlist)
        let ranges = try await web.waitForRequests { $0.count >= 3 }.map(\.range)
        #expect(ranges.count == 3)
    }
}
