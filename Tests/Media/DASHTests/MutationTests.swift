import Segments
import TestSupport
import TestThreads
import Testing

@testable import DASH

/// What a network brings may be anything: reading it ends, with a value or an error.
@Suite(.blocking) struct MutationTests {
    private static let seeds = [
        vod(
            """
            <SegmentTemplate timescale="48000" duration="96000" startNumber="1152921504606846976" media="$Number%05d$"/>
            \(sound("", set: "<Role value=\"main\"/>", attributes: "lang=\"en\""))
            \(sound("<BaseURL>../a.mp4</BaseURL><SegmentBase indexRange=\"9-99\" presentationTimeOffset=\"7\"/>"))
            """
        ),
        """
        <MPD type="dynamic" availabilityStartTime="2024-01-01T00:00:00Z" minimumUpdatePeriod="PT2S">
        <Period start="PT1H"><AdaptationSet mimeType="audio/webm"><Representation id="a" bandwidth="64000">
        <SegmentTemplate media="$Time$" timescale="1000000000" presentationTimeOffset="1152921504606846976">
        <SegmentTimeline><S t="1152921504606846975" d="1152921504606846976" r="9223372036854775807"/>
        <S d="1" r="-1"/><S t="5" d="4294967296" r="4294967296"/></SegmentTimeline></SegmentTemplate>
        </Representation></AdaptationSet></Period><Period id="b" start="PT2H"/></MPD>
        """,
    ]
    private static let pieces = [
        "<", ">", "/>", "\"", "=", "$", "%", "-1", "0", "99999999999999999999", "9223372036854775807",
        "1152921504606846976",
        "<S d=\"1\"/>", "<Period>", "r=\"-1\"", "PT", "\u{0}", "&#0;", "<!--", "]]>", "type=\"dynamic\"",
        "duration=\"1\"",
    ]
    .map { Array($0.utf8) }

    @Test(arguments: seeds.indices) func nothingTraps(index: Int) {
        var random = SplitMix(state: UInt64(index) + 1)
        for _ in 0..<1_500 {
            var bytes = Array(Self.seeds[index].utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) { random.mutate(&bytes, with: Self.pieces) }
            exercise(bytes, &random)
        }
    }

    /// Numbers each of which can be counted, but not all that is made of them.
    @Test(
        arguments: [
            (
                "<SegmentTemplate media=\"$Time$\" duration=\"576460752303423488\" endNumber=\"15\""
                    + " timescale=\"1000000000\" presentationTimeOffset=\"1152921504606846976\"/>", nil
            ),
            (
                "<SegmentList duration=\"1152921504606846976\">"
                    + String(repeating: "<SegmentURL media=\"a\"/>", count: 12) + "</SegmentList>", 1e9
            ),
            (
                "<SegmentTemplate media=\"$Time$\"><SegmentTimeline><S d=\"1\" r=\"9223372036854775807\"/>"
                    + "<S d=\"1\" r=\"-1\"/><S t=\"5\" d=\"1\"/></SegmentTimeline></SegmentTemplate>", nil
            ),
        ] as [(String, Double?)]
    )
    func numbersThatAreTooLarge(addressing: String, now: Double?) {
        #expect(
            failure(vod(sound(addressing), duration: "P1000Y"), now: now)
                == .badManifest("its segments last for longer than can be counted")
        )
    }

    /// Reads it and does with it what a session would, now and later.
    private func exercise(_ bytes: [UInt8], _ random: inout SplitMix) {
        let text = String(decoding: bytes, as: UTF8.self)
        var numbers = SequenceNumbers()
        let now = Double.random(in: 0...1e5, using: &random)
        for now in [now, now + 10, now * 1e4] {
            guard let playlist = try? Played(text, now: now, numbers: &numbers).playlist else { continue }
            check(playlist)
        }
        if let playlist = try? Played(text).playlist { check(playlist) }
        _ = try? SegmentIndex(bytes, at: 5)
    }

    private func check(_ playlist: MediaPlaylist) {
        #expect((0.5...3600).contains(playlist.targetDuration))
        #expect(playlist.segments.count <= ManifestLimits.segments)
        for segment in playlist.segments {
            #expect(segment.duration >= 0 && segment.duration.isFinite)
            #expect(segment.byteRange.map { $0.end >= $0.offset } != false)
        }
    }
}
