import Foundation
import TestSupport
import TestThreads
import Testing

/// Covers, as a real MPD gives them.
@Suite(.blocking, .enabled("mpd, ffmpeg, lame or flac is not installed") { RealMPD.missing.isEmpty })
struct PictureTests {
    /// Songs with pictures in them and beside them, some with none, and a CUE sheet.
    private static func music(in folder: TemporaryFolder) async throws -> String {
        let source = try await Music.folder()
        let root = try folder.makeFolder("pictures")
        for name in ["album", "sheet", "bare", "deep", "deep/er"] { _ = try folder.makeFolder("pictures/\(name)") }
        func copy(_ from: String, _ to: String) throws {
            try FileManager.default.copyItem(atPath: "\(source)/\(from)", toPath: "\(root)/\(to)")
        }
        for name in ["album/two.flac", "sheet/disc.flac", "deep/er/two.flac"] { try copy("two.flac", name) }
        try copy("one.flac", "bare/one.flac")
        for name in ["album/cover.png", "sheet/cover.jpg"] {
            try folder.write("pictures/" + name, (0..<20_000).map { UInt8(truncatingIfNeeded: $0 * 13) })
        }
        // More than is kept of one.
        try folder.write("pictures/deep/cover.jpg", (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 * 31) })
        let picture = folder.file("large.jpg")
        try await MediaFixtures.ffmpeg([
            "-f", "lavfi", "-i", "nullsrc=s=400x400,geq=random(1)*255", "-frames:v", "1", picture,
        ])
        try copy("one.flac", "album/large.flac")
        try ChildProcess.run("metaflac", ["--import-picture-from=\(picture)", root + "/album/large.flac"])
        try folder.write(
            "pictures/sheet/disc.cue",
            "FILE \"disc.flac\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 00:05:00\n"
        )
        return root
    }

    private static let commands = ["albumart", "readpicture"].flatMap { command in
        [
            "album/two.flac", "album/large.flac", "sheet/disc.flac", "sheet/disc.cue/track0001",
            "sheet/disc.cue/track0002", "sheet/disc.cue", "bare/one.flac",
            "bare/none.flac", "deep/er/two.flac", "deep/x.flac", "none/none.flac", "album", "", "../x",
            "album/cover.png",
        ].flatMap { uri in
            [0, 1, 100, 8_192, 19_999, 20_000, 20_001, 2_999_990, 99_999_999].map { "\(command) \"\(uri)\" \($0)" }
        } + ["\(command) album/two.flac", "\(command) album/two.flac x", "\(command) album/two.flac -1"]
    }

    @Test func areAsMPDGivesThem() async throws {
        let folder = try TemporaryFolder()
        let music = try await Self.music(in: folder)
        let theirs = try await RealMPD.start(music: music)
        let ours = try await Segued.start(.mpdConf(""), music: music)
        let (their, our) = (try theirs.connect(), try ours.connect())
        for limit in ["8192", "64", "100000"] {
            for command in ["binarylimit \(limit)"] + Self.commands {
                let (found, expected) = (our.ask(command), their.ask(command))
                #expect(found == expected, "\(command), \(limit)")
            }
        }
    }

    /// Two clients that take turns get each their own whole picture.
    @Test func comeWholeInPieces() async throws {
        let folder = try TemporaryFolder()
        let music = try await Self.music(in: folder)
        let server = try await Segued.start(music: music)
        let clients = try (0..<2).map { _ in try server.connect() }
        let songs = ["album/large.flac", "album/two.flac"]
        let whole = try songs.map { song in
            try clients[0].order("binarylimit 4000000")
            return clients[0].ask("readpicture \(song) 0")
        }
        let sizes = whole.map { Int($0[0].dropFirst("size: ".count)) ?? 0 }
        for (client, song) in zip(clients, songs) {
            try client.order("binarylimit 1000")
            _ = client.ask("readpicture \(song) 0")
        }
        for offset in stride(from: 0, to: sizes[0], by: 1_000) {
            for index in 0...1 where offset < sizes[index] {
                let reply = clients[index].ask("readpicture \(songs[index]) \(offset)")
                #expect(reply.contains("binary: \(min(1_000, sizes[index] - offset))"))
            }
        }
    }

    /// What changes on the disk is seen, whether the library knows of it or not.
    @Test func followTheirFiles() async throws {
        let folder = try TemporaryFolder()
        let music = try await Self.music(in: folder)
        let server = try await Segued.start(music: music)
        let client = try server.connect()
        func beginning(_ command: String) -> [String] { Array(client.ask(command + " 0").prefix(1)) }
        for _ in 0..<2 {
            #expect(beginning("albumart bare/one.flac") == ["ACK [50@0] {albumart} No file exists"])
            #expect(beginning("readpicture bare/one.flac") == ["OK"])
            #expect(beginning("albumart album/two.flac") == ["size: 20000"])
        }
        try folder.write("pictures/bare/Folder.jpg", "a picture")
        #expect(beginning("albumart bare/one.flac") == ["size: 9"])
        try folder.write("pictures/bare/cover.jpg", "another")
        #expect(beginning("albumart bare/one.flac") == ["size: 7"])
        try folder.write("pictures/bare/cover.jpg", "larger than it was")
        #expect(beginning("albumart bare/one.flac") == ["size: 18"])
        try FileManager.default.removeItem(atPath: music + "/album/cover.png")
        #expect(beginning("albumart album/two.flac") == ["ACK [50@0] {albumart} No file exists"])
        try ChildProcess.run(
            "metaflac",
            ["--import-picture-from=\(folder.file("large.jpg"))", music + "/bare/one.flac"]
        )
        #expect(beginning("readpicture bare/one.flac")[0].hasPrefix("size: "))
        try FileManager.default.removeItem(atPath: music + "/bare/one.flac")
        #expect(beginning("readpicture bare/one.flac") == ["ACK [50@0] {readpicture} No such song"])
        // Names that are not text belong to no picture.
        client.send(Array("albumart b".utf8) + [0xff] + Array("/x.flac 0\n".utf8))
        #expect(client.reply() == ["ACK [50@0] {albumart} No file exists"])
    }
}
