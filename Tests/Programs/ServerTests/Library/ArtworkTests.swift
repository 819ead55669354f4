import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Small pictures of songs, directories and films, as clients get them.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct ArtworkTests {
    /// Starts a server with three songs (an embedded cover, a cover beside it, a damaged cover beside it) and a film.
    private func start(in folder: TemporaryFolder) async throws -> Segued {
        let source = try await Music.folder()
        let root = try folder.makeFolder("art")
        for name in ["inside", "beside", "bare"] {
            _ = try folder.makeFolder("art/\(name)")
            try FileManager.default.copyItem(atPath: "\(source)/one.flac", toPath: "\(root)/\(name)/song.flac")
        }
        try await make("red", "600x400", folder.file("red.jpg"))
        try ChildProcess.run(
            "metaflac",
            ["--import-picture-from=\(folder.file("red.jpg"))", root + "/inside/song.flac"]
        )
        try await make("green", "500x500", root + "/inside/cover.jpg")
        try await make("blue", "300x600", root + "/beside/folder.png")
        try folder.write("art/bare/cover.jpg", "no picture")
        try await MediaFixtures.ffmpeg([
            "-f", "lavfi", "-i", "color=yellow:size=640x360,drawbox=color=black:t=40", "-f", "lavfi", "-i", "sine",
            "-t", "4",
            root + "/film.mkv",
        ])
        return try await Segued.start(in: folder, music: root)
    }

    private func make(_ colour: String, _ size: String, _ path: String) async throws {
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "color=\(colour):size=\(size)", "-frames:v", "1", path])
    }

    /// The whole of a picture, fetched in pieces.
    private func picture(_ client: LineClient, _ command: String, more: String = "") throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let size = try client.values("\(command) \(bytes.count)\(more)")["size"].flatMap { Int($0) } ?? 0
            bytes += client.chunk
            if bytes.count >= size || client.chunk.isEmpty { return bytes }
        }
    }

    /// Width, height, and the mean colour.
    private func look(_ bytes: [UInt8]) async throws -> (size: String, colour: [Int]) {
        let folder = try TemporaryFolder()
        let path = try folder.write("picture", bytes)
        let size = try ChildProcess.run(
            "ffprobe",
            ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", path]
        ).outputText.trimmingCharacters(in: .whitespacesAndNewlines)
        try ChildProcess.run(
            "ffmpeg",
            [
                "-v", "error", "-i", path, "-vf", "scale=1:1:flags=area,format=rgb24", "-f", "rawvideo",
                folder.file("mean"),
            ]
        )
        return (size, try FileBytes.read(folder.file("mean")).map(Int.init))
    }

    @Test func isFoundInItsOrderAndMadeSmall() async throws {
        let folder = try TemporaryFolder()
        let server = try await start(in: folder)
        let client = try server.connect()
        let inside = try await look(try picture(client, "artwork song inside/song.flac 120"))
        #expect(inside.size == "120,80" && inside.colour[0] > 240 && inside.colour[1] < 20)
        let beside = try await look(try picture(client, "artwork song beside/song.flac 100", more: " png"))
        #expect(beside.size == "50,100" && beside.colour[2] > 240 && beside.colour[0] < 20)
        let directory = try await look(try picture(client, "artwork directory inside 100"))
        #expect(directory.size == "100,100" && directory.colour[1] > 100 && directory.colour[0] < 20)
        let film = try await look(try picture(client, "artwork song film.mkv 160"))
        #expect(film.size == "160,90" && film.colour[0] > 100 && film.colour[2] < 30)
        let frame = try await look(try picture(client, "thumbnail film.mkv 80 50%"))
        #expect(frame.size == "80,45")
        #expect(try await look(try picture(client, "thumbnail beside/folder.png 60 0")).size == "30,60")
    }

    /// A picture of any name and kind is artwork, also that of a disc's album; `albumart` gives what MPD gives.
    @Test func discsAndOddNamesHaveArtwork() async throws {
        let folder = try TemporaryFolder()
        let source = try await Music.folder()
        for path in ["art/album/CD1", "art/odd"] { _ = try folder.makeFolder(path) }
        for name in ["album/CD1", "odd"] {
            try FileManager.default.copyItem(atPath: "\(source)/one.flac", toPath: folder.file("art/\(name)/song.flac"))
        }
        try await make("red", "60x40", folder.file("art/album/AlbumArtSmall.jpg"))
        try await make("blue", "60x40", folder.file("art/odd/Scan.bmp"))
        let server = try await Segued.start(in: folder, music: folder.file("art"))
        let client = try server.connect()
        let album = try await look(try picture(client, "artwork song album/CD1/song.flac 30"))
        #expect(album.size == "30,20" && album.colour[0] > 240 && album.colour[2] < 20)
        let odd = try await look(try picture(client, "artwork song odd/song.flac 30"))
        #expect(odd.size == "30,20" && odd.colour[2] > 240 && odd.colour[0] < 20)
        for song in ["album/CD1/song.flac", "odd/song.flac"] {
            #expect(client.ask("albumart \(song) 0").last == "ACK [50@0] {albumart} No file exists")
        }
    }

    @Test func whatCannotBeIsRefused() async throws {
        let folder = try TemporaryFolder()
        let server = try await start(in: folder)
        let client = try server.connect()
        for (command, answer) in [
            ("artwork song bare/song.flac 100 0", "ACK [50@0] {artwork} there is no picture"),
            ("artwork song none.flac 100 0", "ACK [50@0] {artwork} No such song"),
            ("artwork directory bare 100 0", "ACK [50@0] {artwork} there is no picture"),
            ("artwork directory none 100 0", "ACK [50@0] {artwork} there is no picture"),
            ("artwork song ../red.jpg 100 0", "ACK [50@0] {artwork} No such song"),
            ("artwork song inside/song.flac 0 0", "ACK [2@0] {artwork} "),
            ("artwork song inside/song.flac 4097 0", "ACK [2@0] {artwork} "),
            ("artwork song inside/song.flac 100 99999999", "ACK [2@0] {artwork} Offset too large"),
            (
                "artwork song inside/song.flac 100 0 gif",
                "ACK [2@0] {artwork} the format is jpeg, png or webp, not \"gif\""
            ),
            (
                "artwork album x 100 0",
                "ACK [2@0] {artwork} artwork is of a song, file, directory, playlist or filter, not of a \"album\""
            ),
            ("thumbnail film.mkv 100 101% 0", "ACK [2@0] {thumbnail} a part is 0% to 100%, not 101%"),
            ("thumbnail film.mkv 100 -1 0", "ACK [2@0] {thumbnail} Negative value not allowed: -1"),
            ("thumbnail film.mkv 100 nan 0", "ACK [2@0] {thumbnail} "),
        ] {
            let found = client.ask(command).last ?? ""
            #expect(found.hasPrefix(answer), "\(command): \(found)")
        }
    }

    /// Made once; then from memory, and after a restart from disk, also without the program that decodes.
    @Test func isKeptInMemoryAndOnDisk() async throws {
        let folder = try TemporaryFolder()
        let server = try await start(in: folder)
        let client = try server.connect()
        let first = try picture(client, "artwork song inside/song.flac 200")
        #expect(try picture(client, "artwork song inside/song.flac 200") == first)
        let cache = folder.file("state/cache/pictures")
        let files = try FileManager.default.contentsOfDirectory(atPath: cache)
        #expect(files.count == 1 && files[0].hasSuffix(".jpg"))
        try await server.stop()
        // What is damaged on disk is made again; what is whole is taken as it is.
        let path = cache + "/" + (files.first ?? "")
        try Data(first.dropLast(100)).write(to: URL(filePath: path))
        let second = try await Segued.start(in: folder, music: folder.file("art"))
        #expect(try picture(second.connect(), "artwork song inside/song.flac 200") == first)
        #expect(try FileBytes.read(path) == first)
        try await second.stop()
        let marked = Array(first.dropLast(2)) + [0, 0, 0xff, 0xd9]
        try Data(marked).write(to: URL(filePath: path))
        let third = try await Segued.start(in: folder, music: folder.file("art"))
        #expect(try picture(third.connect(), "artwork song inside/song.flac 200") == marked)
    }

    /// Many clients that want the same picture have it made once.
    @Test func oneIsMadeForAll() async throws {
        let folder = try TemporaryFolder()
        let server = try await start(in: folder)
        let clients = try (0..<20).map { _ in try server.connect() }
        for client in clients { client.send("artwork song film.mkv 150 0\n") }
        let replies = Set(clients.map { $0.reply() })
        #expect(replies.count == 1 && replies.first?.last == "OK")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("state/cache/pictures")).count == 1)
    }

    /// The workers of a server, and whether it waits for one.
    private func workers(of server: Segued) throws -> (ids: [Int32], isWaiting: Bool) {
        let parent = server.process.pid
        let ids = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init).filter { id in
            let stat = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
            return stat.contains("(segue-pictures)")
                && stat.split(separator: ")").last?.split(separator: " ").dropFirst().first == "\(parent)"
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(parent)/fd")
        let isWaiting = files.contains { file in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(parent)/fd/\(file)")
            return target?.hasPrefix("/memfd:") == true
        }
        return (ids, isWaiting)
    }

    /// When the last client that waits for a picture leaves, the worker that makes it ends; others are served.
    @Test func thePictureOfAClientThatLeftIsNotMade() async throws {
        let folder = try TemporaryFolder()
        let server = try await start(in: folder)
        let other = try server.connect()
        _ = try picture(other, "artwork song inside/song.flac 100")
        let worker = try #require(try workers(of: server).ids.first)
        kill(worker, SIGSTOP)
        do {
            let leaving = try server.connect()
            leaving.send("artwork song beside/song.flac 100 0\n")
            try wait(for: "the worker's order") { try workers(of: server).isWaiting }
            #expect(try workers(of: server).ids == [worker])
        }
        try wait(for: "the worker's end", within: .seconds(5)) { try !workers(of: server).ids.contains(worker) }
        #expect(try picture(other, "artwork song beside/song.flac 100").count > 100)
    }

    /// What plays next is made before it plays, as artwork was asked for last; clients that wait for `artwork` are told.
    @Test func whatPlaysNextIsMadeReady() async throws {
        let folder = try TemporaryFolder()
        let server = try await start(in: folder)
        let cache = folder.file("state/cache/pictures")
        func kept() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: cache).count) ?? 0 }
        let (client, listener, other) = (try server.connect(), try server.connect(), try server.connect())
        for song in ["inside/song.flac", "beside/song.flac", "bare/song.flac"] { try client.order("add \(song)") }
        try client.order("play 0")
        try client.wait("state", "play")
        #expect(kept() == 0)
        listener.send("idle artwork\n")
        other.send("idle\n")
        _ = try picture(client, "artwork song film.mkv 90")
        #expect(listener.reply() == ["changed: artwork", "OK"])
        // The film's, the current song's, and the next one's.
        try wait(for: "the next one's picture") { kept() == 3 }
        listener.send("idle artwork\n")
        try client.order("next")
        #expect(listener.reply() == ["changed: artwork", "OK"])
        listener.send("idle artwork\n")
        _ = try await look(try picture(client, "artwork song beside/song.flac 90"))
        #expect(kept() == 3)
        // A cover that changes while its song plays is told, too, and so is that there is none any more.
        try await make("green", "300x300", folder.file("art/beside/folder.png"))
        try client.order("update")
        #expect(listener.reply() == ["changed: artwork", "OK"])
        let changed = try await look(try picture(client, "artwork song beside/song.flac 90"))
        #expect(changed.size == "90,90" && changed.colour[1] > 100)
        listener.send("idle artwork\n")
        try client.order("next")
        #expect(listener.reply() == ["changed: artwork", "OK"])
        #expect(!other.reply().contains("changed: artwork"))
    }

    /// Playlists and filters have four different covers, or one.
    @Test func playlistsAndFiltersHaveMosaics() async throws {
        let folder = try TemporaryFolder()
        let source = try await Music.folder()
        for (number, colour) in ["red", "lime", "lime", "blue", "white"].enumerated() {
            _ = try folder.makeFolder("art/\(number)")
            let song = folder.file("art/\(number)/song.flac")
            try FileManager.default.copyItem(atPath: "\(source)/one.flac", toPath: song)
            try ChildProcess.run("metaflac", ["--remove-tag=ALBUM", "--remove-tag=GENRE", song])
            try ChildProcess.run("metaflac", ["--set-tag=ALBUM=\(number)", "--set-tag=GENRE=Art", song])
            try await make(colour, "600x400", folder.file("art/\(number)/cover.png"))
        }
        _ = try folder.makeFolder("art/bare")
        try FileManager.default.copyItem(atPath: "\(source)/one.flac", toPath: folder.file("art/bare/song.flac"))
        let server = try await Segued.start(in: folder, music: folder.file("art"))
        let client = try server.connect()
        for song in ["bare/song.flac", "0/song.flac", "1/song.flac", "2/song.flac"] {
            try client.order("playlistadd few \(song)")
            try client.order("playlistadd many \(song)")
        }
        for song in ["3/song.flac", "http://localhost/radio", "4/song.flac", "0/song.flac"] {
            try client.order("playlistadd many \(song)")
        }
        // Two different covers are too few: the first song's that has one.
        let one = try await look(try picture(client, "artwork playlist few 120"))
        #expect(one.size == "120,80" && one.colour[0] > 240 && one.colour[1] < 20)
        let four = try picture(client, "artwork playlist many 121", more: " png")
        let mosaic = try await look(four)
        // A quarter each of red, green, blue and white.
        #expect(mosaic.size == "120,120" && mosaic.colour.allSatisfy { (118...138).contains($0) }, "\(mosaic)")
        #expect(try picture(client, "artwork playlist many 121", more: " png") == four)
        #expect(try picture(client, #"artwork filter "(genre == 'Art')" 121"#, more: " png") == four)
        let album = try await look(try picture(client, #"artwork filter "(album == '3')" 120"#))
        #expect(album.size == "120,80" && album.colour[2] > 240)
        #expect(try await look(try picture(client, "artwork playlist many 1")).size == "1,1")
        for (command, answer) in [
            ("artwork playlist none 100 0", "ACK [50@0] {artwork} No such playlist"),
            ("artwork playlist http://localhost/x.m3u 100 0", "ACK [50@0] {artwork} No such playlist"),
            (#"artwork filter "(album == 'none')" 100 0"#, "ACK [50@0] {artwork} there is no picture"),
            ("artwork filter \"(file == 'bare/song.flac')\" 100 0", "ACK [50@0] {artwork} there is no picture"),
            ("artwork filter nonsense 100 0", "ACK [2@0] {artwork} "),
            ("artwork playlist many 121 99999999", "ACK [2@0] {artwork} Offset too large"),
        ] {
            let found = client.ask(command).last ?? ""
            #expect(found.hasPrefix(answer), "\(command): \(found)")
        }
    }
}
