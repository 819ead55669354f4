import AudioTypes
import MusicDirectories
import Testing

@testable import ServerMusic

@Suite struct DecoderTests {
    @Test func decodersNameWhatIsPlayed() throws {
        let plugin = try #require(decoders().first)
        #expect(decoders().map(\.name) == ["ffmpeg"])
        for suffix in ["flac", "mp3", "opus", "ogg", "m4a", "wav", "mkv"] {
            #expect(plugin.suffixes.contains(suffix))
            #expect(isPlayable("x." + suffix.uppercased()))
        }
        for type in ["audio/mpeg", "audio/flac", "audio/ogg", "video/webm"] { #expect(plugin.mimeTypes.contains(type)) }
        #expect(plugin.mimeTypes.allSatisfy { !$0.contains(" ") && !$0.contains("\n") })
        for name in ["x.txt", "x", ".flac", "x.m3u", "x.cue", "flac"] { #expect(!isPlayable(name)) }
    }

    /// What names something on this machine is no place to stream from.
    @Test func urlHandlersAreStreamsOnly() {
        let handlers = urlHandlers(NetworkPolicy())
        #expect(handlers.contains("http://"))
        #expect(handlers.contains("https://"))
        #expect(handlers.contains("rtsp://"))
        for name in [
            "file", "concat", "pipe", "subfile", "unix", "crypto", "data", "tcp", "udp", "cache", "async", "fd",
        ] {
            #expect(!handlers.contains(name + "://"))
        }
    }
}
