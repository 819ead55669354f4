import Foundation
import RemoteControl
import TestSupport
import Testing

/// What is played here goes on in the server.
@Suite(.serialized, .enabled("PulseAudio is not installed") { PulseServer.missing.isEmpty })
struct BackgroundTests {
    private static let sampleRate = 44_100
    private static let noise = Signal.noise(frames: 30 * sampleRate, amplitude: 0.3)

    /// A sound server, a segued that plays to it, and noise in a file.
    private final class Stage {
        let pulse: PulseServer
        let daemon: Segued
        let place: Place
        let file: String
        let environment: [String: String]

        init() async throws {
            pulse = try await PulseServer.start()
            place = try Place()
            file = place.folder.file("noise.wav")
            try WaveFile.write(noise, channels: 2, sampleRate: sampleRate, to: file)
            let sound = pulse.clientEnvironment
            daemon = try Segued(
                in: place,
                place.arguments.map { $0 == "null" ? "pulse" : $0 },
                environment: sound
            )
            try daemon.waitUntilReady()
            environment = Programs.environment(sound).merging(["SEGUE_HOST": place.socket]) { $1 }
        }

        func play(_ words: [String]) throws -> TerminalProcess {
            try TerminalProcess(try Programs.path("segue"), ["play"] + words, environment: environment)
        }
    }

    @Test func fromTheBeginning() async throws {
        let stage = try await Stage()
        let capture = try await MonitorCapture(of: stage.pulse)
        let result = try await ChildProcess(
            try Programs.path("segue"),
            ["play", "--background", "--start", "10", "--loop", stage.file, stage.place.folder.file("music/one.wav")],
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

    /// The joint of the two programs, at the monitor.
    @Test(arguments: 0..<5)
    func fromTheMiddle(round: Int) async throws {
        let stage = try await Stage()
        let capture = try await MonitorCapture(of: stage.pulse)
        let player = try stage.play([stage.file])
        let start = try await capture.waitForSound()
        try await capture.waitForFrames(Self.sampleRate, after: start)
        player.type("b")
        #expect(try await player.process.wait().status == .code(0), "\(player.contents.text)")
        let end = capture.frames
        try await capture.waitForFrames(Self.sampleRate, after: end)
        let samples = capture.stop().samples()
        let before = try #require(Self.find(Array(samples[start + 4_410..<start + 8_820]))) - start - 4_410
        let after = try #require(Self.find(Array(samples[end + 22_050..<end + 26_460]))) - end - 22_050
        #expect(abs(before - after) < Self.sampleRate / 50)
        let status = ServerStatus(try stage.daemon.connect().run("status"))
        #expect(status.state == .playing && status.queueLength == 1)
    }

    /// Where in the file a piece of sound comes from.
    private static func find(_ piece: [Float]) -> Int? {
        Analysis.find(piece, in: noise).flatMap { $0.likeness > 0.9 ? $0.offset : nil }
    }
}
