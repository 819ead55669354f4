import AudioTypes
import Foundation
import TestSupport
import TestThreads
import Testing

/// Files that are written: in the format of the first item, and never over others unasked.
@Suite(.serialized, .blocking, .enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct FileOutputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A second of noise of 24 bits at 96 kHz.
    private func deepFile() async throws -> String {
        try await MediaFixtures.file("deep-output.flac") { path in
            let noise = "anoisesrc=d=1:r=96000:a=0.5:seed=8,aformat=sample_fmts=dbl"
            let depth = ["-sample_fmt", "s32", "-bits_per_raw_sample", "24"]
            try MediaFixtures.ffmpeg(["-f", "lavfi", "-i", noise, "-ac", "2", "-c:a", "flac"] + depth + [path])
        }
    }

    private func play(_ words: String...) async throws -> ChildProcess.Result {
        try await ChildProcess(try builtProgram("segue-play"), ["play"] + words).wait()
    }

    private func decoded(_ path: String) throws -> [UInt8] {
        try ChildProcess.run("ffmpeg", ["-v", "error", "-i", path, "-f", "s32le", "-"], within: .patience).output
    }

    @Test func theFileHasTheSourcesFormat() async throws {
        let source = try await deepFile()
        let copy = folder.file("copy.flac")
        #expect(try await play("--output", "file:\(copy)", source).status == .code(0))
        let words = ["-v", "error", "-show_entries", "stream=sample_rate,bits_per_raw_sample", "-of", "csv=p=0", copy]
        #expect(try ChildProcess.run("ffprobe", words, within: .patience).outputText == "96000,24\n")
        #expect(try decoded(copy) == decoded(source))
    }

    /// 24 bits are kept as 24 where a codec has several depths, and `s24` asks for them.
    @Test(arguments: [("deep.wav", "pcm_s24le", [String]()), ("asked.wav", "pcm_s24le", ["--output-format", "s24"])])
    func samplesKeepTheirDepth(_ name: String, _ codec: String, _ words: [String]) async throws {
        let source = try await deepFile()
        let copy = folder.file(name)
        let result = try await ChildProcess(
            try builtProgram("segue-play"),
            ["play", "--output", "file:\(copy)", source] + words
        ).wait()
        #expect(result.status == .code(0), "\(result.errorText)")
        let question = ["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", copy]
        #expect(try ChildProcess.run("ffprobe", question, within: .patience).outputText == "\(codec)\n")
        #expect(try decoded(copy) == decoded(source))
    }

    /// One item's tags come with its sound, and those that tell of its encoding do not.
    @Test(arguments: ["flac", "ogg", "mp3", "m4a", "wav"])
    func tagsAreCopied(_ ending: String) async throws {
        let source = folder.file("source.flac")
        let tags = ["title=Näme", "artist=Ann", "track=3", "replaygain_track_gain=-3 dB"].flatMap { ["-metadata", $0] }
        try ChildProcess.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "sine=d=0.2", "-c:a", "flac"] + tags + [source],
            within: .patience
        )
        let copy = folder.file("copy.\(ending)")
        #expect(try await play("--output", "file:\(copy)", source).status == .code(0))
        let question = ["-v", "error", "-show_entries", "format_tags:stream_tags", "-of", "default=nw=1", copy]
        let lines = try ChildProcess.run("ffprobe", question, within: .patience).outputText.lowercased()
        for line in ["tag:title=näme", "tag:artist=ann", "tag:track=3"] { #expect(lines.contains(line), "\(lines)") }
        #expect(!lines.contains("replaygain"), "\(lines)")
        // Of several items, none has the title of the file.
        let both = folder.file("both.\(ending)")
        #expect(try await play("--output", "file:\(both)", source, source).status == .code(0))
        let words = ["-v", "error", "-show_entries", "format_tags:stream_tags", both]
        #expect(!(try ChildProcess.run("ffprobe", words, within: .patience).outputText.contains("Näme")))
    }

    @Test func noFileIsOverwrittenUnasked() async throws {
        let source = try await deepFile()
        let path = try folder.write("kept.flac", "something of value")
        let refused = try await play("--output", "file:\(path)", source)
        #expect(refused.status == .code(3))
        #expect(refused.errorText.contains("\(path): exists; --force overwrites it"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "something of value")
        #expect(try await play("--output", "file:\(path)", "--force", source).status == .code(0))
        #expect(try decoded(path) == decoded(source))
    }

    @Test func anExtensionThatNobodyKnowsIsOneLine() async throws {
        let result = try await play("--output", "file:\(folder.file("out.xyz"))", try await deepFile())
        #expect(result.status == .code(3))
        #expect(result.errorText.split(separator: "\n").count == 1, "\(result.errorText)")
        #expect(result.errorText.contains("out.xyz"))
    }

    @Test(.enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
    func seguedWritesBesideWhatIsThere() async throws {
        let server = try await PulseServer.start()
        let path = try folder.write("radio.flac", "something of value")
        let stage = try await Stage(on: server, "[[output]]\nname = \"f\"\ntype = \"file:\(path)\"\n")
        let client = try stage.connect()
        try client.play("voice.wav")
        try client.wait { try client.values("status")["state"] == "stop" }
        try await stage.end()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "something of value")
        #expect(try decoded(folder.file("radio-2.flac")).count == 8 * Songs.voice.count)
    }
}
