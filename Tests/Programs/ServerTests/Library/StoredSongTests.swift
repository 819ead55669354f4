import Foundation
import TestSupport
import TestThreads
import Testing

/// Stored playlists, sheets and directories as the library knows them.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct StoredSongTests {
    private let own: OwnMusic

    init() async throws { own = try await OwnMusic() }

    @Test func playlistsAreSearched() async throws {
        let server = try await Segued.start(in: own.folder, music: own.path)
        let client = try server.connect()
        for uri in ["two.flac", "http://127.0.0.1:9/Two", "one.flac", "two.flac"] {
            try client.order("playlistadd Mix \"\(uri)\"")
        }
        let title = try #require(try client.values("lsinfo two.flac")["Title"])
        func found(_ filter: String) -> [String] { own.uris(client, "searchplaylist Mix \(filter)") }
        #expect(found("title \"\(title.uppercased())\"") == ["two.flac", "two.flac"])
        #expect(found("\"(title == \\\"\(title)\\\")\" 1:") == ["two.flac"])
        #expect(found("title \"\(title)\" 0:1") == ["two.flac"])
        #expect(found("file O") == ["two.flac", "http://127.0.0.1:9/Two", "one.flac", "two.flac"])
        #expect(found("file O 1:3") == ["http://127.0.0.1:9/Two", "one.flac"])
        #expect(found("title nobody") == [])
        #expect(client.ask("searchplaylist Mix").last?.hasPrefix("ACK [2@0] {searchplaylist}") == true)
        #expect(client.ask("searchplaylist None title x").last?.hasPrefix("ACK [50@0] {searchplaylist}") == true)
        #expect(try client.values("searchplaylist Mix title \"\(title)\"")["duration"] != nil)
    }

    /// A playlist's stickers go where it goes, and do not wait for another one of its name.
    @Test func stickersStayWithTheirPlaylist() async throws {
        let server = try await Segued.start(in: own.folder, music: own.path)
        let client = try server.connect()
        try client.order("playlistadd Old one.flac")
        try client.order("sticker set playlist Old mood calm")
        try client.order("rename Old New")
        #expect(client.ask("sticker get playlist New mood") == ["sticker: mood=calm", "OK"])
        #expect(client.ask("sticker get playlist Old mood").last?.hasPrefix("ACK [50@0]") == true)
        try client.order("rm New")
        try client.order("playlistadd New one.flac")
        #expect(client.ask("sticker list playlist New") == ["OK"])
    }

    @Test func directoriesWithoutSongsAreNotShown() async throws {
        for folder in ["Empty/Below", "Scans/Front", "Lists/Mine"] {
            try own.files.createDirectory(atPath: "\(own.path)/\(folder)", withIntermediateDirectories: true)
        }
        try own.files.copyItem(atPath: own.path + "/Blue/cover.jpg", toPath: own.path + "/Scans/Front/1.jpg")
        try own.folder.write("mine/Lists/Mine/a.m3u", "http://127.0.0.1:9/\n")
        let server = try await Segued.start(in: own.folder, music: own.path)
        let client = try server.connect()
        let shown = client.ask("listall").filter { $0.hasPrefix("directory: ") }.map { String($0.dropFirst(11)) }
        #expect(shown.contains("Blue"))
        #expect(shown.contains("Lists") && shown.contains("Lists/Mine"))
        #expect(!shown.contains { $0.hasPrefix("Empty") || $0.hasPrefix("Scans") }, "\(shown)")
        #expect(client.ask("lsinfo").filter { $0.hasPrefix("directory: ") }.contains("directory: Lists"))
        #expect(!client.ask("lsinfo").contains("directory: Scans"))
        // Until there is one.
        try own.files.copyItem(atPath: own.path + "/one.flac", toPath: own.path + "/Empty/Below/one.flac")
        try own.update(client)
        #expect(client.ask("lsinfo Empty").contains("directory: Empty/Below"))
        // As it is written by who completes names.
        #expect(client.ask("listfiles Scans/") == client.ask("listfiles Scans"))
        #expect(client.ask("listfiles Scans/").first == "directory: Front")
    }

    /// A sheet's tracks in the queue are as the sheet says; those keep their numbers whose neighbours' file is gone.
    @Test func tracksFollowTheirSheet() async throws {
        func sheet(_ title: String, at second: Int) -> String {
            """
            FILE "nothing.wav" WAVE
              TRACK 01 AUDIO
                TITLE "Gone"
                INDEX 01 00:00:00
            FILE "one.flac" WAVE
              TRACK 02 AUDIO
                TITLE "\(title)"
                INDEX 01 00:00:00
              TRACK 03 AUDIO
                TITLE "Last"
                INDEX 01 00:0\(second):00

            """
        }
        try own.folder.write("mine/disc.cue", sheet("Old", at: 1))
        let server = try await Segued.start(in: own.folder, music: own.path)
        let client = try server.connect()
        #expect(own.uris(client, "lsinfo disc.cue") == ["disc.cue/track0002", "disc.cue/track0003"])
        try client.order("add disc.cue")
        try client.order("add two.flac")
        try client.order("rangeid 3 0.25:0.5")
        #expect(try client.values("playlistinfo 0")["Range"] == "0.000-1.000")
        try own.folder.write("mine/disc.cue", sheet("New", at: 2))
        try own.update(client)
        let deadline = ContinuousClock.now + .patience
        while try client.values("playlistinfo 0")["Title"] != "New", ContinuousClock.now < deadline {
            try client.order("idle playlist")
        }
        #expect(try client.values("playlistinfo 0")["Range"] == "0.000-2.000")
        #expect(try client.values("playlistinfo 1")["Range"]?.hasPrefix("2.000-") == true)
        #expect(try client.values("playlistinfo 2")["Range"] == "0.250-0.500")
    }
}
