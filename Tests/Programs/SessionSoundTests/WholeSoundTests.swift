import AudioTypes
import Foundation
import TestSupport
import TestThreads
import TestTiming
import Testing

/// Short sounds arrive whole at PipeWire, which passes frames on in blocks and recalls none: also the last block, and the
/// first sample.
@Suite(.serialized, .blocking, .timed, .enabled("pipewire is not installed") { PipeWireServer.missing.isEmpty })
struct WholeSoundTests {
    static let sampleRate = 48_000
    static let tones = [0.06, 1, 1.037].map { SignCode(seconds: $0, sampleRate: sampleRate, seed: UInt64($0 * 1000)) }

    private func start() async throws -> PipeWireServer {
        let format = AudioFormat(sampleFormat: .f32, sampleRate: Self.sampleRate, channels: .stereo)
        let server = try await PipeWireServer.start(NullSink(format: format), quantum: Stage.Server.quantum)
        _ = try server.folder.makeFolder("music")
        for tone in Self.tones {
            let bytes = WaveFile.bytes([tone.samples, tone.samples], sampleRate: Self.sampleRate)
            try server.folder.write("music/\(tone.count).wav", bytes)
        }
        return server
    }

    private func capture(of server: PipeWireServer) async throws -> MonitorCapture {
        var format = server.sink.format
        format.sampleFormat = .s16
        return try await MonitorCapture(of: server, format: format)
    }

    /// Waits until a tone has been heard, and checks that it was all of it, once.
    private func expectWhole(_ tone: SignCode, in capture: MonitorCapture, from frame: Int) async throws {
        let start = try await capture.waitForSound(after: frame)
        try await capture.waitForSilence(of: .milliseconds(500), after: start)
        let stretches = tone.stretches(in: Hearing(capture.current, from: frame).left)
        let heard = stretches.map { $0.place..<$0.placeEnd }
        // Without real-time rights PipeWire leaves a block out when it gets no processor in time.
        try expect(
            heard == [0..<tone.count],
            unlessStalledFor: .milliseconds(20),
            since: capture.current.time(of: frame),
            "\(heard) of \(tone.count) frames"
        )
    }

    @Test(arguments: tones.indices)
    func segueEndsWithTheLastSample(_ index: Int) async throws {
        let server = try await start()
        let capture = try await capture(of: server)
        let file = server.folder.file("music/\(Self.tones[index].count).wav")
        let player = try ChildProcess(
            try builtProgram("segue-play"),
            ["play", file],
            environment: server.clientEnvironment
        )
        #expect(try await player.wait().status == .code(0))
        try await expectWhole(Self.tones[index], in: capture, from: 0)
    }

    @Test(arguments: ["play", "announce"])
    func seguedEndsWithTheLastSample(_ verb: String) async throws {
        let server = try await start()
        let output =
            "[[output]]\nname = \"o\"\ntype = \"pulse\"\nserver = \"\(server.address)\"\nformat = \"48000:16:2\"\n"
        let stage = try await Stage(on: server, output, music: server.folder.file("music"))
        let client = try stage.connect()
        let capture = try await capture(of: server)
        for tone in Self.tones {
            let from = capture.frames
            let file = "\(tone.count).wav"
            if verb == "play" {
                try client.play(file)
                try client.wait { try client.values("status")["state"] == "stop" }
            } else {
                #expect(try client.end(of: client.announce(file)).state == "done")
            }
            try await expectWhole(tone, in: capture, from: from)
        }
    }
}
