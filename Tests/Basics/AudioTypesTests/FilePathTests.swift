import AudioTypes
import Testing

@Suite struct FilePathTests {
    @Test(arguments: [
        ("music/a.flac", "music/a.flac"),
        ("a:b%20#.flac", "a:b%20#.flac"),
        ("file:///music/a%20b.flac", "/music/a b.flac"),
        ("FILE://localhost/a", "/a"),
        ("file:/a?b#c", "/a?b#c"),
        ("file://host/share/a", "//host/share/a"),
        ("file:///100%", "/100%"),
    ])
    func filesHavePaths(location: String, path: String) {
        #expect(MediaEntry(location: location).filePath?.bytes == Array(path.utf8))
    }

    @Test(arguments: ["http://host/a.mp3", "-", "", "rtsp://x", "file:///a%00b"])
    func othersHaveNone(location: String) {
        #expect(MediaEntry(location: location).filePath == nil)
    }

    @Test func namesNeedNotBeUTF8() {
        let path = MediaEntry(location: "file:///caf%E9.mp3").filePath
        #expect(path?.bytes == Array("/caf".utf8) + [0xe9] + Array(".mp3".utf8))
        #expect(path?.cString.last == 0)
    }

    @Test(arguments: [("http://a/b", true), ("x-y+z.1://a", true), ("1a://b", false), ("a:b", false), ("://", false)])
    func aURLBeginsWithASchemeAndSlashes(location: String, isURL: Bool) {
        #expect(MediaEntry(location: location).isURL == isURL)
    }
}
