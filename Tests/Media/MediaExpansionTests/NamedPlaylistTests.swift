import AudioTypes
import Glibc
import MediaExpansion
import Testing
import Threads

/// `--playlist FILE|-`.
struct NamedPlaylistTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// What `-` gives when this is on standard input.
    private func expand(standardInput text: String, _ limits: MediaList.Limits = MediaList.Limits()) throws -> MediaList
    {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { close(ends[0]) }
        let bytes = Array(text.utf8)
        #expect(unsafe write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        return MediaList(playlist: "-", standardInput: ends[0], limits: limits)
    }

    @Test func `standard input is relative to the current directory`() throws {
        let list = try expand(standardInput: "a.mp3\n/b.mp3\nhttp://h/c\n")
        #expect(list.entries.map(\.location) == ["a.mp3", "/b.mp3", "http://h/c"])
        #expect(list.problems.isEmpty)
    }

    @Test func `standard input has a limit and may be no playlist`() throws {
        let large = try expand(standardInput: "a.mp3\nb.mp3\n", MediaList.Limits(playlistSize: 11))
        #expect(large == (try expand(standardInput: "a.mp3\nb.mp3\n", MediaList.Limits(playlistSize: 11))))
        #expect(large.problems == [MediaProblem(file: "standard input", reason: .tooLarge(limit: 11))])
        #expect(try expand(standardInput: "a.mp3\nb.mp3\n", MediaList.Limits(playlistSize: 12)).entries.count == 2)
        let binary = try expand(standardInput: "ID3\0\0\0")
        #expect(binary.problems.map(\.description) == ["standard input: not a playlist"])
        let empty = try expand(standardInput: "")
        #expect(empty.problems.map(\.description) == ["standard input: not a playlist"])
    }

    @Test func `a file of bare lines is a playlist when named as one`() throws {
        try directory.write("lines.txt", "a.mp3\nsub/b.mp3\n")
        #expect(directory.names(MediaList(playlist: directory("lines.txt"))) == ["a.mp3", "sub/b.mp3"])
    }

    @Test func `a playlist that names itself is found out`() throws {
        try directory.write("a.m3u", "a.m3u\n1.mp3\n")
        let list = MediaList(playlist: directory("a.m3u"))
        #expect(directory.names(list) == ["1.mp3"])
        #expect(directory.problems(list) == ["a.m3u: playlist refers to itself"])
    }

    @Test func `what cannot be one is named`() throws {
        try directory.write("live.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:6\n")
        directory.link("zero", to: "/dev/zero")
        let expected = [
            "no.m3u": "No such file or directory", "": "Is a directory", "zero": "a playlist must be a regular file",
            "live.m3u8": "a stream's manifest, not a playlist",
        ]
        for (name, reason) in expected {
            let list = MediaList(playlist: directory(name))
            #expect(list.entries.isEmpty)
            #expect(directory.problems(list) == ["\(name): \(reason)"])
        }
        #expect(
            MediaList(playlist: "http://h/a.m3u").problems.map(\.description)
                == ["http://h/a.m3u: only local playlists can be read here"]
        )
    }

    @Test(.timeLimit(.minutes(5))) func `a pipe is read, and given up when it is silent`() async throws {
        directory.makePipe("pipe")
        let path = directory("pipe")
        let silent = MediaList(playlist: path, limits: MediaList.Limits(patience: 0.05))
        #expect(directory.problems(silent) == ["pipe: no data for 0 s"])

        // Readable and writable, so that opening it does not wait for a reader.
        let descriptor = unsafe open(path, O_RDWR)
        try #require(descriptor >= 0)
        let bytes = Array("1.mp3\n".utf8)
        #expect(unsafe write(descriptor, bytes, bytes.count) == bytes.count)
        async let reading = WorkThread.run(named: "reader") { MediaList(playlist: path) }
        // Until it has been read; what was not read is gone when the last one closes.
        var unread = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&unread, 1, 0) > 0 { try await Task.sleep(for: .milliseconds(5)) }
        close(descriptor)
        let list = try await reading
        #expect(directory.names(list) == ["1.mp3"])
        #expect(list.problems.isEmpty)
    }
}
