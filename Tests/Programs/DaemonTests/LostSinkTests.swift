import AudioTypes
import Foundation
import TestSupport
import TestThreads
import Testing

/// `segue play` at a sink that is unloaded and loaded again does the same beside a segued as alone.
@Suite(.blocking, .serialized, .enabled("PulseAudio is not installed") { PulseServer.missing.isEmpty })
struct LostSinkTests {
    private static let sink = NullSink("third")

    /// A stage whose sink "third" is played to by `segue play`.
    private struct Scene {
        let stage: SoundStage
        let song: String
        private let environment: [String: String]

        init(besideServer: Bool) async throws {
            stage = try await SoundStage()
            try stage.pulse.load(LostSinkTests.sink)
            song = stage.place.folder.file("song.wav")
            let seconds = Signal.position(seconds: 60, sampleRate: 44_100)
            try WaveFile.write(seconds, channels: 2, sampleRate: 44_100, to: song)
            let alone = ["SEGUE_HOST": stage.place.folder.file("nobody")]
            environment = besideServer ? stage.environment : stage.environment.merging(alone) { $1 }
        }

        func words(_ policy: String?) -> [String] {
            ["play", "--device", "third"] + (policy.map { ["--when-lost", $0] } ?? []) + [song]
        }

        func start(_ policy: String?) throws -> ChildProcess {
            try ChildProcess(try Programs.path("segue"), words(policy) + ["--json"], environment: environment)
        }

        func startInTerminal(_ policy: String?) throws -> TerminalProcess {
            try TerminalProcess(try Programs.path("segue"), words(policy), environment: environment)
        }

        /// Waits until a second of the song is heard at a sink, from the end of the recording so far.
        func wait(forSound sink: NullSink, in range: ClosedRange<Int>) async throws {
            let capture = try await MonitorCapture(of: stage.pulse, sink: sink)
            try await capture.wait("one of the seconds \(range)") { recording in
                guard recording.frames > 8_820 else { return false }
                let piece = recording.samples(in: recording.frames - 4_410..<recording.frames)
                return Analysis.position(piece, sampleRate: 44_100).map(range.contains) == true
            }
            capture.stop()
        }
    }

    /// The events of a player so far.
    private func events(_ player: ChildProcess) throws -> [[String: Any]] {
        try player.outputText.split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    /// Where a player was when it told of a state last.
    private func position(_ player: ChildProcess, in state: String) throws -> Double {
        try #require(try events(player).last { $0["state"] as? String == state }?["position"] as? Double)
    }

    /// By default, and with `wait`, it is heard again at its sink, at the place where it stopped.
    @Test(arguments: [nil, "wait"], [true, false])
    func waiting(_ policy: String?, _ besideServer: Bool) async throws {
        let scene = try await Scene(besideServer: besideServer)
        let player = try scene.start(policy)
        try await scene.wait(forSound: Self.sink, in: 1...20)
        try scene.stage.pulse.unload(Self.sink)
        try await player.waitForOutput(#""pauses":false"#)
        try scene.stage.pulse.load(Self.sink)
        try await player.waitForOutput("output_restored")
        let (left, back) = (try position(player, in: "waiting"), try position(player, in: "playing"))
        #expect(abs(back - left) < 0.1, "it stopped at \(left) and went on at \(back)")
        try await scene.wait(forSound: Self.sink, in: Int(left)...59)
        #expect(!player.outputText.contains("paused"))
        player.end()
    }

    /// With `fallback` it is heard at the default sink, and at its own again.
    @Test(arguments: [true, false])
    func fallback(_ besideServer: Bool) async throws {
        let scene = try await Scene(besideServer: besideServer)
        let player = try scene.start("fallback")
        try await scene.wait(forSound: Self.sink, in: 1...20)
        try scene.stage.pulse.unload(Self.sink)
        try await scene.wait(forSound: scene.stage.pulse.sink, in: 1...30)
        try scene.stage.pulse.load(Self.sink)
        try await scene.wait(forSound: Self.sink, in: 1...59)
        #expect(!player.outputText.contains("paused"))
        player.end()
    }

    /// With `pause` it stays silent when the sink is back, until it is told to play.
    @Test(arguments: [true, false])
    func pausing(_ besideServer: Bool) async throws {
        let scene = try await Scene(besideServer: besideServer)
        let player = try scene.startInTerminal("pause")
        try await scene.wait(forSound: Self.sink, in: 1...20)
        try scene.stage.pulse.unload(Self.sink)
        try await player.waitForText("the sink 'third' is gone: paused, space plays on when it is back")
        try scene.stage.pulse.load(Self.sink)
        try wait(for: "a corked stream at the sink") {
            try scene.stage.pulse.streams().contains { $0.sink == "third" && $0.isCorked }
        }
        player.type(" ")
        try await scene.wait(forSound: Self.sink, in: 1...30)
        #expect(!player.contents.text.contains("another program"))
        player.process.end()
    }
}
