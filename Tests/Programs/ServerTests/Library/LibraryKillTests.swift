import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Killed at any moment of a scan, the server goes on where it was; nothing is lost, and nothing is there twice.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { (Music.missing + LibraryPicture.missing).isEmpty })
struct LibraryKillTests {
    private static let isSoak = ProcessInfo.processInfo.environment["SEGUE_SOAK"] != nil
    private static let rounds = isSoak ? 100 : 8
    private static let songs = isSoak ? 3_000 : 720
    /// Songs that have stickers and a place in the queue.
    private static let marked = Array(stride(from: 5, to: songs, by: songs / 40))

    /// Which folder an artist's albums lie in now.
    private final class Places {
        private var folders: [Int: String] = [:]

        func folder(_ artist: Int) -> String { folders[artist] ?? "Artist \(artist)" }

        func uri(_ song: Int) -> String {
            let uri = TaggedMusic.uri(song)
            return folder(song / 36) + uri[(uri.firstIndex(of: "/") ?? uri.startIndex)...]
        }

        func move(_ artist: Int, to folder: String, in music: String) throws {
            try FileManager.default.moveItem(atPath: "\(music)/\(self.folder(artist))", toPath: "\(music)/\(folder)")
            folders[artist] = folder
        }
    }

    @Test(.timeLimit(.minutes(20))) func killed() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("tagged")
        _ = try await TaggedMusic(songs: Self.songs, coverSize: 16, at: music)
        let places = Places()
        var generator = SystemRandomNumberGenerator()
        try await firstScan(folder, music, &generator)
        try await mark(folder, music)
        for round in 0..<Self.rounds {
            for artist in 0..<Self.songs / 36 where Int.random(in: 0..<4, using: &generator) == 0 {
                try places.move(artist, to: "Moved \(round) \(artist)", in: music)
            }
            try await killInScan("update", folder, music, &generator)
        }
        let server = try await Segued.start(in: folder, music: music)
        let client = try server.connect()
        try client.order("update")
        try await server.waitForUpdates()
        #expect(!server.process.errorText.contains("damaged"), "\(server.process.errorText)")
        #expect(try client.values("stats")["songs"] == "\(Self.songs)")
        let expected = try await LibraryPicture.fresh(music)
        let difference = try LibraryPicture.difference(server, expected)
        #expect(difference == "", "\(difference)")
        for song in Self.marked {
            #expect(client.ask("sticker get song \"\(places.uri(song))\" n") == ["sticker: n=\(song)", "OK"])
        }
        let queue = try client.order("playlistinfo").filter { $0.hasPrefix("file: ") }
        #expect(queue == Self.marked.map { "file: \(places.uri($0))" })
        #expect(try client.order("listplaylist kept") == Self.marked.map { "file: \(places.uri($0))" })
    }

    /// Kills a scan of everything until one has come to its end.
    private func firstScan(
        _ folder: TemporaryFolder,
        _ music: String,
        _ generator: inout SystemRandomNumberGenerator
    )
        async throws
    {
        for _ in 0..<Self.rounds { try await killInScan(nil, folder, music, &generator) }
        let server = try await Segued.start(in: folder, music: music)
        #expect(try server.connect().values("stats")["songs"] == "\(Self.songs)")
        try await server.stop()
    }

    private func killInScan(
        _ command: String?,
        _ folder: TemporaryFolder,
        _ music: String,
        _ generator: inout SystemRandomNumberGenerator
    ) async throws {
        let server = try await Segued.start(in: folder, music: music, waitsForLibrary: false)
        if let command { try server.connect().order(command) }
        usleep(UInt32.random(in: 0...(Self.isSoak ? 700_000 : 300_000), using: &generator))
        server.process.kill(SIGKILL)
        _ = try await server.process.wait()
        #expect(try LibraryPicture.integrity(server.stateFolder + "/library.db") == "[('ok',)]\n")
    }

    private func mark(_ folder: TemporaryFolder, _ music: String) async throws {
        let server = try await Segued.start(in: folder, music: music)
        let client = try server.connect()
        for song in Self.marked {
            try client.order("sticker set song \"\(TaggedMusic.uri(song))\" n \(song)")
            try client.order("add \"\(TaggedMusic.uri(song))\"")
        }
        try client.order("save kept")
        try await server.stop()
    }
}
