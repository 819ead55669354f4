import Foundation
import Glibc
import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// The command line's part in who is heard, with a real daemon and its rules.
@Suite(.blocking, .serialized, .enabled("PulseAudio is not installed") { PulseServer.missing.isEmpty })
struct ArbitrationTests {
    /// Two tones: what plays here, and what the server plays.
    private static let (here, there) = (660.0, 440.0)

    private func hears(_ stage: SoundStage, _ frequency: Double?) async throws {
        try await stage.capture.wait("\(frequency ?? 0) Hz") { recording in
            guard recording.frames > 8_820 else { return false }
            let piece = recording.samples(in: recording.frames - 8_820..<recording.frames)
            guard let frequency else { return Analysis.level(piece) < -60 }
            return Analysis.level(piece) > -30 && abs(Analysis.frequency(piece, sampleRate: 44_100) - frequency) < 20
        }
    }

    private func stage() async throws -> SoundStage {
        let stage = try await SoundStage()
        for (name, frequency) in [("here", Self.here), ("there", Self.there)] {
            let tone = Signal.tone(frequency, seconds: 40, sampleRate: 44_100)
            try WaveFile.write(tone, channels: 2, sampleRate: 44_100, to: stage.place.folder.file("\(name).wav"))
        }
        return stage
    }

    /// What plays here silences the zone on the same sink, and the zone comes back.
    @Test func playingHereAndThere() async throws {
        let stage = try await stage()
        _ = try await stage.segue("add", "--play", stage.place.folder.file("there.wav"))
        try await hears(stage, Self.there)
        let player = try stage.start("play", stage.place.folder.file("here.wav"))
        try await hears(stage, Self.here)
        #expect(try await stage.segue("why").outputText.hasPrefix("interrupted by 'segue play'"))
        player.kill(SIGINT)
        #expect(try await player.wait().status == .signal(SIGINT))
        try await hears(stage, Self.there)
    }

    /// A call silences what plays here, and it comes back.
    @Test func aCall() async throws {
        let stage = try await stage()
        let player = try stage.start("play", stage.place.folder.file("here.wav"))
        try await hears(stage, Self.here)
        let call = try stage.start("interrupt", "call", "--name", "Anna", "--", "sh", "-c", "read line; exit 4")
        try await hears(stage, nil)
        #expect(player.errorText == "segue: paused for Anna\n")
        call.write("\n")
        #expect(try await call.wait().status == .code(4))
        try await hears(stage, Self.here)
        player.end()
    }

    /// A zone that begins to play silences what plays here; nothing plays over the other.
    @Test func theZoneBegins() async throws {
        let stage = try await stage()
        let player = try stage.start("play", stage.place.folder.file("here.wav"))
        try await hears(stage, Self.here)
        _ = try await stage.segue("add", "--play", stage.place.folder.file("there.wav"))
        try await hears(stage, Self.there)
        #expect(player.errorText == "segue: paused for default\n")
        player.end()
    }

    @Test func aProgramAsASession() async throws {
        let stage = try await stage()
        _ = try await stage.segue("add", "--play", stage.place.folder.file("there.wav"))
        try await hears(stage, Self.there)
        let program = try stage.start("exec", "--category", "playback", "--", "sh", "-c", "read line; exit 5")
        try await hears(stage, nil)
        #expect(try await stage.segue("session").outputText.contains("interrupted by sh"))
        program.write("\n")
        #expect(try await program.wait().status == .code(5))
        try await hears(stage, Self.there)
    }

    /// It ends when it was heard, and the music was quieter meanwhile.
    @Test func announcing() async throws {
        let stage = try await stage()
        let bell = stage.place.folder.file("bell.wav")
        try WaveFile.write(
            Signal.tone(2_000, seconds: 1, sampleRate: 44_100),
            channels: 2,
            sampleRate: 44_100,
            to: bell
        )
        _ = try await stage.segue("add", "--play", stage.place.folder.file("there.wav"))
        try await hears(stage, Self.there)
        let child = try stage.start("announce", bell)
        try await hears(stage, 2_000)
        #expect(child.isRunning)
        #expect(try await child.wait().status == .code(0))
        try await hears(stage, Self.there)
        let failed = try await stage.segue("announce", stage.place.folder.file("none.wav"))
        #expect(failed.status == .code(1))
    }
}

/// A sound server, and a segued that plays to it.
final class SoundStage {
    let pulse: PulseServer
    let daemon: Segued
    let place: Place
    let capture: MonitorCapture
    let environment: [String: String]

    init() async throws {
        pulse = try await PulseServer.start()
        place = try Place()
        let sound = pulse.clientEnvironment
        daemon = try Segued(in: place, place.arguments.map { $0 == "null" ? "pulse" : $0 }, environment: sound)
        try daemon.waitUntilReady()
        environment = Programs.environment(sound).merging(["SEGUE_HOST": place.socket]) { $1 }
        capture = try await MonitorCapture(of: pulse)
    }

    /// Starts `segue`; it reads what the test writes.
    func start(_ words: String...) throws -> ChildProcess {
        try ChildProcess(try Programs.path("segue"), words, environment: environment, input: .live)
    }

    func segue(_ words: String...) async throws -> ChildProcess.Result {
        try await ChildProcess(try Programs.path("segue"), words, environment: environment).wait()
    }
}
