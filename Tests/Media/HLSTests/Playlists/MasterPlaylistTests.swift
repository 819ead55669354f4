import TestThreads
import Testing

@testable import HLS
@testable import Segments

@Suite(.blocking) struct MasterPlaylistTests {
    @Test func aPlaylistIsRead() throws {
        let playlist = try master(
            """
            #EXTM3U
            #EXT-X-INDEPENDENT-SEGMENTS
            #EXT-X-START:TIME-OFFSET=25
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="low",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,\
            URI="en/low.m3u8",CHANNELS="2"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="low",NAME="Deutsch, neu",LANGUAGE="de",URI="de.m3u8",CHANNELS="16/JOC"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",NAME="English",URI="subs.m3u8"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",NAME="Deutsch",LANGUAGE="de",URI="de.m3u8",DEFAULT=YES,FORCED=YES,\
            CHARACTERISTICS="public.accessibility.describes-music-and-sound,public.easy-to-read"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="other",NAME="English",URI="subs.m3u8"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",NAME="no location"
            #EXT-X-MEDIA:TYPE=AUDIO,NAME="no group"
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="frames.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1280000,AVERAGE-BANDWIDTH=1000000,CODECS="avc1.4d401e,mp4a.40.2",\
            RESOLUTION=640x360,AUDIO="low"
            # the location follows
            video.m3u8?x=1
            stray.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=65000,CODECS="mp4a.40.5"
            audio.m3u8
            """
        )
        #expect(playlist.start == PlaylistStart(offset: 25))
        #expect(
            playlist.variants == [
                Variant(
                    uri: "video.m3u8?x=1",
                    bandwidth: 1_280_000,
                    averageBandwidth: 1_000_000,
                    codecs: ["avc1.4d401e", "mp4a.40.2"],
                    audioGroup: "low",
                    hasResolution: true
                ),
                Variant(uri: "audio.m3u8", bandwidth: 65_000, codecs: ["mp4a.40.5"]),
            ]
        )
        #expect(playlist.variants.map(\.kind) == [.video, .audio])
        #expect(playlist.renditions.map(\.name) == ["English", "Deutsch, neu"])
        #expect(playlist.renditions.map(\.uri) == ["en/low.m3u8", "de.m3u8"])
        #expect(playlist.renditions.map(\.channelCount) == [2, 16])
        #expect(playlist.renditions.map(\.isDefault) == [true, false])
        #expect(playlist.subtitles.map(\.name) == ["English", "Deutsch"])
        #expect(playlist.subtitles.map(\.uri) == ["subs.m3u8", "de.m3u8"])
        #expect(playlist.subtitles.map(\.language) == [nil, "de"])
        #expect(
            playlist.subtitles.map { [$0.isDefault, $0.isForced, $0.describesSound] } == [
                [false, false, false], [true, true, true],
            ]
        )
    }

    @Test func variablesReachTheVariants() throws {
        let playlist = try master(
            "#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\n{$a}.m3u8\n"
        )
        #expect(playlist.variants[0].uri == "b.m3u8")
        #expect(playlist.variables == ["a": "b"])
    }
}
