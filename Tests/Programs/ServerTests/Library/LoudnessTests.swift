import AudioTypes
import Foundation
import TestSupport
import TestThreads
import Testing

/// Songs without ReplayGain are measured while nothing plays, and sound equally loud then.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct LoudnessTests {
    /// Two songs of an album, the second 12 dB quieter, and one that has a gain.
    private func music(in folder: TemporaryFolder) async throws -> String {
        let music = try folder.makeFolder("mine/album").replacing("/album", with: "")
        for (name, amplitude, tags) in [
            ("1.flac", Float(0.4), ["title": "Loud"]), ("2.flac", 0.1, ["title": "Quiet"]),
            ("3.flac", 0.4, ["REPLAYGAIN_TRACK_GAIN": "-1.00 dB"]),
        ] {
            var tags = tags
            (tags["album"], tags["album_artist"]) = ("An Album", "Somebody")
            let path = try await MediaFixtures.audio("loudness-\(name)", .flac, tags: tags) {
                Signal.noise(frames: 3 * 44_100, amplitude: amplitude)
            }
            try FileManager.default.copyItem(atPath: path, toPath: "\(music)/album/\(name)")
        }
        return music
    }

    private func settings(_ folder: TemporaryFolder, mode: String, type: String = "null") -> Segued.Form {
        .toml(
            """
            listen = ["unix:\(folder.file("socket"))"]
            auto-update = false
            [replay-gain]
            mode = "\(mode)"
            missing-preamp = -40
            [[output]]
            name = "here"
            type = "\(type)"
            format = "44100:16:2"
            """
        )
    }

    private func waitUntilMeasured(_ client: LineClient) throws {
        try wait(for: "all to be measured") { try client.values("library status")["unmeasured"] == "0" }
    }

    private func facts(_ client: LineClient, _ uri: String) throws -> [String: Double] {
        try client.values("library loudness \(uri)").compactMapValues { Double($0) }
    }

    @Test func measuredSongsAreHeardAtTheReference() async throws {
        let folder = try TemporaryFolder()
        let music = try await music(in: folder)
        let heard = folder.file("heard")
        let server = try await Segued.start(
            settings(folder, mode: "track", type: "pipe:\(heard)"),
            in: folder,
            music: music
        )
        let client = try server.connect()
        try waitUntilMeasured(client)
        #expect(try client.values("library status")["measured"] == "2")
        #expect(try client.values("library loudness album/3.flac")["source"] == "tags")
        let (loud, quiet) = (try facts(client, "album/1.flac"), try facts(client, "album/2.flac"))
        let difference = try #require(loud["loudness"]) - (try #require(quiet["loudness"]))
        #expect(abs(difference - 12.04) < 0.05)
        #expect(abs(try #require(quiet["track_gain"]) - (-18 - (try #require(quiet["loudness"])))) < 0.011)
        #expect(loud["album_gain"] == quiet["album_gain"] && loud["album_gain"] != nil)
        #expect(client.ask("library loudness nothing.flac").last?.hasPrefix("ACK [50@0]") == true)
        try client.order("add album/1.flac")
        try client.order("play")
        try wait(for: "the end") { try client.values("status")["state"] == "stop" }
        let bytes = try Data(contentsOf: URL(filePath: heard))
        let samples = stride(from: 0, to: bytes.count - 1, by: 2).map { place in
            Float(Int16(truncatingIfNeeded: Int(bytes[place]) | Int(bytes[place + 1]) << 8)) / 32_768
        }.filter { $0 != 0 }
        let expected = 20 * log10(0.4 / 3.0.squareRoot()) + (try #require(loud["track_gain"]))
        #expect(abs(Analysis.level(samples) - expected) < 0.2)

        // Other tags and another place leave it what it is, also in another process.
        try await server.stop()
        try ChildProcess.run("metaflac", ["--set-tag=TITLE=New", "\(music)/album/1.flac"])
        try FileManager.default.moveItem(atPath: "\(music)/album/1.flac", toPath: "\(music)/moved.flac")
        let next = try await Segued.start(settings(folder, mode: "off"), in: folder, music: music)
        let other = try next.connect()
        try other.order("update")
        try await next.waitForUpdates()
        #expect(try other.values("library status")["unmeasured"] == "0")
        #expect(try facts(other, "moved.flac")["loudness"] == loud["loudness"])
    }

    /// It is measured only when a zone uses it, while none plays, and not while the library is paused.
    @Test func itIsMeasuredOnlyWhileItIsWantedAndNothingPlays() async throws {
        let folder = try TemporaryFolder()
        let music = try await music(in: folder)
        let server = try await Segued.start(settings(folder, mode: "off"), in: folder, music: music)
        let client = try server.connect()
        func unmeasured() throws -> String? { try client.values("library status")["unmeasured"] }
        try await Task.sleep(for: .seconds(0.5))
        #expect(try unmeasured() == "2", "no zone evens loudness out")
        try client.order("add album/3.flac")
        try client.order("repeat 1")
        try client.order("play")
        try wait(for: "the song") { try client.values("status")["state"] == "play" }
        try client.order("replay_gain_mode auto")
        try await Task.sleep(for: .seconds(0.5))
        #expect(try unmeasured() == "2", "something plays")
        try client.order("library pause")
        try client.order("stop")
        try await Task.sleep(for: .seconds(0.5))
        #expect(try unmeasured() == "2", "it is paused")
        try client.order("library resume")
        try waitUntilMeasured(client)
    }
}
