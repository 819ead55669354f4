import AudioTypes
import MediaExpansion
import Testing

struct CueFileTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private let tracks = "  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n  TRACK 02 AUDIO\n    INDEX 01 01:00:00\n"

    /// `name 0-60` for each entry.
    private func spans(_ list: MediaList) -> [String] {
        zip(directory.names(list), list.entries).map { name, entry in
            let (start, end) = (entry.start?.seconds ?? 0, entry.end.map { String(Int($0.seconds)) } ?? "")
            return "\(name) \(Int(start))-\(end)"
        }
    }

    /// The name in the sheet, what is on disk, and the file that is played.
    @Test(arguments: [
        ("disc.wav", ["disc.wav", "disc.flac"], "disc.wav"),
        ("disc.wav", ["disc.flac", "disc.mp3", "disc.txt"], "disc.flac"),
        ("DISC.WAV", ["disc.wv"], "disc.wv"),
        ("other.wav", ["album.ape", "x.mp3"], "album.ape"),
        ("C:\\Rips\\disc.wav", ["disc.wav"], "disc.wav"),
        ("C:\\Rips\\disc.wav", ["disc.flac"], "disc.flac"),
        ("sub\\disc.wav", ["sub/disc.flac"], "sub/disc.flac"),
    ]) func `the file that the sheet means is found`(name: String, onDisk: [String], played: String) throws {
        for file in onDisk { try directory.write(file) }
        try directory.write("album.cue", "FILE \"\(name)\" WAVE\n" + tracks)
        let list = MediaList(arguments: [directory("album.cue")])
        #expect(spans(list) == ["\(played) 0-60", "\(played) 60-"])
        #expect(list.problems.isEmpty)
    }

    @Test func `what is missing is named once and the other files are played`() throws {
        try directory.write("b.wav")
        try directory.write(
            "album.cue",
            "FILE \"a.wav\" WAVE\n\(tracks)FILE \"b.wav\" WAVE\nTRACK 03 AUDIO\nINDEX 01 0:0:0\n"
        )
        let list = MediaList(arguments: [directory("album.cue")])
        #expect(spans(list) == ["b.wav 0-"])
        #expect(directory.problems(list) == ["album.cue: line 1: a.wav: No such file or directory"])
    }

    @Test func `a sheet in a playlist is expanded`() throws {
        try directory.write("d/disc.flac")
        try directory.write("d/disc.cue", "FILE \"disc.wav\" WAVE\n" + tracks)
        try directory.write("a.m3u", "d/disc.cue\nd/disc.flac\n")
        let list = MediaList(arguments: [directory("a.m3u")])
        #expect(spans(list) == ["d/disc.flac 0-60", "d/disc.flac 60-", "d/disc.flac 0-"])
    }

    @Test func `in a directory a sheet takes the place of its files`() throws {
        for file in ["a.mp3", "disc.flac", "z.mp3"] { try directory.write(file) }
        try directory.write("x.cue", "FILE \"disc.wav\" WAVE\n" + tracks)
        // A second sheet of the same file, as many rips have, changes nothing.
        try directory.write("y.cue", "FILE \"disc.flac\" WAVE\n" + tracks)
        let list = MediaList(arguments: [directory.path])
        #expect(spans(list) == ["a.mp3 0-", "disc.flac 0-60", "disc.flac 60-", "z.mp3 0-"])
        #expect(list.problems.isEmpty)
    }

    @Test(arguments: [
        "FILE \"gone.wav\" WAVE\nTRACK 1 AUDIO\nINDEX 1 0:0:0\nFILE \"1.mp3\" MP3\nTRACK 2 AUDIO\nINDEX 1 0:0:0\n",
        "FILE \"../out.mp3\" MP3\nTRACK 1 AUDIO\nINDEX 1 0:0:9\n",
        "not a sheet",
    ]) func `in a directory a sheet that does not fit is ignored`(sheet: String) throws {
        try directory.write("out.mp3")
        try directory.write("d/1.mp3")
        try directory.write("d/2.mp3")
        try directory.write("d/s.cue", sheet)
        let list = MediaList(arguments: [directory("d")])
        #expect(spans(list) == ["d/1.mp3 0-", "d/2.mp3 0-"])
        #expect(list.problems.isEmpty)
    }
}
