import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// `segue play` beside a server that says who may be heard.
@Suite(.blocking, .serialized, .enabled("PulseAudio is not installed") { PulseServer.missing.isEmpty })
struct PlayArbitrationTests {
    private static let sampleRate = 44_100

    /// A sound server, the server of sessions, and a player with noise to play.
    private final class Stage {
        let pulse: PulseServer
        let server: FakeSegued
        let capture: MonitorCapture
        let noise = Signal.noise(frames: 20 * sampleRate, amplitude: 0.3)
        let file: String

        init(name: String = "noise.wav", _ answers: [String: FakeSegued.Answer] = [:]) async throws {
            pulse = try await PulseServer.start()
            server = try FakeSegued(
                [
                    "session": .lines([]), "session open": .lines(["session: 5"]),
                    "session events": .lines(["oldest: 1", "event: 3", "time: x", "session: 5", "type: ducked"]),
                    "session list": .lines([
                        "session: 5", "name: segue play", "state: interrupted", "interruptedby: 6", "session: 6",
                        "name: phone",
                    ]),
                ].merging(answers) { $1 }
            )
            capture = try await MonitorCapture(of: pulse)
            file = server.folder.file(name)
            try WaveFile.write(noise, channels: 2, sampleRate: sampleRate, to: file)
        }

        func environment(_ host: String? = nil) -> [String: String] {
            Segue.environment(pulse.clientEnvironment.merging(["SEGUE_HOST": host ?? server.path]) { $1 })
        }

        func play(_ more: String..., host: String? = nil) throws -> ChildProcess {
            try ChildProcess(try Segue.path(), ["play"] + more + [file], environment: environment(host))
        }

        /// Tells of an event, once the player waits for one.
        func tell(_ number: Int, _ type: String, _ more: String...) async throws {
            try await tell(number, type, more)
        }

        func tell(_ number: Int, _ type: String, _ more: [String]) async throws {
            server.answer(
                "session events \(number - 1)",
                .lines(["oldest: 1", "event: \(number)", "time: x", "session: 5", "type: \(type)"] + more)
            )
            server.answer("session events \(number)", .lines(["oldest: 1"]))
            server.change("session")
        }

        /// Which sample of the file is heard at a frame of the recording, less that frame.
        func shift(at frame: Int) throws -> Int {
            let piece = capture.current.samples(in: frame..<frame + 4_410)
            let found = try #require(Analysis.find(piece, in: noise))
            #expect(found.likeness > 0.9)
            return found.offset - frame
        }
    }

    private static let usual: [String: FakeSegued.Answer] = ["session events 3": .lines(["oldest: 1"])]

    @Test func itIsASessionWhileItPlays() async throws {
        let stage = try await Stage(Self.usual)
        let player = try stage.play("--length", "0.5")
        #expect(try await player.wait().status == .code(0))
        let requests = stage.server.state.current.requests.filter { $0.hasPrefix("session") && !$0.contains("events") }
        #expect(
            requests.prefix(5) == [
                "session open segue play sink default", "session category 5 playback",
                "session prefer 5 interruptionOnRouteDisconnect 0", "session activate 5", "session playing 5 1",
            ]
        )
        #expect(requests.last == "session deactivate 5 notifyothers")
    }

    @Test func speechSaysSo() async throws {
        let stage = try await Stage(name: "book.m4b", Self.usual)
        _ = try await stage.play("--device", "bench", "--length", "0.2").wait()
        let requests = stage.server.state.current.requests
        #expect(requests.contains("session open segue play sink bench"))
        #expect(requests.contains("session category 5 playback mode spokenAudio"))
    }

    /// Silent as long as another program is heard, and then on from the same sample.
    @Test func anInterruption() async throws {
        let stage = try await Stage(Self.usual)
        let player = try stage.play()
        let start = try await stage.capture.waitForSound()
        try await stage.capture.waitForFrames(Self.sampleRate / 2, after: start)
        try await stage.tell(4, "interruptionBegan")
        let end = try await stage.capture.waitForSilence(of: .milliseconds(300), after: start)
        #expect(player.errorText.contains("paused for phone"))
        try await stage.tell(5, "interruptionEnded", "shouldresume: 1")
        let again = try await stage.capture.waitForSound(after: end)
        try await stage.capture.waitForFrames(Self.sampleRate / 2, after: again)
        player.kill(SIGTERM)
        _ = try await player.wait()
        let before = try stage.shift(at: start + 4_410)
        let after = try stage.shift(at: again + 8_820)
        // The file stood still as long as it was silent, but for the softest parts of two fades of 0.1 s.
        #expect((0...Self.sampleRate / 5).contains((again - end) - (before - after)))
        #expect(stage.server.state.current.requests.filter { $0 == "session activate 5" }.count == 2)
    }

    /// What may resume, but reads that only after others have resumed in its place, stays paused.
    @Test func aRecommendationThatCameTooLate() async throws {
        let stage = try await Stage(Self.usual)
        let player = try stage.play()
        let start = try await stage.capture.waitForSound()
        try await stage.tell(4, "interruptionBegan")
        let end = try await stage.capture.waitForSilence(of: .milliseconds(200), after: start)
        let late = [
            "event: 6", "time: x", "session: 5", "type: resumptionRecommendation", "recommendation: shouldNotResume",
        ]
        stage.server.answer("session events 6", .lines(["oldest: 1"]))
        try await stage.tell(5, "interruptionEnded", ["shouldresume: 1"] + late)
        try await stage.server.waitForRequest("session playing 5 0")
        let frames = stage.capture.frames
        try await stage.capture.waitForFrames(Self.sampleRate / 2, after: frames)
        #expect(stage.capture.current.firstSound(after: end) == nil)
        player.end()
    }

    /// After an outage of the sound server the session is set up again, and gives way as before.
    @Test func anOutageOfTheSoundServer() async throws {
        let stage = try await Stage(Self.usual)
        let player = try stage.play()
        let start = try await stage.capture.waitForSound()
        try await stage.capture.waitForFrames(Self.sampleRate / 4, after: start)
        stage.server.answer("session playing", .refusal(code: 52, "sessionNotActive: activate it first"))
        stage.server.answer(
            "session events 3",
            .lines(["oldest: 1", "event: 4", "time: x", "type: mediaServicesReset"])
        )
        stage.server.answer("session events 4", .lines(["oldest: 1"]))
        stage.server.change("session")
        let again = [
            "session category 5 playback", "session prefer 5 interruptionOnRouteDisconnect 0", "session activate 5",
            "session playing 5 1",
        ]
        try await stage.server.wait("a new start") { state in
            state.requests.filter { !$0.contains("idle") && !$0.contains("events") }.suffix(4) == again
                && state.requests.filter { $0 == again[2] }.count == 2
        }
        try await stage.tell(5, "interruptionBegan")
        _ = try await stage.capture.waitForSilence(of: .milliseconds(300), after: start)
        #expect(player.errorText.contains("paused for phone"))
        player.end()
    }

    /// What is not to go on stays paused, and tells the server.
    @Test func anEndWithoutResumption() async throws {
        let stage = try await Stage(Self.usual)
        let player = try stage.play()
        let start = try await stage.capture.waitForSound()
        try await stage.tell(4, "interruptionBegan")
        let end = try await stage.capture.waitForSilence(of: .milliseconds(200), after: start)
        try await stage.tell(5, "interruptionEnded", "shouldresume: 0")
        try await stage.server.waitForRequest("session playing 5 0")
        let frames = stage.capture.frames
        try await stage.capture.waitForFrames(Self.sampleRate / 2, after: frames)
        #expect(stage.capture.current.firstSound(after: end) == nil)
        #expect(player.isRunning)
        player.end()
    }

    @Test func ducking() async throws {
        let stage = try await Stage(Self.usual)
        stage.server.answer("session info 5", .lines(["session: 5", "name: x", "gain: -14"]))
        let player = try stage.play()
        let start = try await stage.capture.waitForSound()
        try await stage.capture.waitForFrames(Self.sampleRate / 2, after: start)
        try await stage.tell(4, "ducked")
        try await stage.server.waitForRequest("session info 5")
        let ducked = stage.capture.frames + Self.sampleRate / 2
        try await stage.capture.waitForFrames(Self.sampleRate, after: ducked)
        player.end()
        let loud = Analysis.level(stage.capture.current.samples(in: start + 4_410..<start + 13_230))
        let quiet = Analysis.level(stage.capture.current.samples(in: ducked..<ducked + 8_820))
        #expect(abs(loud - quiet - 14) < 0.5, "\(loud) dB, then \(quiet) dB")
    }

    /// The volume that a mixer shows stays as it is while the sound fades, and a duck that ends does not bring it back.
    @Test func fallingAsleep() async throws {
        let stage = try await Stage(Self.usual)
        stage.server.answer("session info 5", .lines(["session: 5", "name: x", "gain: 0"]))
        let player = try stage.play("--sleep", "0.5", "--volume", "80")
        let start = try await stage.capture.waitForSound()
        try await stage.capture.waitForFrames(Self.sampleRate * 3 / 2, after: start)
        #expect(try stage.pulse.control("list", "sink-inputs").contains(" 80% "))
        try await stage.tell(4, "unducked")
        #expect(try await player.wait().status == .code(0))
        let heard = stage.capture.stop()
        let levels = Analysis.levels(heard.samples(in: start..<heard.frames), sampleRate: Self.sampleRate, window: 0.1)
        try #require(levels.count > 20)
        #expect(abs(levels[1] - levels[3]) < 0.5, "\(levels)")
        // Two seconds to silence, evenly: 4.5 dB each.
        let fall = zip(levels, levels.dropFirst()).map { $0 - $1 }
        #expect(fall[10..<15].allSatisfy { abs($0 - 4.5) < 1 }, "\(levels)")
        #expect(fall[15...].allSatisfy { $0 > -1 }, "\(levels)")
        #expect(stage.server.state.current.requests.contains("session info 5"))
    }

    /// Nothing is heard, and the exit status says why; also when the server is busy with something else first.
    @Test(arguments: [0, 0.3])
    func aRefusal(after seconds: Double) async throws {
        let stage = try await Stage(Self.usual)
        let refusal = FakeSegued.Answer.refusal(code: 52, "insufficientPriority: a call is active")
        stage.server.answer("session activate", .late(seconds: seconds, refusal))
        let result = try await stage.play().wait()
        #expect(result.status == .code(75))
        #expect(result.errorText == "segue: other sessions have precedence: insufficientPriority: a call is active\n")
        #expect(stage.capture.current.firstSound(after: 0) == nil)
    }

    /// On a terminal it can be tried again.
    @Test func aRefusalWithKeys() async throws {
        let stage = try await Stage(Self.usual)
        stage.server.answer("session activate", .refusal(code: 52, "insufficientPriority"))
        let terminal = try TerminalProcess(
            try Segue.path(),
            ["play", stage.file],
            environment: stage.environment(),
            columns: 120
        )
        try await terminal.waitForText(
            "paused: other sessions have precedence (insufficientPriority); space tries again"
        )
        stage.server.answer("session activate", .lines([]))
        terminal.type(" ")
        _ = try await stage.capture.waitForSound()
        terminal.type("q")
        #expect(try await terminal.process.wait().status == .code(0))
    }

    /// A server that does not answer, one that is none, and none at all hold nothing up.
    @Test(arguments: ["silent", "stranger", "none"])
    func withoutHelp(kind: String) async throws {
        let stage = try await Stage(Self.usual)
        if kind == "silent" { stage.server.answer("session activate", .silence) }
        if kind == "stranger" {
            for word in ["session", "session open"] { stage.server.answer(word, .refusal(code: 5, "unknown command")) }
        }
        let player = try stage.play("--length", "1", host: kind == "none" ? "/nonexistent/socket" : nil)
        let result = try await player.wait()
        #expect(result.status == .code(0))
        #expect(result.errorText == "")
        let sound = try #require(stage.capture.current.firstSound(after: 0))
        #expect(abs(stage.capture.current.soundEnd - sound - Self.sampleRate) < Self.sampleRate / 50)
    }
}
