import AudioTypes
import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// The sink is asked for the format of each file: always with `format = "follow"`, and by itself where it takes it.
@Suite(.serialized, .blocking, .enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct FollowSoundTests {
    /// A minute of noise, of 16 bits at 44.1 kHz or of 24 bits at another rate: a machine that stands still for some
    /// seconds does not miss it.
    private func noise(_ rate: Int, _ seed: Int) async throws -> String {
        try await MediaFixtures.file("follow-minute\(rate)-\(seed).flac") { path in
            let noise = "anoisesrc=d=60:r=\(rate):a=0.5:seed=\(seed),aformat=sample_fmts=dbl"
            let depth = rate == 44_100 ? ["s16"] : ["s32", "-bits_per_raw_sample", "24"]
            try MediaFixtures.ffmpeg(
                ["-f", "lavfi", "-i", noise, "-ac", "2", "-c:a", "flac", "-sample_fmt"] + depth + [path]
            )
        }
    }

    /// A segued with the three files, and all lines of its output but the first ones.
    private func stage(on server: any SoundServer, _ more: String = "", with files: [String]) async throws -> Stage {
        let output = """
            [[output]]
            name = "o"
            type = "pulse"
            server = "\(server.address)"
            \(more)

            """
        let folder = URL(filePath: files[0]).deletingLastPathComponent().path
        let stage = try await Stage(on: server, output, music: folder)
        let client = try stage.connect()
        for file in files { try client.order("add \(URL(filePath: file).lastPathComponent)") }
        return stage
    }

    /// Returns when half a second of a song was heard.
    private func waitUntilHeard(_ song: Int, _ client: LineClient) throws {
        try client.wait {
            let status = try client.values("status")
            return status["song"] == "\(song)" && (Double(status["elapsed"] ?? "") ?? 0) > 0.5
        }
    }

    /// Goes to the last second of a song, which then ends by itself.
    private func goToTheEnd(of song: Int, _ client: LineClient) throws { try client.order("seek \(song) 59") }

    private func server(_ kind: Stage.Server) async throws -> any SoundServer {
        switch kind {
        case .pulseAudio: return try await PulseServer.start([NullSink()], avoidsResampling: true)
        case .pipeWire:
            let format = AudioFormat(sampleFormat: .f32, sampleRate: 48_000, channels: .stereo)
            return try await PipeWireServer.start(
                NullSink(format: format),
                quantum: 4096,
                following: [44_100, 48_000, 96_000]
            )
        }
    }

    @Test(arguments: Stage.Server.installed, [#"format = "follow""#, ""])
    func theSinkFollowsEachFile(_ kind: Stage.Server, _ format: String) async throws {
        // By itself it follows PulseAudio only.
        guard kind == .pulseAudio || !format.isEmpty else { return }
        let server = try await server(kind)
        let files = [try await noise(44_100, 1), try await noise(96_000, 2), try await noise(44_100, 3)]
        let stage = try await stage(on: server, format, with: files)
        let client = try stage.connect()
        try client.order("play")
        for (song, rate) in [44_100, 96_000, 44_100].enumerated() {
            try waitUntilHeard(song, client)
            let sinks = try server.control("list", "short", "sinks")
            #expect(sinks.contains("\(rate)Hz"), "\(sinks)")
            #expect(try client.values("outputs")["attribute"] == "sound=bit-perfect")
            if song == 1 { try await expectIdentical(files[1], on: server) }
            try goToTheEnd(of: song, client)
        }
        try client.wait { try client.values("status")["state"] == "stop" }
    }

    /// Why a sink is left as it is.
    enum Reason: CaseIterable {
        case setting, crossfade, secondOutput, stream, otherProgram, pipeWire

        static let possible = allCases.filter { reason in
            Stage.Server.installed.contains(reason.server) && (reason != .stream || WebServer.missing.isEmpty)
        }

        var server: Stage.Server { self == .pipeWire ? .pipeWire : .pulseAudio }

        /// Lines of the output, and behind it.
        var lines: String {
            switch self {
            case .setting: #"format = "sink""#
            case .secondOutput: "\n[[output]]\nname = \"second\"\ntype = \"null\""
            case .crossfade, .stream, .otherProgram, .pipeWire: ""
            }
        }
    }

    /// The sink stays as it is, and it is Segue that converts, once.
    @Test(arguments: Reason.possible)
    func theSinkStaysAsItIs(_ reason: Reason) async throws {
        let server = try await server(reason.server)
        let sinks = try server.control("list", "short", "sinks").split(separator: "\t")[3]
        let stage = try await stage(
            on: server,
            reason.lines,
            with: [try await noise(96_000, 2), try await noise(96_000, 4)]
        )
        let client = try stage.connect()
        var other: ChildProcess?
        defer { other?.end() }
        if reason == .otherProgram {
            let environment = server.clientEnvironment
            other = try ChildProcess("paplay", ["--raw", "--rate=44100", "/dev/zero"], environment: environment)
            try client.wait { try server.streams().contains { !$0.isCorked } }
        }
        let web = reason == .stream ? try await WebServer.start() : nil
        if let web {
            try client.order("clear")
            try client.order("add \(web.publish(try await noise(96_000, 2), as: "a.flac"))")
        }
        if reason == .crossfade { try client.order("crossfade 1") }
        try client.order("play")
        try waitUntilHeard(0, client)
        #expect(try server.control("list", "short", "sinks").contains("\t\(sinks)\t"))
        let streams = try server.control("list", "short", "sink-inputs")
        #expect(!streams.contains("96000Hz"), "\(streams)")
        let rate = reason == .pipeWire ? "48" : "44.1"
        let sound = try #require(try client.values("outputs")["attribute"])
        #expect(sound.hasPrefix("sound=resampled 96→\(rate)"), "\(sound)")
    }

    /// A sink that does not take a file's format is asked for it once; what it has then is what it gets.
    @Test(.enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
    func aSinkThatDoesNotFollowIsAskedOnce() async throws {
        // Without `avoid-resampling` PulseAudio changes between 44.1 and 48 kHz, and keeps the depth.
        let server = try await PulseServer.start(NullSink())
        let files = [try await noise(96_000, 2), try await noise(44_100, 1), try await noise(96_000, 4)]
        let stage = try await stage(on: server, with: files)
        let client = try stage.connect()
        try client.order("play")
        var numbers: [Int] = []
        for (song, rate) in [48_000, 44_100, 48_000].enumerated() {
            try waitUntilHeard(song, client)
            for list in ["sinks", "sink-inputs"] {
                let told = try server.control("list", "short", list)
                #expect(told.contains("s16le 2ch \(rate)Hz"), "\(told)")
            }
            let stream = try #require(try server.streams().first)
            numbers.append(try #require(Int(stream.number)))
            try goToTheEnd(of: song, client)
        }
        // Two streams for the first file, whose format is not taken; one for each that follows.
        #expect(numbers[1] - numbers[0] == 1)
        #expect(numbers[2] - numbers[1] == 1)
    }

    /// `segue play` does the same.
    @Test(arguments: Stage.Server.installed, [["--output-format", "follow"], []])
    func theSinkFollowsThePlayer(_ kind: Stage.Server, _ option: [String]) async throws {
        guard kind == .pulseAudio || !option.isEmpty else { return }
        let server = try await server(kind)
        let (short, long) = (try await MediaFixtures.position(.flac, seconds: 2), try await noise(96_000, 2))
        let words = ["play", "--json", "--interval", "0.2", "--server", server.address] + option
        let player = try ChildProcess(try builtProgram("segue-play"), words + [short, long])
        try await player.waitForOutput { $0.contains(/"event":"position","id":2,"position":[1-9]/) }
        let sinks = try server.control("list", "short", "sinks")
        #expect(sinks.contains("96000Hz"), "\(sinks)")
        try await expectIdentical(long, on: server)
        player.kill(SIGTERM)
        #expect(try await player.wait().status == .signal(SIGTERM))
    }

    /// The key that shows the position tells what happens to the samples.
    @Test(.enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
    func theKeyTellsWhatHappensToTheSamples() async throws {
        let server = try await PulseServer.start([NullSink()], avoidsResampling: true)
        let file = try await noise(96_000, 2)
        for (words, told) in [
            (
                ["--output-format", "sink"],
                "Sound: resampled 96→44.1, dithered, from 96000:24:2 to s16 44100 Hz stereo"
            ),
            (["--output-format", "follow"], "Sound: bit-perfect, from 96000:24:2 to s32 96000 Hz stereo"),
            ([String](), "Sound: bit-perfect, from 96000:24:2 to s32 96000 Hz stereo"),
        ] {
            let words = ["play", "--no-mpris", "--server", server.address] + words + [file]
            let terminal = try TerminalProcess(try builtProgram("segue-play"), words, columns: 120)
            try await terminal.wait { $0.text.contains(#/ 0:(0[1-9]|[1-5])/#) }
            terminal.type("o")
            try await terminal.waitForText(told)
            terminal.type("q")
            _ = try await terminal.process.wait()
        }
    }

    /// What is heard of a file of 24 bits at 96 kHz is in it, bit for bit.
    private func expectIdentical(_ file: String, on server: any SoundServer) async throws {
        let format = AudioFormat(sampleFormat: .s32, sampleRate: 96_000, channels: .stereo)
        let capture = try await MonitorCapture(of: server, format: format)
        try await capture.waitForFrames(60_000, after: 0)
        let heard = capture.stop().integers(in: 30_000..<50_000)
        let words = ["-v", "error", "-i", file, "-f", "s32le", "-"]
        let bytes = try ChildProcess.run("ffmpeg", words, within: .patience).output
        let expected = unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Int32.self)) }
        let place = expected.indices.first { index in
            index % 2 == 0 && expected[index...].starts(with: heard[..<64])
        }
        let start = try #require(place, "nothing of the file is heard unchanged")
        #expect(expected[start...].starts(with: heard))
    }
}
