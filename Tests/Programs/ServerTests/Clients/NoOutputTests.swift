import TestSupport
import TestThreads
import Testing

/// A zone that nobody can hear pauses, as MPD's does.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct NoOutputTests {
    @Test func playingWithoutAnOutputPauses() async throws {
        let client = try await Segued.start().connect()
        try client.order("add one.flac")
        try client.order("disableoutput 0")
        try client.order("play")
        let status = try client.values("status")
        #expect(status["state"] == "pause" && status["error"] == "no output is enabled", "\(status)")
        #expect(
            try client.order("why").filter { $0.hasPrefix("cause: ") } == [
                "cause: paused by the server, because no output was enabled", "cause: no output is enabled",
            ]
        )
        try client.order("enableoutput 0")
        try client.order("pause 0")
        try client.wait("audio", "44100:16:2")
        #expect(try client.values("status")["error"] == nil)
        try wait(for: "the cause") {
            try client.order("why") == ["cause: it is playing at its set volume", "reason: playing"]
        }
    }

    @Test func disablingTheLastOutputPauses() async throws {
        let client = try await Segued.start().connect()
        try client.order("add one.flac")
        try client.order("play")
        try client.wait("audio", "44100:16:2")
        try client.order("disableoutput 0")
        try client.wait("state", "pause")
        #expect(try client.values("status")["error"] == "no output is enabled")
        try client.order("play")
        #expect(try client.values("status")["state"] == "pause")
    }

    /// As in MPD: what changes the song or its place keeps the pause and its reason, and an output alone starts nothing.
    @Test func nothingPlaysUntilAnOutputIsEnabledAndPlayIsSaid() async throws {
        let client = try await Segued.start().connect()
        for song in ["one.flac", "two.flac"] { try client.order("add \(song)") }
        try client.order("play")
        try client.wait("audio", "44100:16:2")
        try client.order("disableoutput 0")
        try client.wait("state", "pause")
        for command in ["seekcur 1", "next", "previous", "play 1", "seek 0 1", "pause 0", "play"] {
            try client.order(command)
            let status = try client.values("status")
            #expect(status["state"] == "pause" && status["error"] == "no output is enabled", "\(command): \(status)")
        }
        try client.order("enableoutput 0")
        try wait(for: "the end of the error") { try client.values("status")["error"] == nil }
        #expect(try client.values("status")["state"] == "pause")
        #expect(
            try client.order("why").filter { $0.hasPrefix("cause: ") } == [
                "cause: paused by the server, because no output was enabled"
            ]
        )
        try client.order("play")
        #expect(try client.values("status")["state"] == "play")
    }

    /// A zone that has no output pauses, too, unless it got what it plays from another zone just now.
    @Test func aZoneWithoutOutputsPauses() async throws {
        let client = try await Segued.start().connect()
        for command in ["newpartition bare", "partition bare", "add one.flac", "play"] { try client.order(command) }
        let status = try client.values("status")
        #expect(status["state"] == "pause" && status["error"] == "no output is enabled", "\(status)")
    }
}
