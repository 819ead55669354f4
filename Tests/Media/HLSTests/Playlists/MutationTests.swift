import AudioTypes
import TestSupport
import TestThreads
import Testing

@testable import HLS
@testable import Segments

/// What a network brings may be anything: reading it ends, with a value or an error.
@Suite(.blocking) struct MutationTests {
    private static let seeds = [
        """
        #EXTM3U
        #EXT-X-TARGETDURATION:4
        #EXT-X-MEDIA-SEQUENCE:1152921504606846976
        #EXT-X-DISCONTINUITY-SEQUENCE:1152921504606846976
        #EXT-X-DEFINE:NAME="a",VALUE="{$a}{$a}"
        #EXT-X-START:TIME-OFFSET=-12.5,PRECISE=YES
        #EXT-X-KEY:METHOD=AES-128,URI="key",IV=0x01
        #EXT-X-MAP:URI="init",BYTERANGE="600@1152921504606846976"
        #EXT-X-PROGRAM-DATE-TIME:2010-02-19T14:54:23.031+08:00
        #EXTINF:999999999.9,
        #EXT-X-BYTERANGE:1152921504606846976@1152921504606846976
        {$a}.ts
        #EXT-X-DISCONTINUITY
        #EXT-X-GAP
        #EXTINF:-1,
        #EXT-X-BYTERANGE:1152921504606846976
        b.ts
        """,
        """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="low",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="en.m3u8",CHANNELS="2"
        #EXT-X-STREAM-INF:BANDWIDTH=1280000,AVERAGE-BANDWIDTH=9999999999999999999,CODECS="avc1,mp4a",AUDIO="low"
        video.m3u8
        """,
    ]
    private static let pieces: [[UInt8]] =
        [
            "\n", "\r", ",", "\"", "=", ":", "@", "{$", "}", "-", "#EXT-X-", "#EXTINF:", "99999999999999999999", "0x",
            "\u{feff}", "#EXT-X-ENDLIST\n", "NONE", ".", "YES",
        ].map { Array($0.utf8) } + [[0], [0xff, 0xfe], [0xc3]]

    @Test(arguments: seeds.indices)
    func nothingTraps(index: Int) {
        var random = SplitMix(state: UInt64(index) + 1)
        for _ in 0..<4_000 {
            var bytes = Array(Self.seeds[index].utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) { random.mutate(&bytes, with: Self.pieces) }
            exercise(bytes, &random)
        }
    }

    /// Reads it and does with it what a session would.
    private func exercise(_ bytes: [UInt8], _ random: inout SplitMix) {
        _ = HLSDocument.isPlaylist(bytes)
        switch try? HLSDocument.parse(bytes, url: "http://host/list.m3u8?a=b") {
        case .master(let master):
            _ = try? VariantLadder(master, track: .language("en"), limit: 500_000)
        case .media(let playlist):
            for segment in playlist.segments {
                #expect(segment.byteRange.map { $0.end >= $0.offset } != false)
                #expect(segment.map?.byteRange.map { $0.end >= $0.offset } != false)
            }
            var plan = SegmentPlan(playlist)
            _ = plan.step
            _ = plan.seek(to: .random(in: -1e10...1e10, using: &random))
            var newer = playlist
            newer.mediaSequence = .random(in: 0...(1 << 60), using: &random)
            _ = plan.update(newer)
            _ = plan.update(playlist, isPersistent: true)
            _ = plan.change(to: newer, from: 1e9)
            _ = plan.step
        case nil: break
        }
    }
}
