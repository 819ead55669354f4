import Glibc
import TestSupport
import TestThreads
import Testing

/// Streams of programs that have media players on the message bus.
@Suite(
    .blocking,
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled("PulseAudio or python3-dbus is not installed") {
        PulseServer.missing.isEmpty && ScriptedPlayer.missing.isEmpty
    }
)
struct ForeignPlayerTests {
    private func stage(hesitation: Double = 0) async throws -> (ForeignStage, LineClient, ScriptedPlayer) {
        let stage = try await ForeignStage(bus: MessageBus())
        let client = try stage.connect()
        let player = try ScriptedPlayer(on: stage, hesitation: hesitation)
        try client.waitForForeign()
        return (stage, client, player)
    }

    /// The player is paused, not the stream muted, and plays on when the call is over.
    @Test func aPlayerIsPausedAndPlaysOn() async throws {
        let (stage, client, player) = try await stage()
        let call = try client.begin("call")
        try client.wait { player.deeds == ["Playing", "Paused"] }
        try stage.wait(for: "silence") { $0.isEmpty }
        try client.wait { try client.foreignSessions().first?["pausedplayer"] == "org.mpris.MediaPlayer2.scripted" }
        #expect(try client.foreignSessions().first?["state"] == "interrupted")
        let events = try client.events()
        #expect(events.contains { $0["type"] == "foreignPaused" && $0["player"] == "org.mpris.MediaPlayer2.scripted" })
        #expect(!events.contains { $0["type"] == "foreignMuted" })
        #expect(stage.journal.isEmpty, "its volume was left alone")
        try client.order("session interrupt end \(call)")
        try client.wait { player.deeds == ["Playing", "Paused", "Playing"] }
        try client.waitForForeign()
        #expect(try stage.streams().map(\.isMuted) == [false])
    }

    /// What the user did meanwhile counts: the player does not play on.
    @Test(arguments: [["Stop"], ["Play", "Pause"]])
    func aPlayerThatWasTouchedIsLeftAlone(_ deeds: [String]) async throws {
        let (stage, client, player) = try await stage()
        let call = try client.begin("call")
        try client.wait { try client.foreignSessions().first?["pausedplayer"] != nil }
        for deed in deeds {
            try player.order(deed, on: stage)
            if deed == "Play" { try client.waitForForeign() }
        }
        try client.wait { player.deeds.count == 2 + deeds.count }
        try client.order("session interrupt end \(call)")
        try client.wait { try client.foreignSessions().isEmpty }
        // An order that was sent would have come before this one.
        try player.order("Stop", on: stage)
        try client.wait { player.deeds.count > 2 + deeds.count }
        #expect(player.deeds.dropFirst(2 + deeds.count) == ["Stopped"])
    }

    /// A player that takes its time, as on a busy machine, is muted first, paused then, and plays on, to be heard again.
    @Test func aSlowPlayerIsMutedUntilItPauses() async throws {
        let (stage, client, player) = try await stage(hesitation: 1)
        let call = try client.begin("call")
        try client.wait { try client.foreignSessions().first?["pausedplayer"] != nil }
        try client.wait { player.deeds == ["Playing", "Paused"] }
        let types = try client.events().compactMap { $0["type"] }.filter { $0.hasPrefix("foreign") }
        #expect(types == ["foreignMuted", "foreignPaused"])
        try client.order("session interrupt end \(call)")
        try client.wait { player.deeds == ["Playing", "Paused", "Playing"] }
        try client.waitForForeign()
        try stage.wait(for: "its sound") { $0.map(\.isMuted) == [false] }
    }

    /// A paused player plays on when the server that paused it ends.
    @Test func aPausedPlayerPlaysOnWhenTheServerEnds() async throws {
        let (stage, client, player) = try await stage()
        _ = try client.begin("call bound 0")
        try client.wait { try client.foreignSessions().first?["pausedplayer"] != nil }
        try await stage.terminate()
        try TestSupport.wait(for: "the player") { player.deeds == ["Playing", "Paused", "Playing"] }
    }

    /// A paused player stays so while the sound server comes back, and plays on when the call is over.
    @Test func aPausedPlayerOutlivesTheSoundServer() async throws {
        let (stage, client, player) = try await stage()
        let numbers = try stage.streams().map(\.index)
        let call = try client.begin("call")
        try client.wait { try client.foreignSessions().first?["pausedplayer"] != nil }
        stage.sound.kill()
        try client.wait { try client.values("session foreign")["foreign"] == "disconnected" }
        try await stage.sound.restart()
        try client.wait { try client.values("session foreign")["foreign"] == "watching" }
        let others = [try stage.play(), try stage.play()]
        defer { for other in others { other.end() } }
        let states = ["interrupted", "active", "active"]
        try client.wait { try client.foreignSessions().map { $0["state"] } == states }
        #expect(!Set(try stage.streams().map(\.index)).isDisjoint(with: numbers), "numbers are given again")
        #expect(player.deeds == ["Playing", "Paused"])
        try client.order("session interrupt end \(call)")
        try client.wait { player.deeds == ["Playing", "Paused", "Playing"] }
        try client.waitForForeign(3)
    }

    /// A player that was not paused here is not started, and a stream whose player is stopped already is muted.
    @Test func aPlayerThatDoesNotPauseIsMuted() async throws {
        let (stage, client, player) = try await stage()
        player.process.kill(SIGSTOP)
        defer { player.process.kill(SIGCONT) }
        let call = try client.begin("call")
        try stage.wait(for: "the mute") { $0.first?.isMuted == true }
        try client.order("session interrupt end \(call)")
        try stage.wait(for: "its sound") { $0.first?.isMuted == false }
        #expect(try client.foreignSessions().first?["state"] == "active")
    }
}
