import AudioTypes
import Playback
import TestSupport
import Testing

/// `module-role-cork` asks a stream for silence while another program has a call.
@Suite(.serialized, .enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
struct SilenceRequestTests {
    private let stage: PulseStage

    init() async throws {
        stage = try await PulseStage()
        await stage.play(try await noiseFile(20))
        // The module asks only streams that play.
        try await stage.capture.waitForSound()
        try stage.server.control("load-module", "module-role-cork", "trigger_roles=phone", "cork_roles=music")
    }

    private func call() async throws -> ChildProcess {
        let call = try stage.server.playSilence(role: "phone")
        try await stage.log.wait("a request") { $0 == .silenceRequested(true) }
        return call
    }

    private func waitForEnd() async throws {
        try await stage.log.wait("the request's end") { $0 == .silenceRequested(false) }
    }

    private var streamIsMuted: Bool {
        get throws { try stage.server.streams().contains { $0.name == "Segue" && $0.isMuted } }
    }

    @Test func itEndsForAStreamThatWasCorked() async throws {
        let call = try await call()
        await stage.player.pause()
        let stage = stage
        try wait(for: "a corked stream") { try stage.server.streams().contains { $0.name == "Segue" && $0.isCorked } }
        call.end()
        try await waitForEnd()
        #expect(stage.log.all.filter { $0 == .silenceRequested(false) }.count == 1)
    }

    /// The module calls back only streams that are corked when the call ends.
    @Test func itEndsForAStreamThatPlaysOn() async throws {
        let call = try await call()
        #expect(try streamIsMuted)
        call.end()
        try await waitForEnd()
        #expect(try !streamIsMuted)
    }

    /// A server that comes back knows of no call, and asks again if there is one.
    @Test func itEndsWithTheServer() async throws {
        _ = try await call()
        stage.server.kill()
        try await waitForEnd()
    }

    /// The module mutes and unmutes the same stream as the user.
    @Test func theUsersMuteOutlastsIt() async throws {
        let call = try await call()
        await stage.player.setMuted(true)
        await stage.player.setMuted(false)
        await stage.player.setVolume(Volume(percent: 40))
        try wait(for: "the volume") { try stage.server.control("list", "sink-inputs").contains("40%") }
        #expect(try streamIsMuted, "unmuting does not end the call")
        await stage.player.setMuted(true)
        call.end()
        try await waitForEnd()
        try wait(for: "the mute") { try streamIsMuted }
    }
}
