import DBus
import Foundation
import Glibc
import MPRIS
import ProtocolClient
import Synchronization
import TestSupport
import TestThreads
import Testing

/// The programs that are missing for these tests.
private let playerPrograms = MessageBus.missing + ChildProcess.missing("playerctl", "dbus-monitor")

/// Zones and `segue play` as players on a real message bus, seen by playerctl and by a client that keeps all signals.
@Suite(.blocking, .enabled("dbus or playerctl is not installed") { playerPrograms.isEmpty })
struct MediaPlayerTests {
    /// A bus with a daemon on it, and a client of it.
    private final class Stage {
        let bus: MessageBus
        let place: Place
        let daemon: Segued
        let client: BusClient
        var remote: RemoteConnection

        init(_ more: [String] = []) async throws {
            bus = try await MessageBus()
            place = try Place()
            daemon = try Segued(in: place, place.arguments + more, environment: bus.environment)
            try daemon.waitUntilReady()
            remote = try daemon.connect()
            client = try BusClient(bus)
            try client.waitForName("org.mpris.MediaPlayer2.segue")
        }

        func playerctl(_ words: String..., player: String = "segue") async throws -> String {
            let environment = Programs.environment(bus.environment)
            let result = try await ChildProcess("playerctl", ["-p", player] + words, environment: environment).wait()
            return (result.outputText + result.errorText).trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    @Test func zonesHaveNames() async throws {
        let stage = try await Stage()
        try stage.client.waitForName("org.mpris.MediaPlayer2.segue.zone_default")
        try stage.remote.run("newpartition", "kitchen")
        try stage.client.waitForName("org.mpris.MediaPlayer2.segue.zone_kitchen")
        let players = try stage.remote.run("session", "players")
        #expect(players["mpris"] == "connected")
        #expect(players["player"] == "org.mpris.MediaPlayer2.segue")
        #expect(try await stage.place.segue("doctor").outputText.contains("media keys: org.mpris.MediaPlayer2.segue\n"))
        try stage.remote.run("delpartition", "kitchen")
        try wait(for: "the name to go") { try !stage.client.names().contains { $0.hasSuffix("kitchen") } }
        let result = try await stage.daemon.terminate()
        #expect(result.status == .code(0))
        try wait(for: "all names to go") { try !stage.client.names().contains { $0.hasPrefix("org.mpris") } }
    }

    @Test func playerctlControlsAZone() async throws {
        let stage = try await Stage()
        try stage.remote.run("add", "")
        try wait(for: "the songs") { try stage.client.get("CanPlay") == .boolean(true) }
        #expect(try await stage.playerctl("status") == "Stopped")
        _ = try await stage.playerctl("play")
        #expect(try await stage.playerctl("status") == "Playing")
        _ = try stage.remote.wait { $0.state == .playing }
        #expect(try await stage.playerctl("metadata", "mpris:length") == "20000000")
        let first = try await stage.playerctl("metadata", "title")
        _ = try await stage.playerctl("pause")
        // As often as headsets like.
        _ = try await stage.playerctl("pause")
        #expect(try await stage.playerctl("status") == "Paused")
        _ = try await stage.playerctl("next")
        #expect(try await stage.playerctl("status") == "Paused")
        #expect(try await stage.playerctl("metadata", "title") != first)
        _ = try await stage.playerctl("previous")
        _ = try await stage.playerctl("position", "10")
        #expect(try await stage.playerctl("position").hasPrefix("10.0"))
        _ = try await stage.playerctl("position", "5-")
        #expect(try await stage.playerctl("position").hasPrefix("5.0"))
        _ = try await stage.playerctl("play-pause")
        #expect(try await stage.playerctl("status") == "Playing")
        _ = try await stage.playerctl("volume", "0.4")
        #expect(try stage.remote.run("status")["volume"] == "40")
        _ = try await stage.playerctl("loop", "Track")
        #expect(try stage.remote.run("status")["repeat"] == "1")
        #expect(try stage.remote.run("status")["single"] == "1")
        _ = try await stage.playerctl("loop", "None")
        #expect(try stage.remote.run("status")["repeat"] == "0")
        _ = try await stage.playerctl("shuffle", "On")
        #expect(try stage.remote.run("status")["random"] == "1")
        _ = try await stage.playerctl("stop")
        #expect(try await stage.playerctl("status") == "Stopped")
        // Addresses of files become songs.
        let path = stage.place.folder.file("music/one.wav")
        _ = try await stage.playerctl("open", "file://" + path)
        #expect(try await stage.playerctl("metadata", "xesam:url") == "file://" + path)
        #expect(try await stage.playerctl("status") == "Playing")
    }

    /// Rows 120, 121, 123 and 126: what is told, and what is not.
    @Test func theRulesOfSignals() async throws {
        let stage = try await Stage()
        let monitor = try ChildProcess(
            "dbus-monitor",
            ["--address", stage.bus.address, "type='signal',path='/org/mpris/MediaPlayer2'"]
        )
        try stage.remote.run("add", "")
        try stage.remote.run("play")
        try wait(for: "playing") { try stage.client.get("PlaybackStatus") == .string("Playing") }
        try wait(for: "the length") {
            try stage.client.get("Metadata")?.elements?.contains { $0.isEntry("mpris:length", .int64(20_000_000)) }
                == true
        }
        try wait(for: "time to pass") { (try stage.client.get("Position")?.integer ?? 0) > 300_000 }
        let played = stage.client.takeSignals()
        #expect(played.contains { $0.member == "PropertiesChanged" })
        #expect(!played.contains { $0.member == "Seeked" })

        // A seek is told once by each player, at its target.
        try stage.remote.run("seekcur", "10")
        try wait(for: "Seeked") { stage.client.count(of: "Seeked") == 2 }
        _ = try stage.client.get("Position")
        let sought = stage.client.takeSignals()
        let times = sought.filter { $0.member == "Seeked" }.compactMap { $0.arguments.first?.integer }
        #expect(times.count == 2)
        for time in times { #expect((10_000_000..<10_200_000).contains(time)) }
        #expect(!sought.contains { $0.member == "PropertiesChanged" })

        // What changes nothing is not told.
        try stage.remote.run("volume", "0")
        try stage.remote.run("play")
        _ = try stage.client.get("Position")
        #expect(stage.client.takeSignals() == [])

        // Of another track, or outside it: ignored.
        let track = try stage.client.track()
        let before = try #require(try stage.client.get("Position")?.integer)
        for (path, time) in [("/other", Int64(0)), (track, -1), (track, 21_000_000)] {
            let arguments: [BusValue] = [.objectPath(try #require(ObjectPath(path))), .int64(time)]
            _ = try stage.client.call("SetPosition", arguments)
        }
        #expect(try #require(try stage.client.get("Position")?.integer) >= before)
        _ = try stage.client.call("SetPosition", [.objectPath(try #require(ObjectPath(track))), .int64(1_000_000)])
        #expect(try #require(try stage.client.get("Position")?.integer) < 5_000_000)

        // At the end of the queue there is no next track, and Next stops.
        for _ in 0..<3 { _ = try stage.client.call("Next") }
        #expect(try stage.client.get("PlaybackStatus") == .string("Stopped"))
        #expect(try stage.client.get("CanGoNext") == .boolean(false))
        _ = try stage.client.call("Next")
        #expect(try stage.client.get("PlaybackStatus") == .string("Stopped"))
        monitor.kill(SIGTERM)
        let transcript = try await monitor.wait().outputText
        #expect(transcript.contains("member=PropertiesChanged"))
        #expect(!transcript.contains("string \"Position\""))
    }

    /// A call interrupts: the player is paused, and plays again.
    @Test func anInterruptedZoneIsPaused() async throws {
        let stage = try await Stage()
        try stage.remote.run("add", "")
        try stage.remote.run("play")
        try wait(for: "playing") { try stage.client.get("PlaybackStatus") == .string("Playing") }
        let call = try stage.remote.run("session", "interrupt", "begin", "call")["session"]
        let id = try #require(call)
        try wait(for: "the pause") { try stage.client.get("PlaybackStatus") == .string("Paused") }
        try stage.remote.run("session", "interrupt", "end", id, "resume", "1")
        try wait(for: "the return") { try stage.client.get("PlaybackStatus") == .string("Playing") }
    }

    /// A thousand reads do not hold up the player, nor does it stop to answer.
    @Test func manyReads() async throws {
        let stage = try await Stage()
        try stage.remote.run("add", "")
        try stage.remote.run("play")
        try wait(for: "playing") { (try stage.client.get("Position")?.integer ?? 0) > 0 }
        for _ in 0..<1_000 { _ = try stage.client.get("Metadata") }
        let before = try #require(try stage.client.get("Position")?.integer)
        try wait(for: "it to go on") { try #require(try stage.client.get("Position")?.integer) > before }
    }

    /// Calls of any kind, with arguments of any kind, do no harm.
    @Test func hostileCalls() async throws {
        let stage = try await Stage()
        try stage.remote.run("add", "")
        var generator = SplitMix(state: 7)
        let interfaces = [
            MediaPlayerInterfaces.root, MediaPlayerInterfaces.player, MediaPlayerInterfaces.trackList,
            MediaPlayerInterfaces.playlists, .properties, .introspectable,
        ]
        for _ in 0..<3_000 {
            let interface = interfaces.randomElement(using: &generator) ?? .properties
            guard let method = interface.methods.randomElement(using: &generator) else { continue }
            let isFitting = Bool.random(using: &generator)
            let arguments = method.inputs.map { HostileValue.any($0.signature, isFitting: isFitting, &generator) }
            _ = try? stage.client.call(method.name, arguments, of: interface.name)
        }
        let position = try stage.client.get("Position")
        #expect(position != nil)
        #expect(try stage.remote.run("status")["state"] != nil)
        let result = try await stage.daemon.terminate()
        #expect(result.status == .code(0))
    }

    @Test func tracksAndPlaylists() async throws {
        let stage = try await Stage()
        try stage.remote.run("add", "")
        try stage.remote.run("save", "evening ü")
        let list = "org.mpris.MediaPlayer2.TrackList"
        try wait(for: "the tracks") { try stage.client.get("Tracks", of: list)?.elements?.count == 3 }
        let tracks = try #require(try stage.client.get("Tracks", of: list)?.elements)
        let answer = try stage.client.call("GetTracksMetadata", [.array(tracks, of: "o")], of: list)
        #expect(answer.first?.elements?.count == 3)
        _ = try stage.client.call("GoTo", [tracks[2]], of: list)
        #expect(try stage.client.track() == tracks[2].path?.description)
        _ = try stage.client.call("RemoveTrack", [tracks[0]], of: list)
        #expect(try stage.client.get("Tracks", of: list)?.elements == Array(tracks.dropFirst()))
        let lists = "org.mpris.MediaPlayer2.Playlists"
        try wait(for: "the playlist") { try stage.client.get("PlaylistCount", of: lists) == .uint32(1) }
        let order: [BusValue] = [.uint32(0), .uint32(10), .string("Alphabetical"), .boolean(false)]
        let found = try #require(try stage.client.call("GetPlaylists", order, of: lists).first?.elements?.first)
        let parts = try #require(found.parts)
        #expect(parts[1] == .string("evening ü"))
        try stage.remote.run("clear")
        _ = try stage.client.call("ActivatePlaylist", [parts[0]], of: lists)
        #expect(try stage.client.get("PlaybackStatus") == .string("Playing"))
        #expect(try stage.client.get("ActivePlaylist", of: lists) == .structure([.boolean(true), found]))
    }

    @Test func withoutMPRIS() async throws {
        let stage = try await Stage()
        let quiet = try Place()
        let settings = try quiet.folder.write("segued.toml", "mpris = false\n")
        let arguments = quiet.arguments + ["--config", settings]
        let daemon = try Segued(in: quiet, arguments, environment: stage.bus.environment)
        try daemon.waitUntilReady()
        #expect(try stage.client.names().filter { $0.hasPrefix("org.mpris") }.count == 2)
        // A reload turns it on; the first daemon has the plain names.
        let own = { try stage.client.names().filter { $0.hasSuffix(".instance\(daemon.process.pid)") }.sorted() }
        let base = "org.mpris.MediaPlayer2.segue"
        let (elected, zone) = (
            "\(base).instance\(daemon.process.pid)", "\(base).zone_default.instance\(daemon.process.pid)"
        )
        for (settings, names) in [
            ("", [elected, zone]), ("mpris-zones = false\n", [elected]), ("mpris = false\n", []),
        ] {
            _ = try quiet.folder.write("segued.toml", settings)
            daemon.process.kill(SIGHUP)
            try wait(for: "the names \(names)") { try own() == names }
        }
    }

    // MARK: Now Playing

    /// Rows 119, 122, 124 and 125: a client's session with commands is elected, shown and commanded.
    @Test func aClientsSession() async throws {
        let stage = try await Stage()
        try stage.remote.run("add", "")
        try stage.remote.run("play")
        try wait(for: "playing") { try stage.client.get("PlaybackStatus") == .string("Playing") }
        let shown = try stage.remote.run("session", "nowplaying")
        #expect([shown["name"], shown["queueindex"], shown["queuecount"]] == ["default", "0", "3"])
        #expect([shown["duration"], shown["rate"], shown["mediatype"]] == ["20", "1", "audio"])
        #expect(shown.values("command").contains("nextTrack"))
        // The cover is there when it has been made.
        let cover = stage.place.folder.file("music/cover.png")
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=64x64:d=1", "-frames:v", "1", cover])
        try wait(for: "the cover") {
            // Refused while the one before runs.
            _ = try? stage.remote.run("update")
            return try stage.remote.run("session", "nowplaying")["artwork"]?.hasPrefix("file:///") == true
        }
        let app = try stage.daemon.connect()
        let id = try #require(try app.run("session", "open", "radio")["session"])
        try app.run("session", "category", id, "playback")
        try app.run("session", "activate", id)
        try app.run("session", "playing", id, "1")
        // It takes no commands, so it is not elected.
        #expect(try stage.client.get("Identity", of: "org.mpris.MediaPlayer2") == .string("Segue"))
        try app.run("session", "commands", id, "togglePlayPause", "skipForward", "skipBackward")
        try app.run("session", "nowplaying", id, "title", "News", "artist", "Ann", "duration", "60", "elapsed", "5")
        try wait(for: "the election") {
            try stage.client.get("Identity", of: "org.mpris.MediaPlayer2") == .string("radio")
        }
        try wait(for: "the title") {
            try stage.client.get("Metadata")?.elements?.contains { $0.isEntry("xesam:title", .string("News")) } == true
        }
        #expect(try await stage.playerctl("metadata", "title") == "News")
        try wait(for: "the commands") { try stage.client.get("CanPlay") == .boolean(true) }
        #expect(try stage.client.get("CanGoNext") == .boolean(false))
        #expect(try app.run("session", "nowplaying")["title"] == "News")
        // Replaced as a whole.
        try app.run("session", "nowplaying", id, "artist", "Ann")
        try wait(for: "the title to go") {
            try stage.client.get("Metadata")?.elements?.contains { $0.isEntry("xesam:title", nil) } == false
        }

        // A command is an event, and its answer goes back.
        stage.client.begin("Seek", [.int64(15_000_000)])
        let event = try nextCommand(app)
        #expect(event["command"] == "skipForward")
        #expect(event["interval"] == "15")
        try app.run("session", "reply", try #require(event["token"]), "0")
        #expect(try stage.client.end().get() == [])
        stage.client.begin("PlayPause", [])
        let toggle = try nextCommand(app, after: event)
        try app.run("session", "reply", try #require(toggle["token"]), "110")
        #expect(throws: BusError.self) { try stage.client.end().get() }
        // Without an answer within a second it has failed; over the protocol the number is seen.
        #expect(
            try stage.remote.run("session", "send", "nowplaying", "togglePlayPause")["status"] == "200 commandFailed"
        )
        // What is not enabled is not passed on.
        #expect(try stage.remote.run("session", "send", id, "like")["status"] == "200 commandFailed")

        // Rows 127 and 128: modes are set, and a like may be taken back.
        try app.run("session", "commands", id, "changeRepeatMode", "changeShuffleMode", "like")
        try app.run("session", "nowplaying", id, "title", "News", "repeat", "all")
        try wait(for: "the mode") { try stage.client.get("LoopStatus") == .string("Playlist") }
        let player = BusValue.string("org.mpris.MediaPlayer2.Player")
        var known = try nextCommand(app, after: toggle)
        for (property, value, key, word) in [
            ("LoopStatus", BusValue.string("Track"), "repeat", "one"), ("Shuffle", .boolean(true), "shuffle", "items"),
        ] {
            let arguments = [player, .string(property), .variant(value)]
            stage.client.begin("Set", arguments, of: "org.freedesktop.DBus.Properties")
            known = try nextCommand(app, after: known)
            #expect(known[key] == word)
            try app.run("session", "reply", try #require(known["token"]), "0")
            #expect(try stage.client.end().get() == [])
        }
        try app.run("session", "send", id, "like", "1")
        let like = try nextCommand(app, after: known)
        #expect((like["command"], like["isnegative"]) == ("like", "1"))

        // It closes, and the zone is elected again.
        try app.run("session", "close", id)
        try wait(for: "the zone") { try stage.client.get("Identity", of: "org.mpris.MediaPlayer2") == .string("Segue") }
    }

    private func nextCommand(_ app: RemoteConnection, after known: [String: String] = [:]) throws -> [String: String] {
        var found: [String: String] = [:]
        try wait(for: "a command") {
            var event: [String: String] = [:]
            for pair in try app.run("session", "events").pairs {
                if pair.key == "event" { event = [:] }
                event[pair.key] = pair.value
                if event["type"] == "remoteCommand" { found = event }
            }
            return found["token"] != nil && found["token"] != known["token"]
        }
        return found
    }

    // MARK: In the foreground

    @Test func inTheForeground() async throws {
        let bus = try await MessageBus()
        let place = try Place()
        let files = ["one", "gone"].map { place.folder.file("music/\($0).wav") }
        _ = try place.folder.write("music/cover.png", "")
        let player = try ChildProcess(
            try Programs.path("segue-play"),
            ["play", "--output", "null"] + files,
            environment: Programs.environment(bus.environment)
        )
        let client = try BusClient(bus)
        client.player = "org.mpris.MediaPlayer2.segue.instance\(player.pid)"
        try client.waitForName(client.player)
        try wait(for: "playing") { try client.get("PlaybackStatus") == .string("Playing") }
        try wait(for: "the address") {
            try client.get("Metadata")?.elements?.contains { $0.isEntry("xesam:url", .string("file://" + files[0])) }
                == true
        }
        try wait(for: "the cover") {
            let cover = BusValue.string("file://" + place.folder.file("music/cover.png"))
            return try client.get("Metadata")?.elements?.contains { $0.isEntry("mpris:artUrl", cover) } == true
        }
        try wait(for: "the track to be open") { try client.get("CanSeek") == .boolean(true) }
        _ = try client.call("Pause")
        #expect(try client.get("PlaybackStatus") == .string("Paused"))
        _ = client.takeSignals()
        _ = try client.call("Seek", [.int64(5_000_000)])
        #expect(try #require(try client.get("Position")?.integer) >= 5_000_000)
        #expect(client.takeSignals().filter { $0.member == "Seeked" }.count == 1)
        _ = try client.call("Play")
        #expect(try client.get("PlaybackStatus") == .string("Playing"))
        _ = try client.call("Next")
        try wait(for: "the next track") {
            try client.get("Metadata")?.elements?.contains { $0.isEntry("xesam:url", .string("file://" + files[1])) }
                == true
        }
        _ = try client.call("Quit", of: "org.mpris.MediaPlayer2")
        #expect(try await player.wait(within: .patience).status == .code(0))
    }

    /// A cover in the file itself is a file for the desktop's panels while it plays.
    @Test(.enabled("ffmpeg is not installed") { MediaFixtures.missing.isEmpty })
    func anEmbeddedCoverIsShown() async throws {
        let bus = try await MessageBus()
        let folder = try TemporaryFolder()
        let (cover, song, runtime) = (
            folder.file("picture.png"), folder.file("song.flac"), try folder.makeFolder("run")
        )
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=700x700:d=1", "-frames:v", "1", cover])
        try await MediaFixtures.ffmpeg([
            "-f", "lavfi", "-i", "sine=d=60", "-i", cover, "-map", "0:a", "-map", "1:v", "-disposition:v",
            "attached_pic", song,
        ])
        let environment = bus.environment.merging(["XDG_RUNTIME_DIR": runtime]) { $1 }
        let player = try ChildProcess(
            try Programs.path("segue-play"),
            ["play", "--output", "null", song],
            environment: Programs.environment(environment)
        )
        let client = try BusClient(bus)
        client.player = "org.mpris.MediaPlayer2.segue.instance\(player.pid)"
        try client.waitForName(client.player)
        let prefix = "file://\(runtime)/segue/cover-\(player.pid)-"
        try wait(for: "the cover") {
            try client.get("Metadata")?.elements?.contains { entry in
                guard case .entry(.string("mpris:artUrl"), .variant(let value)) = entry else { return false }
                return value.text?.hasPrefix(prefix) == true
            } == true
        }
        let made = try #require(try FileManager.default.contentsOfDirectory(atPath: "\(runtime)/segue").first)
        #expect(try Data(contentsOf: URL(filePath: "\(runtime)/segue/\(made)")).starts(with: [0xFF, 0xD8]))
        _ = try client.call("Quit", of: "org.mpris.MediaPlayer2")
        #expect(try await player.wait(within: .patience).status == .code(0))
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(runtime)/segue").isEmpty)
    }

    /// A song that begins has no cover until its own is found.
    @Test func aNewSongNeverHasTheOldCover() async throws {
        let bus = try await MessageBus()
        let place = try Place()
        for album in ["a", "b"] {
            _ = try place.folder.makeFolder("music/\(album)")
            let song = "music/\(album)/song.wav"
            try FileManager.default.copyItem(
                atPath: place.folder.file("music/one.wav"),
                toPath: place.folder.file(song)
            )
            _ = try place.folder.write("music/\(album)/cover.png", "")
        }
        let player = try ChildProcess(
            try Programs.path("segue-play"),
            ["play", "--output", "null"] + ["a", "b"].map { place.folder.file("music/\($0)/song.wav") },
            environment: Programs.environment(bus.environment)
        )
        let client = try BusClient(bus)
        client.player = "org.mpris.MediaPlayer2.segue.instance\(player.pid)"
        try client.waitForName(client.player)
        let covers = ["a", "b"].map { BusValue.string("file://" + place.folder.file("music/\($0)/cover.png")) }
        func shows(_ cover: BusValue) throws -> Bool {
            try client.get("Metadata")?.elements?.contains { $0.isEntry("mpris:artUrl", cover) } == true
        }
        try wait(for: "the first cover") { try shows(covers[0]) }
        _ = client.takeSignals()
        _ = try client.call("Next")
        var told: [String] = []
        // The property may have it before the signal is there.
        try wait(for: "the second cover") {
            told += client.takeSignals().map { "\($0.arguments)" }.filter { $0.contains("music/b/song.wav") }
            return told.contains { $0.contains("music/b/cover.png") }
        }
        #expect(try shows(covers[1]))
        #expect(!told.contains { $0.contains("music/a/cover.png") }, "\(told)")
        _ = try client.call("Quit", of: "org.mpris.MediaPlayer2")
        #expect(try await player.wait(within: .patience).status == .code(0))
    }

    @Test func inTheForegroundWithoutMPRIS() async throws {
        let bus = try await MessageBus()
        let place = try Place()
        let player = try ChildProcess(
            try Programs.path("segue-play"),
            ["play", "--output", "null", "--no-mpris", "--json", place.folder.file("music/one.wav")],
            environment: Programs.environment(bus.environment)
        )
        let client = try BusClient(bus)
        try wait(for: "the start") { player.outputText.contains("itemStarted") || player.outputText.contains("\"item") }
        #expect(try !client.names().contains { $0.hasPrefix("org.mpris") })
        player.kill(SIGTERM)
        _ = try await player.wait(within: .patience)
    }
}

/// Values at the limits of their types.
private enum HostileValue {
    static func any(_ signature: String, isFitting: Bool, _ generator: inout SplitMix) -> BusValue {
        let signatures = ["b", "x", "d", "s", "o", "v", "ao", "u", "(oss)"]
        let signature = isFitting ? signature : signatures.randomElement(using: &generator) ?? "s"
        let paths = ["/", "/org/segue/zone/default/track/1", "/org/segue/zone/default/track/4294967296", "/_zz"]
        let path = BusValue.objectPath(ObjectPath(paths.randomElement(using: &generator) ?? "/") ?? ObjectPath("a"))
        switch signature {
        case "b": return .boolean(Bool.random(using: &generator))
        case "u": return .uint32([0, 1, .max].randomElement(using: &generator) ?? 0)
        case "x": return .int64([0, -1, .min, .max, 5_000_000, 20_000_000].randomElement(using: &generator) ?? 0)
        case "d": return .double([0, -1, 0.5, .nan, .infinity, 1e300].randomElement(using: &generator) ?? 0)
        case "o": return path
        case "ao":
            return .array(
                Array(repeating: path, count: [0, 1, 50, 5_000].randomElement(using: &generator) ?? 0),
                of: "o"
            )
        case "v": return .variant(any(signatures.randomElement(using: &generator) ?? "s", isFitting: true, &generator))
        case "(oss)": return .structure([path, .string(""), .string("\u{1F3B5}")])
        default: return .string(texts.randomElement(using: &generator) ?? "")
        }
    }

    private static let texts =
        ["", "Track", "Alphabetical", "file:///", "file:///nonexistent", "http://127.0.0.1:1/a", "x:y"]
        + MediaPlayerInterfaces.player.properties.map(\.name) + ["org.mpris.MediaPlayer2.Player"]
        + [String(repeating: "a", count: 100_000)]
}

extension BusValue {
    fileprivate var parts: [BusValue]? { if case .structure(let parts) = self { parts } else { nil } }

    /// Whether it is a dictionary's entry of that key, and of that value unless that is `nil`.
    fileprivate func isEntry(_ key: String, _ value: BusValue?) -> Bool {
        guard case .entry(.string(key), let found) = self else { return false }
        return value == nil || found == value.map { .variant($0) }
    }
}
