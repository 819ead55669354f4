import Foundation
import ProtocolClient
import TestSupport
import TestThreads
import TestTiming
import Testing

/// What is played here goes on in the server.
@Suite(.blocking, .serialized, .enabled("PulseAudio is not installed") { PulseServer.missing.isEmpty })
struct BackgroundTests {
    private static let sampleRate = 44_100
    private static let noise = Signal.noise(frames: 30 * sampleRate, amplitude: 0.3)

    private func stage() async throws -> (SoundStage, file: String) {
        let stage = try await SoundStage()
        let file = stage.place.folder.file("noise.wav")
        try WaveFile.write(Self.noise, channels: 2, sampleRate: Self.sampleRate, to: file)
        return (stage, file)
    }

    @Test func fromTheBeginning() async throws {
        let (stage, file) = try await stage()
        let capture = stage.capture
        let result = try await ChildProcess(
            try Programs.path("segue"),
            ["play", "--background", "--start", "10", "--loop", file, stage.place.folder.file("music/one.wav")],
            environment: stage.environment
        ).wait()
        #expect(result.status == .code(0), "\(result.errorText)")
        #expect(result.outputText + result.errorText == "")
        let start = try await capture.waitForSound()
        try await capture.waitForFrames(Self.sampleRate / 2, after: start)
        let heard = capture.current.samples(in: start + 4_410..<start + 8_820)
        let place = try #require(Self.find(heard))
        #expect(abs(place - 10 * Self.sampleRate - 4_410) < Self.sampleRate / 50)
        let connection = try stage.daemon.connect()
        let status = ServerStatus(try connection.run("status"))
        #expect(status.state == .playing && status.repeat && status.queueLength == 2)
    }

    /// The tracks of a CUE sheet keep their names, which are nowhere in the file.
    @Test func tracksOfASheetKeepTheirTitles() async throws {
        let (stage, file) = try await stage()
        let sheet = try stage.place.folder.write(
            "disc.cue",
            """
            PERFORMER "Band"
            TITLE "Album"
            FILE "\(file)" WAVE
              TRACK 01 AUDIO
                TITLE "First"
                INDEX 01 00:00:00
              TRACK 02 AUDIO
                TITLE "Second \u{fc}"
                PERFORMER "Guest"
                INDEX 01 00:10:00
            """
        )
        let words = ["play", "--background", sheet]
        let result = try await ChildProcess(try Programs.path("segue"), words, environment: stage.environment).wait()
        #expect(result.status == .code(0), "\(result.errorText)")
        let songs = try stage.daemon.connect().run("playlistinfo")
        #expect(songs.values("Title") == ["First", "Second \u{fc}"])
        #expect(songs.values("Artist") == ["Band", "Guest"])
        #expect(songs.values("Album") == ["Album", "Album"])
    }

    /// The joint of the two programs, at the monitor: at most 20 ms, unless the machine has other things to do.
    @Test(.timed) func fromTheMiddle() async throws {
        let begin = ContinuousClock.now
        var gaps: [Double] = []
        for _ in 0..<5 where (gaps.min() ?? 1) > 0.02 { gaps.append(try await gap()) }
        #expect(gaps.allSatisfy { $0 > -0.02 }, "\(gaps) s")
        try expect(.seconds(gaps.min() ?? 1), atMost: .milliseconds(20), since: begin, "\(gaps) s")
    }

    /// A server that is lost at the joint has not taken over, so the player goes on.
    @Test func aServerThatIsLostAtTheJoint() async throws {
        let pulse = try await PulseServer.start()
        var answers = [
            "commands": FakeSegued.Answer.lines(["command: buffer"]), "session open": .lines(["session: 5"]),
            "session events": .lines(["oldest: 1"]), "addid": .lines(["Id: 1"]), "pause 0": .end,
            "buffer": .lines(["playbackbufferempty: 0"]), "status": .lines(["state: pause"]),
        ]
        for name in ["session", "clear", "random", "consume", "repeat", "single", "pitch", "speed", "seekid", "pause"] {
            answers[name] = .lines([])
        }
        let server = try FakeSegued(answers)
        let file = server.folder.file("noise.wav")
        try WaveFile.write(Self.noise, channels: 2, sampleRate: Self.sampleRate, to: file)
        let capture = try await MonitorCapture(of: pulse)
        let environment = Programs.environment(pulse.clientEnvironment).merging(["SEGUE_HOST": server.path]) { $1 }
        let player = try TerminalProcess(try Programs.path("segue"), ["play", file], environment: environment)
        let start = try await capture.waitForSound()
        // The comparison below takes sound from before the handover.
        try await capture.waitForFrames(Self.sampleRate / 2, after: start)
        player.type("b")
        try await player.waitForText("not handed over: ")
        let later = try await capture.waitForSound(after: capture.frames)
        try await capture.waitForFrames(Self.sampleRate / 2, after: later)
        player.type("q")
        #expect(try await player.process.wait().status == .code(0), "\(player.contents.text)")
        #expect(server.state.current.requests.contains("pause 0"))
        let samples = capture.stop().samples()
        let places = try [start, later].map { frame in
            try #require(Self.find(Array(samples[frame + 4_410..<frame + 8_820])))
        }
        #expect(places[0] < places[1] && places[1] - places[0] <= later - start, "it goes on where it was")
    }

    /// How many seconds the sound is late behind the joint.
    private func gap() async throws -> Double {
        let (stage, file) = try await stage()
        let capture = stage.capture
        let player = try TerminalProcess(try Programs.path("segue"), ["play", file], environment: stage.environment)
        let start = try await capture.waitForSound()
        try await capture.waitForFrames(Self.sampleRate, after: start)
        player.type("b")
        #expect(try await player.process.wait().status == .code(0), "\(player.contents.text)")
        // Behind the joint, however late the server is heard.
        let later: Int
        do {
            later = try await capture.waitForSound(after: capture.frames + Self.sampleRate / 2)
        } catch {
            Issue.record("nothing is heard: \(try stage.daemon.connect().run("status"))\n\(player.contents.text)")
            throw error
        }
        try await capture.waitForFrames(Self.sampleRate / 2, after: later)
        let samples = capture.stop().samples()
        let before = try #require(Self.find(Array(samples[start + 4_410..<start + 8_820]))) - start - 4_410
        let after = try #require(Self.find(Array(samples[later + 4_410..<later + 8_820]))) - later - 4_410
        let status = ServerStatus(try stage.daemon.connect().run("status"))
        #expect(status.state == .playing && status.queueLength == 1)
        return Double(before - after) / Double(Self.sampleRate)
    }

    /// Where in the file a piece of sound comes from.
    private static func find(_ piece: [Float]) -> Int? {
        Analysis.find(piece, in: noise).flatMap { $0.likeness > 0.9 ? $0.offset : nil }
    }
}
