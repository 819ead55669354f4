import Foundation
import TestSupport
import TestThreads
import Testing

/// Songs stay who they are when their files are moved, renamed or retagged: stickers, queues and playlists go along.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct MovedSongTests {
    private let own: OwnMusic
    private var folder: TemporaryFolder { own.folder }

    init() async throws { own = try await OwnMusic() }

    /// Asks for a playlist until it is as it should be; then looks at its file.
    private func waitForPlaylist(_ name: String, _ songs: [String], _ text: String, _ client: LineClient) throws {
        try wait(for: "the playlist \(name)") { own.uris(client, "listplaylist \(name)") == songs }
        #expect(try String(contentsOfFile: folder.file("playlists/\(name).m3u"), encoding: .utf8) == text)
    }

    /// Two names are exchanged, and a third file goes elsewhere, while one of them plays.
    @Test func queuesPlaylistsAndStickersFollow() async throws {
        let server = try await Segued.start(in: folder, music: own.path)
        let client = try server.connect()
        let first = "Blue/01 So What.flac"
        for (uri, rating) in [("one.flac", 1), ("two.flac", 2), (first, 3)] {
            try client.order("add \"\(uri)\"")
            try client.order("sticker set song \"\(uri)\" rating \(rating)")
        }
        let list = "#EXTM3U\n#EXTINF:12,one.flac\none.flac\n#EXTVLCOPT:x\n\nhttp://radio/one.flac\n"
        try folder.write("playlists/mine.m3u", list + "\(first)\ntwo.flac")
        try client.order("newpartition kitchen")
        try client.order("partition kitchen")
        try client.order("add two.flac")
        try client.order("partition default")
        // However long the update takes, the song is not over.
        try client.order("repeat 1")
        try client.order("single 1")
        try client.order("play 0")
        let before = try client.values("status")

        try own.move("one.flac", to: "three.flac")
        try own.move("two.flac", to: "one.flac")
        try own.move(first, to: "other/first.flac")
        try own.update(client)
        #expect(own.uris(client, "playlistinfo") == ["three.flac", "one.flac", "other/first.flac"])
        let after = try client.values("status")
        #expect(after["state"] == "play" && after["songid"] == before["songid"] && after["error"] == nil)
        #expect(Double(after["elapsed"] ?? "") ?? 0 >= Double(before["elapsed"] ?? "") ?? 0, "it goes on")
        for (uri, rating) in [("three.flac", 1), ("one.flac", 2), ("other/first.flac", 3)] {
            #expect(client.ask("sticker get song \(uri) rating") == ["sticker: rating=\(rating)", "OK"])
        }
        #expect(client.ask("sticker find song \"\" rating").filter { $0.hasPrefix("file") }.count == 3)
        let moved = list.replacing("\none.flac", with: "\nthree.flac") + "other/first.flac\none.flac"
        let songs = ["three.flac", "http://radio/one.flac", "other/first.flac", "one.flac"]
        try waitForPlaylist("mine", songs, moved, client)
        // What was read from the old places plays on from the new ones.
        for position in [1, 2, 0] {
            try client.order("play \(position)")
            var status: [String: String] = [:]
            try wait(for: "song \(position) to play") {
                status = try client.values("status")
                return status["audio"] != nil || status["error"] != nil
            }
            #expect(status["song"] == "\(position)" && status["error"] == nil && status["state"] == "play")
        }
        try client.order("partition kitchen")
        #expect(own.uris(client, "playlistinfo") == ["one.flac"])
    }

    /// A copy of a song that is deleted keeps what is said of itself, and gets what else was said of the other one.
    @Test func aCopyKeepsItsStickers() async throws {
        let server = try await Segued.start(in: folder, music: own.path)
        var client = try server.connect()
        try own.files.copyItem(atPath: own.path + "/one.flac", toPath: own.path + "/copy.flac")
        try own.update(client)
        let stickers = [("one", "rating 5"), ("one", "plays 3"), ("copy", "rating 9"), ("copy", "note mine")]
        for (name, sticker) in stickers { try client.order("sticker set song \(name).flac \(sticker)") }
        try client.order("add one.flac")
        try own.files.removeItem(atPath: own.path + "/one.flac")
        try own.update(client)
        let kept = ["sticker: note=mine", "sticker: plays=3", "sticker: rating=9", "OK"]
        #expect(client.ask("sticker list song copy.flac") == kept)
        #expect(own.uris(client, "playlistinfo") == ["copy.flac"])
        try await server.stop()
        client = try await Segued.start(in: folder, music: own.path).connect()
        #expect(client.ask("sticker list song copy.flac") == kept)
    }

    /// Two names are exchanged through a third one, and two more through a place outside; the songs go along.
    @Test(arguments: ["tmp.flac", "tmp", "../tmp.flac"]) func exchangedSongsFollow(_ place: String) async throws {
        let server = try await Segued.start(in: folder, music: own.path)
        let client = try server.connect()
        let (so, freddie) = ("Blue/01 So What.flac", "Blue/02 Freddie Freeloader.flac")
        let songs = ["one.flac", "two.flac", so, freddie]
        for (index, uri) in songs.enumerated() {
            try client.order("add \"\(uri)\"")
            try client.order("playlistadd mine \"\(uri)\"")
            if index != 1 { try client.order("sticker set song \"\(uri)\" rating \(index)") }
        }
        try client.order("repeat 1")
        try client.order("single 1")
        try client.order("play 1")
        for (a, b) in [("one.flac", "two.flac"), (so, freddie)] {
            try own.move(a, to: place)
            try own.move(b, to: a)
            try own.move(place, to: b)
        }
        try own.update(client)
        let now = ["two.flac", "one.flac", freddie, so]
        #expect(own.uris(client, "playlistinfo") == now)
        for (index, uri) in now.enumerated() {
            let expected = index == 1 ? "ACK [50@0] {sticker} no such sticker" : "sticker: rating=\(index)"
            #expect(client.ask("sticker get song \"\(uri)\" rating").first == expected)
        }
        #expect(try client.values("playlistid \(client.values("status")["songid"] ?? "")")["Title"] == "Two")
        try waitForPlaylist("mine", now, now.joined(separator: "\n") + "\n", client)
    }

    /// What plays is opened at its new place when it has to be opened again, and so is what was to follow it.
    @Test func whatPlaysIsOpenedWhereItIsNow() async throws {
        let server = try await Segued.start(in: folder, music: own.path)
        let client = try server.connect()
        for uri in ["one.flac", "two.flac", "\"Blue/01 So What.flac\""] { try client.order("add \(uri)") }
        try client.order("play 0")
        try waitForProgress(client)
        for (number, step) in ["seekcur 10", "seek 0 20", "next", "previous", "play 0"].enumerated() {
            // However long it takes, it does not end meanwhile.
            try client.order("pause 1")
            for uri in ["one", "two"] {
                let before = number == 0 ? uri : "\(uri)-\(number - 1)"
                try own.move("\(before).flac", to: "\(uri)-\(number).flac")
            }
            try own.update(client)
            #expect(try client.values("currentsong")["file"]?.hasSuffix("-\(number).flac") == true)
            try client.order(step)
            try client.order("pause 0")
            try waitForProgress(client)
            let status = try client.values("status")
            #expect(status["state"] == "play" && status["error"] == nil, "\(step): \(status)")
        }
        try client.order("stop")
        try client.order("play 1")
        try waitForProgress(client)
        #expect(try client.values("currentsong")["file"] == "two-4.flac")
    }

    /// A song of which all has been read is read again from where it is now.
    @Test func whatWasReadToItsEndIsOpenedWhereItIsNow() async throws {
        let server = try await Segued.start(in: folder, music: own.path)
        let client = try server.connect()
        for uri in ["other/untagged.wav", "one.flac"] { try client.order("add \(uri)") }
        try client.order("play 0")
        try wait(for: "the third second") { try client.values("status")["elapsed"].flatMap(Double.init) ?? 0 >= 3 }
        try client.order("pause 1")
        try own.move("other/untagged.wav", to: "other/short.wav")
        try own.move("one.flac", to: "next.flac")
        try own.update(client)
        try client.order("seekcur 0.5")
        let status = try client.wait("elapsed", "0.500")
        #expect(status["error"] == nil && status["song"] == "0", "\(status)")
        try client.order("pause 0")
        _ = try client.wait("song", "1")
        try waitForProgress(client)
        #expect(try client.values("status")["error"] == nil)
        #expect(try client.values("currentsong")["file"] == "next.flac")
    }

    /// Waits until more of the song is heard than when this is called.
    private func waitForProgress(_ client: LineClient) throws {
        func elapsed() throws -> Double? { try client.values("status")["elapsed"].flatMap(Double.init) }
        var last = try elapsed()
        for _ in 0..<3 {
            try wait(for: "the song to go on") { try elapsed() ?? -1 > last ?? -1 }
            last = try elapsed()
        }
    }

    /// A CUE sheet and what it is for, in a directory that is renamed.
    @Test func tracksOfASheetFollow() async throws {
        let sheet = """
            FILE "01 So What.flac" WAVE
            TRACK 01 AUDIO
            TITLE "First"
            INDEX 01 00:00:00
            TRACK 02 AUDIO
            TITLE "Second"
            INDEX 01 00:10:00

            """
        try own.folder.write("mine/Blue/album.cue", sheet)
        try own.folder.write("mine/other/copy.cue", sheet)
        let server = try await Segued.start(in: folder, music: own.path)
        let client = try server.connect()
        #expect(own.uris(client, "find title Second") == ["Blue/album.cue/track0002"])
        #expect(own.uris(client, "library duplicates") == [])
        try client.order("add Blue/album.cue/track0002")
        try client.order("playlistadd mine Blue/album.cue/track0002")
        try client.order("sticker set song Blue/album.cue/track0002 rating 5")
        try own.move("Blue", to: "Kind of Blue")
        try own.update(client)
        let track = "Kind of Blue/album.cue/track0002"
        #expect(own.uris(client, "find title Second") == [track])
        #expect(own.uris(client, "playlistinfo") == [track])
        #expect(client.ask("sticker get song \"\(track)\" rating") == ["sticker: rating=5", "OK"])
        try waitForPlaylist("mine", [track], track + "\n", client)
    }

    /// A song that is gone keeps its place, over restarts, until its sound is found again.
    @Test func whatWasGoneComesBack() async throws {
        let first = try await Segued.start(in: folder, music: own.path)
        var client = try first.connect()
        try client.order("add two.flac")
        try client.order("sticker set song two.flac rating 5")
        try client.order("playlistadd mine two.flac")
        try client.order("playlistadd mine one.flac")
        let added = try #require(try client.values("find title Two")["Added"])
        try own.move("two.flac", to: "../away.flac")
        try own.update(client)
        #expect(own.uris(client, "find title Two") == [])
        #expect(own.uris(client, "playlistinfo") == ["two.flac"])
        try await first.stop()

        let second = try await Segued.start(in: folder, music: own.path)
        client = try second.connect()
        #expect(own.uris(client, "playlistinfo") == ["two.flac"])
        #expect(own.uris(client, "listplaylist mine") == ["two.flac", "one.flac"])
        // Another second, so that a second arrival would show.
        while timestamp(Date()) == added { try client.order("ping") }
        try own.move("../away.flac", to: "other/zwei.flac")
        try ChildProcess.run("metaflac", ["--set-tag=album=New", own.path + "/other/zwei.flac"])
        try own.update(client)
        #expect(own.uris(client, "playlistinfo") == ["other/zwei.flac"])
        #expect(client.ask("sticker get song other/zwei.flac rating") == ["sticker: rating=5", "OK"])
        #expect(try client.values("find title Two")["Added"] == added)
        try waitForPlaylist("mine", ["other/zwei.flac", "one.flac"], "other/zwei.flac\none.flac\n", client)
    }

    private func timestamp(_ date: Date) -> String { date.ISO8601Format() }

    /// Killed before all had followed, it is made up for at the next start.
    @Test func movesOutliveTheServer() async throws {
        let first = try await Segued.start(in: folder, music: own.path)
        let client = try first.connect()
        try client.order("playlistadd mine two.flac")
        try own.move("two.flac", to: "zwei.flac")
        try own.update(client)
        try waitForPlaylist("mine", ["zwei.flac"], "zwei.flac\n", client)
        first.process.kill(SIGKILL)
        _ = try await first.process.wait()
        // As if it had been killed a moment earlier.
        try folder.write("playlists/mine.m3u", "two.flac\n")
        let second = try await Segued.start(in: folder, music: own.path)
        // One change of a playlist waits for another.
        let next = try second.connect()
        try waitForPlaylist("mine", ["zwei.flac"], "zwei.flac\n", next)
        try next.order("playlistadd other one.flac")
        // What was followed is not followed again.
        try await second.stop()
        try folder.write("playlists/mine.m3u", "two.flac\n")
        let third = try await Segued.start(in: folder, music: own.path)
        let last = try third.connect()
        try last.order("playlistadd mine one.flac")
        #expect(own.uris(last, "listplaylist mine") == ["two.flac", "one.flac"])
    }
}
