import AudioTypes
import Glibc
import MediaExpansion
import Testing

struct DirectoryTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func expand(recursive: Bool = false) -> MediaList {
        MediaList(arguments: [directory.path], isRecursive: recursive)
    }

    @Test func `media are sorted as people do, and nothing else is played`() throws {
        for name in [
            "track 10.mp3", "Track 2.FLAC", "track 1.ogg", ".hidden.mp3", "cover.jpg", "list.m3u", "film.mkv",
            "notes.txt",
            "sub/deep.mp3", "folder.mp3/x.txt",
        ] { try directory.write(name) }
        directory.link("alias.mp3", to: "track 1.ogg")
        directory.link("dangling.mp3", to: "nowhere")
        directory.makePipe("pipe.mp3")
        let list = expand()
        #expect(directory.names(list) == ["alias.mp3", "film.mkv", "track 1.ogg", "Track 2.FLAC", "track 10.mp3"])
        #expect(list.problems.isEmpty)
    }

    @Test func `directories come after files, each listed once`() throws {
        for name in ["z.mp3", "b/2.mp3", "b/c/3.mp3", "b/c/1.mp3", "a 10/4.mp3", "a 9/5.mp3", ".git/6.mp3"] {
            try directory.write(name)
        }
        directory.link("b/c/loop", to: "../..")
        directory.link("b/again", to: "../a 9")
        let list = expand(recursive: true)
        #expect(directory.names(list) == ["z.mp3", "a 9/5.mp3", "a 10/4.mp3", "b/2.mp3", "b/c/1.mp3", "b/c/3.mp3"])
        #expect(list.problems.isEmpty)
    }

    @Test func `a directory without media says so, and how to find more`() throws {
        try directory.write("a/b/x.txt")
        try directory.write("c/.x.mp3")
        let names = ["a", "c"].map { directory($0) }
        #expect(
            directory.problems(MediaList(arguments: names)) == [
                "a: no media files in this directory (use --recursive to look below it)",
                "c: no media files in this directory",
            ]
        )
        #expect(
            directory.problems(MediaList(arguments: names, isRecursive: true)) == [
                "a: no media files in this directory or below it", "c: no media files in this directory or below it",
            ]
        )
    }

    @Test(.disabled(if: geteuid() == 0, "root may read every directory"))
    func `a directory that may not be read is named and the rest is played`() throws {
        try directory.write("a/1.mp3")
        try directory.write("b/2.mp3")
        _ = unsafe chmod(directory("a"), 0)
        defer { _ = unsafe chmod(directory("a"), 0o700) }
        let list = expand(recursive: true)
        #expect(directory.names(list) == ["b/2.mp3"])
        #expect(directory.problems(list) == ["a: Permission denied"])
        #expect(directory.problems(MediaList(arguments: [directory("a")])) == ["a: Permission denied"])
    }

    @Test func `a deep tree is walked to its end`() throws {
        var path = ""
        for level in 0..<300 {
            path += level == 0 ? "d" : "/d"
            directory.makeDirectory(path)
        }
        try directory.write(path + "/end.mp3")
        #expect(directory.names(expand(recursive: true)) == [path + "/end.mp3"])
    }
}
