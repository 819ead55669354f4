import Foundation
import Glibc
import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// `segue import-mpd`, with what a real mpd has left.
@Suite(
    .blocking,
    .timeLimit(.minutes(5)),
    .enabled(if: ChildProcess.missing("mpd").isEmpty, "needs Debian's package mpd")
)
struct ImportTests {
    @Test func everythingIsTakenOverAndOnlyOnce() async throws {
        let place = try Place()
        let configuration = try await runMPD(in: place)
        let dry = try await place.segue("import-mpd", "--mpd-conf", configuration, "--dry-run")
        #expect(dry.status == .code(0))
        #expect(dry.outputText == "would import: 4 songs, 1 playlist, 2 stickers\n")
        let alone = try await place.segue("import-mpd", "--mpd-conf", configuration)
        #expect(alone.status == .code(3), "there is no server yet")

        let daemon = try Segued.start(in: place)
        let client = try daemon.connect()
        // A song that is queued before the library knows it changes in the queue once it does.
        while try client.run("stats")["songs"] != "2" { _ = try client.idle(["database"]) }
        let first = try await place.segue("import-mpd", "--mpd-conf", configuration, "--verbose")
        #expect(first.status == .code(1), "one song is not there")
        #expect(
            first.outputText
                == "imported: 3 songs, 1 playlist, 1 sticker; 1 song is not in the music directory, "
                + "1 sticker belongs to songs that do not exist\n"
        )
        #expect(first.errorText.contains("not in the music directory: gone.wav\n"))
        try expectEverything(client)
        #expect(ServerStatus(try client.run("status")).state == .paused)

        let version = try client.run("status")["playlist"]
        let second = try await place.segue("import-mpd", "--mpd-conf", configuration)
        #expect(second.status == .code(0))
        #expect(second.errorText.contains("the queue has 3 songs, so it stays"))
        #expect(second.errorText.contains("the playlist 'My list' exists with other songs"))
        #expect(try client.run("status")["playlist"] == version)

        let third = try await place.segue("import-mpd", "--mpd-conf", configuration, "--replace", "--play", "--json")
        #expect(third.outputText.contains("\"missing_songs\":[\"gone.wav\"]"))
        try expectEverything(client)
        #expect(ServerStatus(try client.run("status")).state == .playing)
        #expect(try await daemon.terminate().status == .code(0))
    }

    /// A playlist whose name is the same letters in another form is another one.
    @Test func namesInTwoFormsAreTwoPlaylists() async throws {
        let place = try Place()
        let names = ["\u{e9}", "e\u{301}"]
        _ = try place.folder.makeFolder("lists")
        try place.folder.write("lists/\(names[1]).m3u", "two ü.wav\n")
        let configuration = try place.folder.write(
            "mpd.conf",
            "playlist_directory \"\(place.folder.file("lists"))\"\ndb_file \"\(place.folder.file("db"))\"\n"
        )
        let daemon = try Segued.start(in: place)
        let client = try daemon.connect()
        try client.run("playlistadd", names[0], "one.wav")
        let result = try await place.segue("import-mpd", "--mpd-conf", configuration)
        #expect(result.status == .code(0), "\(result.errorText)")
        #expect(try client.run("listplaylist", names[0]).values("file") == ["one.wav"])
        #expect(try client.run("listplaylist", names[1]).values("file") == ["two ü.wav"])
    }

    private func expectEverything(_ client: RemoteConnection) throws {
        let songs = try client.run("playlistinfo").songs
        #expect(songs.map(\.uri) == ["two ü.wav", "http://127.0.0.1:9/x.mp3", "one.wav"])
        #expect(songs.map(\.priority) == [nil, nil, 7])
        #expect(songs[0]["Range"] == "0.500-19.000")
        #expect(songs[1].title == "A stream")
        let status = ServerStatus(try client.run("status"))
        #expect(status.volume == 33 && status.crossfade == 4 && status.consume == "1" && status.random)
        #expect(status.position == 0)
        #expect((4.9...9).contains(status.elapsed ?? 0))
        let outputs = try client.run("outputs").groups(startingWith: "outputid")
        #expect(outputs.map { $0["outputenabled"] } == ["1"])
        #expect(
            try client.run("listplaylist", "My list").values("file") == [
                "two ü.wav", "http://127.0.0.1:9/x.mp3", "one.wav",
            ]
        )
        #expect(try client.run("sticker", "list", "song", "two ü.wav").values("sticker") == ["rating=a = 5\" ü"])
    }

    /// Has mpd work, ends it, and takes a song away.
    ///
    /// - Returns: Its configuration.
    private func runMPD(in place: Place) async throws -> String {
        let folder = place.folder
        _ = try folder.makeFolder("lists")
        let socket = folder.file("mpd.sock")
        let configuration = try folder.write(
            "mpd.conf",
            """
            music_directory "\(folder.file("music"))"
            playlist_directory "\(folder.file("lists"))"
            state_file "\(folder.file("mpdstate"))"
            sticker_file "\(folder.file("sticker.sql"))"
            db_file "\(folder.file("db"))"
            bind_to_address "\(socket)"
            zeroconf_enabled "no"
            audio_output {
                type "null"
                name "null"
                mixer_type "software"
            }

            """
        )
        let mpd = try ChildProcess("mpd", ["--no-daemon", "--stderr", configuration])
        try await waitForSocket(socket, of: mpd)
        let client = try place.connect(.socket(path: socket))
        try client.run("update")
        while ServerStatus(try client.run("status")).updateJob != nil { _ = try client.idle(["update"]) }
        try client.run([
            Request("addid", "two ü.wav"), Request("addid", "http://127.0.0.1:9/x.mp3"), Request("addid", "gone.wav"),
            Request("addid", "one.wav"), Request("rangeid", "1", "0.5:19"), Request("prioid", "7", "4"),
            Request("addtagid", "2", "Title", "A stream"), Request("random", "1"), Request("consume", "1"),
            Request("crossfade", "4"), Request("setvol", "33"), Request("save", "My list"),
            Request("sticker", "set", "song", "two ü.wav", "rating", "a = 5\" ü"),
            Request("sticker", "set", "song", "gone.wav", "rating", "1"), Request("seekid", "1", "5"),
        ])
        _ = try client.wait { $0.state == .playing && ($0.elapsed ?? 0) >= 5 }
        mpd.kill(SIGTERM)
        _ = try await mpd.wait()
        try FileManager.default.removeItem(atPath: folder.file("music/gone.wav"))
        return configuration
    }

    /// An address that mpd has is named with the process and the command that ends it, which is said once.
    @Test func whoHasTheAddressIsTold() async throws {
        let place = try Place()
        let port = try ListeningSocket.tcp().port
        let configuration = try place.folder.write(
            "mpd.conf",
            """
            db_file "\(place.folder.file("db"))"
            bind_to_address "127.0.0.1"
            bind_to_address "\(place.socket)"
            port "\(port)"
            zeroconf_enabled "no"
            audio_output {
                type "null"
                name "null"
            }

            """
        )
        let mpd = try ChildProcess("mpd", ["--no-daemon", "--stderr", configuration])
        try await waitForSocket(place.socket, of: mpd)
        let daemon = try Segued(in: place, place.arguments + ["--listen", "tcp:127.0.0.1:\(port)"])
        let result = try await daemon.process.wait()
        #expect(result.status == .code(1))
        for address in ["unix:\(place.socket)", "tcp:127.0.0.1:\(port)"] {
            #expect(result.errorText.contains("cannot listen at \(address): mpd (process \(mpd.pid)) has it\n"))
        }
        #expect(result.errorText.split(separator: "\n").count { $0.contains("stop it for good with:") } == 1)
        mpd.end()
    }
}
