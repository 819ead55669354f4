import AudioTypes
import TestSupport
import Testing

/// What the other tests lean on: the private servers play, and what they play is read back.
@Suite(.serialized)
struct SoundServerTests {
    @Test(.enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
    func pulseAudioPlaysWhatIsReadBack() async throws {
        try await playAndRecognise(await PulseServer.start())
    }

    @Test(.enabled("pipewire is not installed") { PipeWireServer.missing.isEmpty })
    func pipeWirePlaysWhatIsReadBack() async throws {
        try await playAndRecognise(await PipeWireServer.start())
    }

    @Test(.enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
    func restartsAtTheSameAddress() async throws {
        let server = try await PulseServer.start()
        server.kill()
        #expect(throws: ChildProcessError.self) { try server.control("info") }
        try await server.restart()
        #expect(try server.control("get-default-sink") == "bench\n")
        #expect(server.cpuSeconds > 0)
    }

    private func playAndRecognise(_ server: any SoundServer) async throws {
        let rate = server.sink.format.sampleRate
        let file = server.folder.file("position.wav")
        let signal =
            Signal.position(seconds: 2, sampleRate: rate) + Signal.softNoise(frames: 2 * rate, sampleRate: rate)
        try WaveFile.write(signal, sampleRate: rate, to: file)
        let capture = try await MonitorCapture(of: server)
        let begin = ContinuousClock.now
        let player = try ChildProcess("paplay", [file], environment: server.clientEnvironment)
        let start = try await capture.waitForSound()
        let latency = capture.current.time(of: start) - begin
        #expect(latency > .zero && latency < .seconds(2))
        let result = try await player.wait()
        #expect(result.status == .code(0))
        try await capture.waitForSilence(after: start)
        let heard = capture.stop().samples(in: start..<start + signal.count)
        #expect(Analysis.position(heard.dropFirst(rate / 2), sampleRate: rate) == 0)
        #expect(Analysis.position(heard.dropFirst(rate * 3 / 2), sampleRate: rate) == 1)
        // PulseAudio may drop the first few samples of a stream when it mixes them into a block it had begun; PipeWire,
        // without real-time rights, may be late and skip a block on a busy machine.
        let noise = try #require(Analysis.find(signal[2 * rate..<2 * rate + 4096], in: heard))
        #expect(abs(noise.offset - 2 * rate) < rate / 20)
        #expect(noise.likeness > 0.9)
        guard server is PulseServer else { return }
        #expect(Analysis.changes(at: [3 * rate], of: signal, in: heard) == [0])
        #expect(Analysis.signalToNoise(signal[2 * rate..<3 * rate], heard.dropFirst(noise.offset)) > 80)
    }
}
