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
                "cause: paused by the server, since no output is enabled", "cause: no output is enabled",
            ]
        )
        try client.order("enableoutput 0")
        try client.order("pause 0")
        try client.wait("audio", "44100:16:2")
        #expect(try client.values("status")["error"] == nil)
        try wait(for: "the cause") { try client.order("why") == ["cause: it is playing at its set volume"] }
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
}
