import AudioTypes
import Foundation
import TestSupport
import TestThreads
import Testing

/// A zone plays in the format of its leading output's sink, so that nothing is converted twice.
@Suite(
    .serialized,
    .blocking,
    .enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty },
    .enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty }
)
struct FormatSoundTests {
    private func format(_ sampleFormat: SampleFormat, _ rate: Int) -> AudioFormat {
        AudioFormat(sampleFormat: sampleFormat, sampleRate: rate, channels: .stereo)
    }

    private func start(_ server: any SoundServer, _ files: [String], _ more: String = "") async throws -> Stage {
        let output = "[[output]]\nname = \"o\"\ntype = \"pulse\"\nserver = \"\(server.address)\"\n\(more)\n"
        let folder = URL(filePath: files[0]).deletingLastPathComponent().path
        return try await Stage(on: server, output, music: folder)
    }

    private func add(_ files: [String], _ client: LineClient) throws {
        try client.order("clear")
        for file in files { try client.order("add \(URL(filePath: file).lastPathComponent)") }
    }

    /// What is heard of files played one after another.
    private func hear(_ files: [String], on server: any SoundServer, as heard: AudioFormat) async throws -> Recording {
        let stage = try await start(server, files)
        let client = try stage.connect()
        try add(files, client)
        let capture = try await MonitorCapture(of: server, format: heard)
        try client.order("play")
        try await capture.waitForSound()
        try client.wait { try client.values("status")["state"] == "stop" }
        try await capture.waitForSilence()
        return capture.stop()
    }

    @Test(arguments: Stage.Server.installed)
    func anOpusAlbumHasNoJointsAt48Kilohertz(_ kind: Stage.Server) async throws {
        let sink = NullSink(format: format(kind == .pulseAudio ? .s16 : .f32, 48_000))
        let server: any SoundServer
        switch kind {
        case .pulseAudio: server = try await PulseServer.start(sink)
        case .pipeWire: server = try await PipeWireServer.start(sink, quantum: Stage.Server.quantum)
        }
        let album = try await MediaFixtures.album(.opus, rates: [48_000])
        let heard = try await hear(album.tracks, on: server, as: format(.s16, 48_000)).samples()
        let joints = album.joints(at: 48_000)
        let changes = Analysis.changes(at: joints, of: album.reference(at: 48_000), in: heard)
        #expect(changes == joints.map { _ in 0 })
    }

    /// 24 bits arrive as they are in the file, also at a rate other than a CD's.
    @Test(arguments: [48_000, 96_000])
    func highResolutionIsBitIdentical(_ rate: Int) async throws {
        let file = try await MediaFixtures.file("deep\(rate).flac") { path in
            let noise = "anoisesrc=d=2:r=\(rate):a=0.5:seed=4,aformat=sample_fmts=dbl"
            let depth = ["-sample_fmt", "s32", "-bits_per_raw_sample", "24"]
            try MediaFixtures.ffmpeg(["-f", "lavfi", "-i", noise, "-ac", "2", "-c:a", "flac"] + depth + [path])
        }
        let server = try await PulseServer.start(NullSink(format: format(.s32, rate)))
        let heard = try await hear([file], on: server, as: format(.s32, rate)).integers()
        let bytes = try ChildProcess.run(
            "ffmpeg",
            ["-v", "error", "-i", file, "-ac", "2", "-f", "s32le", "-"],
            within: .patience
        ).output
        let expected = unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Int32.self)) }
        let start = try #require(heard.firstIndex { $0 != 0 })
        let first = try #require(expected.firstIndex { $0 != 0 })
        #expect(expected.contains { $0 & 0xffff != 0 }, "more than 16 bits")
        #expect(heard.count - start >= expected.count - first)
        let differs = zip(expected[first...], heard[start...]).enumerated().first { $1.0 != $1.1 }
        #expect(differs == nil, "\(differs.debugDescription)")
    }

    /// The default sink changes to one of another format: the zone goes on in that, where it was.
    @Test func aZoneTakesTheFormatOfItsNewSink() async throws {
        let one = NullSink("one", format: format(.s16, 44_100))
        let two = NullSink("two", format: format(.s32, 48_000))
        let server = try await PulseServer.start(one, two)
        let code = SignCode(seconds: 20, sampleRate: 48_000, seed: 9)
        let folder = try TemporaryFolder()
        let bytes = WaveFile.bytes([code.samples, code.samples], sampleRate: 48_000)
        let file = try folder.write("code.wav", bytes)
        let stage = try await start(server, [file])
        let client = try stage.connect()
        let before = try await MonitorCapture(of: server, sink: one)
        let after = try await MonitorCapture(of: server, sink: two)
        try client.play("code.wav")
        try await before.waitForSound()
        try await before.hear(1)
        #expect(try server.control("list", "short", "sink-inputs").contains("s16le 2ch 44100Hz"))
        #expect(try client.values("outputs")["attribute"] == "sound=resampled 48→44.1")
        #expect(try client.values("status")["sound"] == "resampled 48→44.1")
        try client.order("setvol 50")
        #expect(try client.values("outputs")["attribute"] == "sound=resampled 48→44.1, software volume")
        try client.order("setvol 100")
        // The file says nothing of its loudness, so nothing is done to it.
        try client.order("replay_gain_mode track")
        #expect(try client.values("outputs")["attribute"] == "sound=resampled 48→44.1")
        try client.order("replay_gain_mode off")
        let left = try client.elapsed()
        try server.control("set-default-sink", "two")
        let sound = try await after.waitForSound()
        try await after.hear(1.5)
        #expect(try server.control("list", "short", "sink-inputs").contains("s32le 2ch 48000Hz"))
        #expect(try client.values("outputs")["attribute"] == "sound=bit-perfect")
        #expect(try client.values("status")["sound"] == "bit-perfect")
        let why = try client.values("why")
        #expect(["sound", "audio", "sinkaudio"].map { why[$0] } == ["bit-perfect", "48000:16:2", "48000:32:2"])
        let elapsed = try client.elapsed()
        let recording = after.stop()
        // The upper half of each sample is the file's; a first piece may have been heard in the old format.
        let heard = Hearing(recording, from: sound).left.map { $0 >> 16 }
        let last = try #require(code.stretches(in: heard).last)
        #expect(last.heard.count > 40_000 && last.heard.upperBound >= heard.count - 1, "\(last)")
        let frames = Hearing(recording, from: sound).left[last.heard]
        #expect(frames.allSatisfy { abs($0) == Int32(code.amplitude) << 16 }, "it was converted")
        #expect(abs(elapsed - Double(last.placeEnd) / 48_000) < 0.3)
        // Nothing is left out or repeated but what is heard while the default sink is looked at.
        #expect(abs(Double(last.place) / 48_000 - left) < 0.4, "went on at \(last.place), was at \(left) s")
    }
}
