import Playlists
import Testing

struct DetectionTests {
    @Test(arguments: [
        ("#EXTM3U\na", "x", ContentKind.playlist(.m3u)),
        ("#extm3u\na", "x.pls", .playlist(.m3u)),
        ("a.mp3\nb.mp3", "x.m3u", .playlist(.m3u)),
        ("a.mp3\nb.mp3", "x.M3U8", .playlist(.m3u)),
        ("a.mp3\nb.mp3", "x", .text),
        ("a.mp3\nb.mp3", "x.txt", .text),
        ("", "x.m3u", .playlist(.m3u)),
        ("", "x", .other),
        ("[playlist]\nFile1=a", "x.m3u", .playlist(.pls)),
        ("; c\n\nFile1=a", "x", .playlist(.pls)),
        ("<?xml version='1.0'?><!-- c --><playlist>", "x.m3u", .playlist(.xspf)),
        ("<x:playlist xmlns:x='http://xspf.org/ns/0/'>", "x", .playlist(.xspf)),
        ("<!-- a comment that is cut", "x.xspf", .playlist(.xspf)),
        ("<ASX version = \"3.0\"><Entry>", "x", .playlist(.asx)),
        ("<asx>", "x.m3u", .playlist(.asx)),
        ("<html>", "x.asx", .markup),
        ("[Reference]\nRef1=http://a", "x.asx", .playlist(.pls)),
        ("<html><body>404</body></html>", "x.m3u", .markup),
        ("<html>", "x.xspf", .markup),
        ("text", "x.xspf", .text),
        ("REM x\nFILE \"a\" WAVE\n  TRACK 01 AUDIO", "x", .playlist(.cue)),
        ("FILE \"a\" WAVE\n  TRACK 01 AUDIO", "x.m3u", .playlist(.cue)),
        ("TITLE x", "x.cue", .playlist(.cue)),
        ("#EXTM3U\n#EXT-X-TARGETDURATION:6\n", "x.m3u", .mediaManifest),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=3\nlow", "x", .mediaManifest),
        ("#EXTM3U\n#EXT-X-APP tv\nhttp://a", "x", .playlist(.m3u)),
        ("ID3\u{3}\0\0\0", "x.m3u", .other),
        ("OggS\0\u{2}", "x", .other),
    ]) func `tells what content is`(content: String, name: String, kind: ContentKind) {
        #expect(ContentKind(of: Array(content.utf8), named: name) == kind)
    }

    @Test func `text of no format is read only when asked for`() throws {
        let text = Array("a.mp3\nb.mp3".utf8)
        #expect(throws: ParseError.unrecognized) { try Playlist(text, named: "x") }
        #expect(try Playlist(text, named: "x", readsBareText: true).entries.count == 2)
    }

    @Test func `a mark far behind still tells a manifest`() {
        let text = "#EXTM3U\n" + String(repeating: "# comment\n", count: 10_000) + "#EXT-X-TARGETDURATION:6\n"
        #expect(throws: ParseError.mediaManifest) { try Playlist(Array(text.utf8), named: "x.m3u8") }
    }

    @Test(arguments: ["album.m3u8", "latin1.m3u", "utf16.m3u", "radio.pls", "mix.xspf", "disc.cue"])
    func `knows the samples by their first KiB alone`(name: String) throws {
        let expected = try #require(PlaylistFormat(nameOf: name))
        #expect(try ContentKind(of: Array(sample(name).prefix(1024)), named: "x") == .playlist(expected))
    }

    @Test func `problems and errors are one clear line`() {
        #expect(problem(3, .invalidDuration("a\nb")).description == "line 3: 'a?b' is not a duration in seconds")
        #expect("\(ParseError.notInFormat(.cue))" == "not a cue sheet: it has no TRACK of a FILE")
    }
}
