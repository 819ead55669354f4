import AudioTypes
import Foundation
import MediaCoding
import TestSupport
import TestThreads
import Testing
import Threads

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

    // MARK: Covers and chapters

    /// Two songs of an album, with a cover and the words of a chapter each.
    private func album() async throws -> [String] {
        let cover = folder.file("cover.png")
        let draw = ["-v", "error", "-f", "lavfi", "-i", "testsrc=s=40x30:d=0.04", "-frames:v", "1", cover]
        try ChildProcess.run("ffmpeg", draw, within: .patience)
        return try ["One", "Two"].map { title in
            let path = folder.file("\(title).flac")
            let tags = ["title=\(title)", "album=Both", "artist=\(title) Artist"].flatMap { ["-metadata", $0] }
            let sound = [
                "-v", "error", "-f", "lavfi", "-i", "sine=d=1.5", "-i", cover, "-map", "0", "-map", "1", "-c:a", "flac",
            ]
            try ChildProcess.run(
                "ffmpeg",
                sound + ["-disposition:v", "attached_pic"] + tags + [path],
                within: .patience
            )
            return path
        }
    }

    private func probed(_ path: String, _ entries: String) throws -> String {
        let words = ["-v", "error", "-show_entries", entries, "-of", "default=nw=1:nk=0", path]
        return try ChildProcess.run("ffprobe", words, within: .patience).outputText.lowercased()
    }

    /// A file of several items has what they agree on, a chapter for each, and the first one's cover.
    @Test(arguments: ["flac", "ogg", "opus", "mp3", "m4a", "mka", "aiff"])
    func aFileOfAnAlbumHasItsChapters(_ ending: String) async throws {
        let songs = try await album()
        let path = folder.file("album.\(ending)")
        let result = try await ChildProcess(
            try builtProgram("segue-play"),
            ["play", "--output", "file:\(path)"] + songs
        ).wait()
        #expect(result.status == .code(0), "\(result.errorText)")
        let tags = try probed(path, "format_tags:stream_tags")
        #expect(tags.contains("album=both") && !tags.contains("artist"), "\(tags)")
        let chapters = try probed(path, "chapter=start_time:chapter_tags=title")
        let lines = chapters.split(separator: "\n")
        #expect(
            lines == ["start_time=0.000000", "tag:title=one", "start_time=1.500000", "tag:title=two"],
            "\(chapters)"
        )
        let picture = try MediaProbe.picture(path, atMost: 1 << 20, interrupt: Interrupt())
        #expect(picture?.bytes == Array(try Data(contentsOf: URL(filePath: folder.file("cover.png")))))
        // A chapter of one item is where it is heard.
        let part = folder.file("part.\(ending)")
        #expect(try await play("--output", "file:\(part)", "--start", "1", "--speed", "2", path).status == .code(0))
        #expect(try probed(part, "chapter=start_time").contains("start_time=0.250000"))
    }

    // MARK: ReplayGain

    /// Three seconds of a tone in both channels, which at this level is as many LUFS.
    private func tone(_ name: String, decibels: Double) throws -> String {
        let path = folder.file("\(name).flac")
        let wave = "\(pow(10, decibels / 20))*sin(2*PI*1000*t)"
        let tags = ["title=\(name)", "album=Both", "replaygain_track_gain=-9 dB"].flatMap { ["-metadata", $0] }
        let words = ["-v", "error", "-f", "lavfi", "-i", "aevalsrc=\(wave)|\(wave):d=3:s=48000", "-c:a", "flac"]
        try ChildProcess.run("ffmpeg", words + tags + [path], within: .patience)
        return path
    }

    private func gain(of path: String) throws -> ReplayGain { try MediaProbe.probe(path).replayGain }

    @Test(arguments: ["flac", "ogg", "opus", "mp3", "aiff", "mka", "wv", "tta", "wma"])
    func theLoudnessIsWritten(_ ending: String) async throws {
        let path = folder.file("copy.\(ending)")
        let song = try tone("tone", decibels: -20)
        let result = try await play("--write-replaygain", "--output", "file:\(path)", song)
        #expect(result.status == .code(0), "\(result.errorText)")
        let gain = try gain(of: path)
        #expect(abs(try #require(gain.trackGain) - 2) < 0.1, "\(gain)")
        #expect(gain.albumGain == nil)
        if ending != "opus" { #expect(abs(try #require(gain.trackPeak) - 0.1) < 0.005, "\(gain)") }
    }

    /// It is the loudness of what is written, not of its source.
    @Test func theLoudnessIsThatOfTheFile() async throws {
        let path = folder.file("copy.flac")
        let song = try tone("tone", decibels: -20)
        let result = try await play("--write-replaygain", "--volume", "50%", "-o", "file:\(path)", song)
        #expect(result.status == .code(0), "\(result.errorText)")
        // Half the volume is an eighth of the amplitude, as the scale is cubic: -38 LUFS, which gets the largest gain.
        #expect(try gain(of: path).trackGain == 18)
    }

    @Test func aFolderGetsTheGainOfItsAlbum() async throws {
        let songs = [try tone("loud", decibels: -20), try tone("soft", decibels: -26)]
        let made = folder.file("made")
        let result = try await play("--write-replaygain", "--output", "dir:\(made)", songs[0], songs[1])
        #expect(result.status == .code(0), "\(result.errorText)")
        for (name, track) in [("loud", 2.0), ("soft", 8.0)] {
            let gain = try gain(of: "\(made)/\(name).flac")
            #expect(abs(try #require(gain.trackGain) - track) < 0.1, "\(gain)")
            // The mean of both energies is -22.04 LUFS.
            #expect(abs(try #require(gain.albumGain) - 4.04) < 0.1, "\(gain)")
            #expect(abs(try #require(gain.albumPeak) - 0.1) < 0.005, "\(gain)")
        }
    }

    /// What could not be written is told before anything is measured.
    @Test(arguments: [
        ("m4a", "tone", ": a file of this kind has no place for ReplayGain\n"),
        ("wav", "tone", ": a file of this kind has no place for ReplayGain\n"),
        ("flac", "http://127.0.0.1:9/x.mp3", "127.0.0.1:9/x.mp3: --write-replaygain goes with local files only\n"),
    ])
    func whatCannotHaveTheLoudnessIsRefused(_ ending: String, _ source: String, _ reason: String) async throws {
        let path = folder.file("copy.\(ending)")
        let song = source == "tone" ? try tone(source, decibels: -20) : source
        let result = try await play("--write-replaygain", "--output", "file:\(path)", song)
        #expect(result.status == .code(3))
        #expect(result.errorText.hasSuffix(reason), "\(result.errorText)")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    // MARK: Folders

    @Test func aFolderGetsAFileOfEachItem() async throws {
        let songs = try await album()
        let bad = try folder.write("bad.flac", "no sound")
        let made = folder.file("made")
        let result = try await play("--output", "dir:\(made)", songs[0], bad, songs[1])
        #expect(result.status == .code(1))
        #expect(result.outputText.hasSuffix("2 files in \(made), 1 not made\n"), "\(result.outputText)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: made).sorted() == ["One.flac", "Two.flac"])
        #expect(try decoded("\(made)/Two.flac") == decoded(songs[1]))
        #expect(try probed("\(made)/One.flac", "format_tags").contains("title=one"))
        // Each has its own format.
        let deep = try await deepFile()
        let again = try await play("--output", "dir:\(made)", "--file-type", "wav", songs[0], deep)
        #expect(again.status == .code(0), "\(again.errorText)")
        let name = URL(filePath: deep).deletingPathExtension().lastPathComponent
        #expect(try decoded("\(made)/\(name).wav") == decoded(deep))
        #expect(try probed("\(made)/One.wav", "stream=codec_name") == "codec_name=pcm_s16le\n")
    }

    @Test func nothingInAFolderIsOverwrittenUnasked() async throws {
        let songs = try await album()
        let before = try Data(contentsOf: URL(filePath: songs[0]))
        let onItself = try await play("--output", "dir:\(folder.path)", "--force", songs[0])
        #expect(onItself.errorText.contains("is one of the files to play"))
        #expect(try Data(contentsOf: URL(filePath: songs[0])) == before)
        let made = folder.file("made")
        try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: false)
        _ = try folder.write("made/One.flac", "something of value")
        let refused = try await play("--output", "dir:\(made)", songs[0], songs[1])
        #expect(refused.status == .code(3))
        #expect(refused.errorText.contains("\(made)/One.flac: exists; --force overwrites it"), "\(refused.errorText)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: made) == ["One.flac"])
        #expect(try await play("--output", "dir:\(made)", "--force", songs[0]).status == .code(0))
        #expect(try decoded("\(made)/One.flac") == decoded(songs[0]))
    }

    /// On a terminal there is a person to ask.
    @Test(arguments: [("n\r", false), ("y\r", true)])
    func aTerminalIsAsked(_ answer: String, _ overwrites: Bool) async throws {
        let source = try await deepFile()
        let path = try folder.write("kept.flac", "something of value")
        let terminal = try TerminalProcess(
            try builtProgram("segue-play"),
            ["play", "--output", "file:\(path)", source],
            columns: 200
        )
        try await terminal.waitForText("exists. Overwrite it? [y/N]")
        terminal.type(answer)
        let status = try await terminal.process.wait().status
        #expect(status == .code(overwrites ? 0 : 3))
        let isKept = try Data(contentsOf: URL(filePath: path)) == Data("something of value".utf8)
        #expect(isKept != overwrites)
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
