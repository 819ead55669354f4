import TestThreads
import Testing

@testable import HLS
@testable import Segments

@Suite(.blocking) struct MediaPlaylistTests {
    @Test func aPlaylistIsRead() throws {
        let playlist = try media(
            """
            #EXTM3U
            #EXT-X-VERSION:6
            #EXT-X-TARGETDURATION:10
            #EXT-X-MEDIA-SEQUENCE:7794
            #EXT-X-DISCONTINUITY-SEQUENCE:3
            #EXT-X-START:TIME-OFFSET=-12.5,PRECISE=YES
            #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,HOLD-BACK=36,PART-HOLD-BACK=1.0
            #EXT-X-PART-INF:PART-TARGET=0.33

            #EXTINF:9.009,first, of all
            http://media.example.com/first.ts?token=a,b
            # a comment
            #EXT-X-DATERANGE:ID="ad",START-DATE="2020-01-02T21:55:44Z"
            #EXTINF:9,
            #EXT-X-DISCONTINUITY
            second.ts
            #EXT-X-GAP
            #EXTINF:3.003
            third.ts
            #EXT-X-PART:DURATION=0.33,URI="part.ts"
            #EXT-X-PRELOAD-HINT:TYPE=PART,URI="next.ts"
            """
        )
        #expect(playlist.kind == .live)
        #expect(playlist.targetDuration == 10)
        #expect(playlist.mediaSequence == 7794)
        #expect(playlist.endSequence == 7797)
        #expect(playlist.start == PlaylistStart(offset: -12.5, isPrecise: true))
        #expect(playlist.holdBack == 36)
        #expect(
            playlist.segments.map(\.uri) == [
                "http://media.example.com/first.ts?token=a,b", "second.ts", "third.ts",
            ]
        )
        #expect(playlist.segments.map(\.duration) == [9.009, 9, 3.003])
        #expect(playlist.segments.map(\.discontinuity) == [3, 4, 4])
        #expect(playlist.segments.map(\.isGap) == [false, false, true])
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func allEndsOfLinesAreRead(end: String) throws {
        let lines = ["\u{feff}#EXTM3U", "#EXT-X-TARGETDURATION:4 ", "#EXTINF:4,\t", " a.ts", "#EXT-X-ENDLIST", ""]
        let playlist = try media(lines.joined(separator: end))
        #expect(playlist.segments.map(\.uri) == ["a.ts"])
        #expect(playlist.kind == .vod)
    }

    @Test(arguments: [
        ("", MediaPlaylist.Kind.live), ("#EXT-X-PLAYLIST-TYPE:EVENT", .event), ("#EXT-X-PLAYLIST-TYPE:VOD", .vod),
        ("#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-ENDLIST", .vod), ("#EXT-X-PLAYLIST-TYPE:EVENT\n#EXT-X-ENDLIST", .vod),
    ])
    func whetherMoreComesIsRead(lines: String, kind: MediaPlaylist.Kind) throws {
        #expect(try media("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na\n\(lines)\n").kind == kind)
    }

    @Test func byteRangesFollowEachOther() throws {
        let playlist = try media(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-MAP:URI="all.mp4",BYTERANGE="600@0"
            #EXT-X-BYTERANGE:1000@600
            #EXTINF:4,
            all.mp4
            #EXTINF:4,
            #EXT-X-BYTERANGE:500
            all.mp4
            #EXTINF:4,
            other.mp4
            """
        )
        #expect(
            playlist.segments.map(\.byteRange) == [
                ByteRange(offset: 600, length: 1000), ByteRange(offset: 1600, length: 500), nil,
            ]
        )
        #expect(playlist.segments[2].map == SegmentMap(uri: "all.mp4", byteRange: ByteRange(offset: 0, length: 600)))
    }

    @Test(arguments: [
        ("#EXT-X-BYTERANGE:500\n#EXTINF:4,\nb", SegmentError.malformed(line: 7, "its byte range begins nowhere")),
        ("#EXT-X-BYTERANGE:x\n#EXTINF:4,\na", .malformed(line: 5, "no byte range")),
        ("#EXT-X-KEY:URI=\"k\"\n", .malformed(line: 5, "no METHOD")),
        ("#EXT-X-MAP:BYTERANGE=\"1@1\"\n", .malformed(line: 5, "no URI")),
        ("#EXTINF:4,\n{$nobody}.ts", .undefinedVariable("nobody")),
    ])
    func whatCannotBeFollowedIsAnError(lines: String, error: SegmentError) {
        #expect(failure("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na\n\(lines)\n") == error)
    }

    @Test func keysApplyToWhatFollows() throws {
        let iv = "0x000102030405060708090A0B0C0D0E0F"
        let playlist = try media(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-MEDIA-SEQUENCE:258
            #EXTINF:4,
            clear.ts
            #EXT-X-KEY:METHOD=AES-128,URI="key?a=1,2"
            #EXTINF:4,
            numbered.ts
            #EXT-X-KEY:METHOD=AES-128,URI="other",IV=\(iv)
            #EXT-X-MAP:URI="init"
            #EXTINF:4,
            written.ts
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.apple.streamingkeydelivery"
            #EXT-X-KEY:METHOD=AES-128,URI="plain",IV=\(iv),KEYFORMAT="identity",KEYFORMATVERSIONS="1"
            #EXTINF:4,
            either.ts
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="x"
            #EXTINF:4,
            closed.ts
            #EXT-X-KEY:METHOD=NONE
            #EXTINF:4,
            open.ts
            """
        )
        let written = (0..<16).map { UInt8($0) }
        #expect(
            playlist.segments.map(\.encryption) == [
                nil,
                .aes128(key: "key?a=1,2", iv: [UInt8](repeating: 0, count: 14) + [1, 3]),
                .aes128(key: "other", iv: written),
                .aes128(key: "plain", iv: written),
                .unsupported("SAMPLE-AES"),
                nil,
            ]
        )
        #expect(playlist.segments[2].map?.encryption == .aes128(key: "other", iv: written))
    }

    @Test func datesAreCarriedOn() throws {
        let playlist = try media(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXTINF:4,
            a
            #EXT-X-PROGRAM-DATE-TIME:2020-01-01T00:00:00Z
            #EXTINF:3.5,
            b
            #EXTINF:4,
            c
            """
        )
        #expect(playlist.segments.map(\.date) == [nil, 1_577_836_800, 1_577_836_803.5])
    }

    @Test func variablesAreReplaced() throws {
        let playlist = try media(
            """
            #EXTM3U
            #EXT-X-DEFINE:NAME="path",VALUE="a/b"
            #EXT-X-DEFINE:IMPORT="host"
            #EXT-X-DEFINE:QUERYPARAM="token"
            #EXT-X-TARGETDURATION:4
            #EXT-X-KEY:METHOD=AES-128,URI="{$host}/key?{$token}"
            #EXTINF:4,
            {$host}/{$path}/1.ts?t={$token}
            """,
            url: "http://x/live.m3u8?a=1&token=se%20cret#f",
            defined: ["host": "http://media.example"]
        )
        #expect(playlist.segments[0].uri == "http://media.example/a/b/1.ts?t=se%20cret")
        guard case .aes128("http://media.example/key?se%20cret", _) = playlist.segments[0].encryption else {
            Issue.record("the key is \(String(describing: playlist.segments[0].encryption))")
            return
        }
    }

    @Test(arguments: [
        ("#EXT-X-TARGETDURATION:0", 0.5), ("#EXT-X-TARGETDURATION:-5", 5), ("#EXT-X-TARGETDURATION:999999999", 3600),
        ("#EXT-X-TARGETDURATION:what", 5), ("", 5), ("#EXT-X-TARGETDURATION:1", 1),
    ])
    func theTargetDurationIsSensible(line: String, seconds: Double) throws {
        let playlist = try media("#EXTM3U\n\(line)\n#EXTINF:\(seconds == 0.5 ? 0 : 4.2),\na\n")
        #expect(playlist.targetDuration == seconds)
    }
}
