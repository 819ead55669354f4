import AudioTypes
import Glibc
import MediaExpansion
import Testing

struct ArgumentTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func `files, URLs and standard input keep their order`() throws {
        let file = try directory.write("b.flac")
        let list = MediaList(arguments: ["http://h/x y.m3u", file, "-", "file://" + file, file])
        #expect(list.entries.map(\.location) == ["http://h/x y.m3u", file, "-", file, file])
        #expect(list.problems.isEmpty)
    }

    @Test func `standard input is played once`() {
        let list = MediaList(arguments: ["-", "-"])
        #expect(list.entries.map(\.location) == ["-"])
        #expect(list.problems.map(\.description) == ["standard input: standard input can be played only once"])
    }

    @Test func `what is missing is named and the rest is played`() throws {
        try directory.write("a.mp3")
        let list = MediaList(arguments: [directory("x.flac"), directory("a.mp3"), directory("no/x.m3u"), "", "a\0b"])
        #expect(directory.names(list) == ["a.mp3"])
        #expect(
            directory.problems(list) == [
                "x.flac: No such file or directory", "no/x.m3u: No such file or directory",
                "'': No such file or directory", "a?b: No such file or directory",
            ]
        )
    }

    @Test(.disabled(if: geteuid() == 0, "root may read every file"))
    func `what may not be read is named`() throws {
        let medium = try directory.write("a.mp3")
        let playlist = try directory.write("b.m3u")
        let unknown = try directory.write("c")
        for file in [medium, playlist, unknown] { _ = unsafe chmod(file, 0) }
        let list = MediaList(arguments: [medium, playlist, unknown])
        #expect(list.entries.isEmpty)
        #expect(directory.problems(list) == ["a.mp3", "b.m3u", "c"].map { "\($0): Permission denied" })
    }

    @Test func `a file of unknown name is looked into`() throws {
        try directory.write("list", "#EXTM3U\na.mp3\n")
        try directory.write("text", "a.mp3\n")
        try directory.write("binary", bytes: Array("OggS".utf8) + [0, 2, 0])
        try directory.write("empty", bytes: [])
        let list = MediaList(arguments: ["list", "text", "binary", "empty"].map { directory($0) })
        #expect(directory.names(list) == ["a.mp3", "text", "binary", "empty"])
        #expect(list.problems.isEmpty)
    }

    @Test func `content wins over a playlist's name`() throws {
        try directory.write("live.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n")
        let comments = String(repeating: "# comment\n", count: 10_000)
        try directory.write("late.m3u8", "#EXTM3U\n\(comments)#EXT-X-TARGETDURATION:6\n")
        try directory.write("song.m3u", bytes: Array("ID3".utf8) + [3, 0, 0, 0])
        try directory.write("radio.m3u", "[playlist]\nFile1=http://h/r\n")
        try directory.write("page.m3u", "<html>404</html>")
        try directory.write("bad.cue", "TITLE x\n")
        try directory.write("none.m3u", "# nothing\n")
        let names = ["live.m3u8", "late.m3u8", "song.m3u", "radio.m3u", "page.m3u", "bad.cue", "none.m3u"]
        let list = MediaList(arguments: names.map { directory($0) })
        #expect(directory.names(list) == ["live.m3u8", "late.m3u8", "song.m3u", "http://h/r"])
        #expect(
            directory.problems(list) == [
                "page.m3u: not a playlist", "bad.cue: not a cue sheet: it has no TRACK of a FILE",
                "none.m3u: the playlist has no entries",
            ]
        )
    }

    @Test(.timeLimit(.minutes(5))) func `pipes and devices never make it wait`() throws {
        directory.makePipe("list.m3u")
        directory.makePipe("pipe")
        try directory.write("outer.m3u", "list.m3u\npipe\n/dev/zero\n")
        directory.link("zero.pls", to: "/dev/zero")
        let list = MediaList(arguments: [directory("outer.m3u"), directory("zero.pls"), directory("pipe")])
        #expect(directory.names(list) == ["pipe", "/dev/zero", "pipe"])
        #expect(
            directory.problems(list) == [
                "outer.m3u: line 1: list.m3u: a playlist must be a regular file",
                "zero.pls: a playlist must be a regular file",
            ]
        )
    }

    @Test func `a playlist that is too large is refused`() throws {
        try directory.write("a.m3u", String(repeating: "x\n", count: 3000))
        try directory.write("b.m3u", String(repeating: "x.mp3\n", count: 500))
        let limits = MediaList.Limits(playlistSize: 3000)
        let list = MediaList(arguments: [directory("a.m3u"), directory("b.m3u")], limits: limits)
        #expect(list.entries.count == 500)
        #expect(list.problems == [MediaProblem(file: directory("a.m3u"), reason: .tooLarge(limit: 3000))])
    }
}
