import ArgumentParser
import AudioTypes
import CommandOptions
import Testing
import ValueText

@Suite struct PlayOptionsTests {
    @Test func defaultsAreThoseOfTheManual() throws {
        let options = try PlayOptions.parse(["song.flac"])
        #expect(options.locations == ["song.flac"])
        #expect(options.output.output == .usual)
        #expect(options.sound.volume == .full)
        #expect(options.sound.speed == 1)
        #expect(options.sound.pitch == .keep)
        #expect(options.sound.gapless)
        #expect(options.sound.replayGainSettings == ReplayGainSettings())
        #expect(options.selection.loop == nil)
        #expect(options.selection.audioTrack == .automatic)
        #expect(!options.selection.shuffle && !options.selection.resume && !options.selection.recursive)
        #expect(!options.display.json && !options.display.quiet)
    }

    @Test func devicesOfALSAAreOutputs() throws {
        #expect(try PlayOptions.parse(["x", "-o", "alsa"]).output.output == .alsa(nil))
        let named = try PlayOptions.parse(["x", "-o", "alsa:hw:CARD=DAC,DEV=0", "--when-lost", "wait"])
        #expect(named.output.output == .alsa("hw:CARD=DAC,DEV=0"))
        // As `segue devices` lists it.
        let listed = try PlayOptions.parse(["x", "--device", "alsa:hw:1"])
        #expect(listed.output.output == .alsa("hw:1") && listed.output.device == nil)
    }

    @Test func allOptionsAreRead() throws {
        let options = try PlayOptions.parse([
            "--recursive", "--shuffle", "--loop", "--start", "1:30", "--length=10", "--audio-track", "DEU", "--resume",
            "--sleep", "30m", "--volume", "80%", "--speed", "1.5", "--pitch", "follow", "--replaygain", "album",
            "--replaygain-preamp=-3", "--replaygain-fallback=-6.5", "--replaygain-clip", "--no-gapless", "--output",
            "file:out.flac", "--output-format", "s32:48000:mono", "--quiet", "--playlist", "a.m3u", "--playlist",
            "b.cue", "x", "--", "-y",
        ])
        #expect(options.locations == ["x", "-y"])
        #expect(options.selection.playlist == ["a.m3u", "b.cue"])
        #expect(options.selection.recursive && options.selection.shuffle && options.selection.resume)
        #expect(options.selection.loop == .queue)
        #expect(options.selection.start == MediaTime(seconds: 90))
        #expect(options.selection.length == MediaTime(seconds: 10))
        #expect(options.selection.audioTrack == .language("deu"))
        #expect(options.selection.sleep == MediaTime(seconds: 1800))
        #expect(options.sound.volume == Volume(percent: 80))
        #expect(options.sound.speed == 1.5)
        #expect(options.sound.pitch == .follow)
        #expect(!options.sound.gapless)
        let settings = ReplayGainSettings(mode: .album, preamp: -3, fallback: -6.5, preventsClipping: false)
        #expect(options.sound.replayGainSettings == settings)
        #expect(options.output.output == .file("out.flac"))
        let format = OutputFormat(sampleFormat: .s32, sampleRate: 48_000, channels: .mono)
        #expect(options.output.outputFormat == format)
        #expect(options.display.quiet)
    }

    @Test func aVideoTrackIsShown() throws {
        let options = try PlayOptions.parse(["x", "--video-track", "2"]).display
        #expect(options.videoTrack == .number(2) && options.showsFilms && !options.video)
        #expect(try !PlayOptions.parse(["x"]).display.showsFilms)
    }

    @Test func optionsOfStreamsAreRead() throws {
        let options = try PlayOptions.parse([
            "x", "--buffer", "1m30s", "--reconnect-for", "forever", "--max-bitrate", "1.5M", "--record", "r.ts",
            "--stream-log", "log.json", "--insecure", "--header", "X-A: b: c", "--header", "Cookie:", "--user-agent",
            "me",
        ]).stream
        var expected = StreamOptions()
        expected.preferredForwardBuffer = 90
        expected.reconnectLimit = .infinity
        expected.preferredPeakBitRate = 1_500_000
        expected.recording = "r.ts"
        expected.http.userAgent = "me"
        expected.http.headers = [.init(name: "X-A", value: "b: c"), .init(name: "Cookie", value: "")]
        expected.http.verifiesCertificates = false
        #expect(options.streamOptions == expected)
        #expect(options.streamLog == "log.json")
        #expect(try PlayOptions.parse(["x"]).stream.streamOptions == StreamOptions())
        #expect(try PlayOptions.parse(["x", "--reconnect-for", "0"]).stream.streamOptions.reconnectLimit == 0)
        #expect(try ProbeOptions.parse(["x", "--insecure"]).request.httpOptions.verifiesCertificates == false)
    }

    @Test(arguments: [("--loop", LoopOption.queue), ("--loop-playlist", .queue), ("--loop-file", .item)])
    func loops(flag: String, mode: LoopOption) throws {
        #expect(try PlayOptions.parse([flag, "x"]).selection.loop == mode)
    }

    @Test func aloneADashIsMedia() throws {
        let options = try PlayOptions.parse(["-"])
        #expect(options.locations == ["-"])
        #expect(options.readsStandardInput)
    }

    /// Each is a usage error whose first line says what is wrong.
    @Test(arguments: [
        ([], "nothing to play: name a file, folder, playlist or URL"),
        (["--shuffle"], "nothing to play: name a file, folder, playlist or URL"),
        ([""], "a file's name cannot be empty: ''"),
        (["-", "-"], "standard input can be read only once"),
        (["-", "--playlist", "-"], "standard input can be read only once"),
        (["x", "--end", "5", "--length", "5"], "--end and --length exclude each other"),
        (["x", "--start", "5", "--end", "5"], "--end must be after --start"),
        (["x", "--length", "0"], "--length must be more than 0"),
        (["x", "--sleep", "0"], "--sleep must be more than 0"),
        (["x", "--json", "--quiet"], "--quiet and --json exclude each other"),
        (["x", "--interval", "1"], "--interval goes with --json only"),
        (["x", "--json", "--output", "pipe:-"], "--json and --output pipe:- both write to standard output"),
        (["x", "--device", "a", "--output", "null"], "--device goes with --output pulse and auto only"),
        (["x", "--server", "a", "--output", "file:a.wav"], "--server goes with --output pulse and auto only"),
        (["x", "--output-format", "s16"], "--output-format goes with --output file:, dir: and pipe: only"),
        (
            ["x", "--output-format", "follow", "--output", "file:a.wav"],
            "--output-format follow goes with --output pulse, alsa and auto only"
        ),
        (["x", "--file-type", "mp3", "--output", "file:a.wav"], "--file-type goes with --output dir: only"),
        (["x", "--file-type", "../a", "--output", "dir:a"], "an extension is letters and digits, such as flac"),
        (["x", "--force"], "--force goes with --output file: and dir:, and with --record only"),
        (["x", "--loop", "--output", "dir:a"], "--loop does not go with --output dir:"),
        (["x", "--volume", "151"], "it must be a number from 0 to 150"),
        (["x", "--volume", "nan"], "it must be a number from 0 to 150"),
        (["x", "--speed", "0.2"], "it must be a number from 0.25 to 4"),
        (["x", "--start", "-1"], "Missing value for '--start <time>'"),
        (["x", "--video-track", "0"], "a track is a number from 1, languages such as en or de,en, or auto"),
        (["x", "--video-track", "1", "--json"], "--video and --cover go with neither --quiet nor --json"),
        (["x", "--video-track", "1", "--background"], "--video does not go with --background"),
        (["x", "--audio-track", "0"], "a track is a number from 1, languages such as en or de,en, or auto"),
        (
            ["x", "--output", "oss"],
            "outputs are pulse, alsa, alsa:DEVICE, auto, null, null:fast, file:PATH, dir:FOLDER, pipe:PATH and pipe:-"
        ),
        (["x", "--output", "file:"], "a path must follow file:"),
        (["x", "--pitch", "high"], "Please provide one of 'keep' and 'follow'"),
        (["x", "--nonsense"], "Unknown option '--nonsense'"),
        (["x", "--buffer", "0"], "it must be a time from 0.5 s to 1 h"),
        (["x", "--buffer", "2h"], "it must be a time from 0.5 s to 1 h"),
        (["x", "--reconnect-for", "long"], "it must be a time such as 90, 10m or 1h, or forever"),
        (["x", "--max-bitrate", "12"], "it must be bits per second from 1k to 1000M, such as 128k"),
        (["x", "--max-bitrate", "infM"], "it must be bits per second from 1k to 1000M, such as 128k"),
        (["x", "--record", ""], "it must be a file's name"),
        (["x", "--header", "nonsense"], "a header is written as 'Name: value'"),
        (["x", "--header", "a b: c"], "a header is written as 'Name: value'"),
        (["x", "--header", "A: b\u{7f}"], "it must be one line without control characters"),
        (["x", "--header", "range: bytes=0-"], "range is set by Segue itself"),
        (["x", "--user-agent", "a\u{1b}b"], "it must be one line without control characters"),
        (["x", "--background", "--record", "a.ts"], "--record does not go with --background"),
    ])
    func mistakesAreUsageErrors(arguments: [String], message: String) throws {
        let error = try #require(throws: (any Error).self) { try PlayOptions.parse(arguments) }
        let text = PlayOptions.message(for: error)
        #expect(text.contains(message), "\(text)")
        #expect(!text.contains("\n"), "one line: \(text)")
        #expect(PlayOptions.exitCode(for: error).rawValue == ExitStatus.usage.rawValue)
    }

    @Test(arguments: [
        ("pulse", OutputOption.pulse), ("auto", .automatic), ("null", .null), ("null:fast", .nullFast),
        ("file:a:b.wav", .file("a:b.wav")), ("dir:a/b", .folder("a/b")), ("pipe:/tmp/fifo", .pipe("/tmp/fifo")),
        ("pipe:-", .standardOutput),
    ])
    func outputs(text: String, output: OutputOption) throws {
        #expect(try OutputOption(parsing: text) == output)
        #expect(output.description == text)
    }

    @Test(arguments: [
        ("s16", OutputFormat(sampleFormat: .s16)),
        ("f32:96000", OutputFormat(sampleFormat: .f32, sampleRate: 96_000)),
        ("s24:48000", OutputFormat(sampleFormat: .s32, depth: 24, sampleRate: 48_000)),
        ("::5.1", OutputFormat(channels: .surround51)),
        (":8000:", OutputFormat(sampleRate: 8000)),
    ])
    func formats(text: String, format: OutputFormat) throws {
        #expect(try OutputFormat(parsing: text) == format)
    }

    @Test(arguments: ["", ":", "s25", "s16:0", "s16:44100:0", "s16:44100:9", "s16:44100:2:1", "s16:1000000", "S16"])
    func wrongFormats(text: String) {
        #expect(throws: ArgumentProblem.self) { try OutputFormat(parsing: text) }
    }

    /// An entry's own limits (a CUE sheet's track from 60 to 100 s), the options, what is left.
    @Test(
        arguments: [
            (nil, nil, [], nil, nil),
            (nil, nil, ["--start", "5"], 5, nil),
            (nil, nil, ["--start", "5", "--length", "10"], 5, 15),
            (nil, nil, ["--end", "20"], nil, 20),
            (60, 100, ["--start", "5"], 65, 100),
            (60, 100, ["--start", "5", "--end", "20"], 65, 80),
            (60, 100, ["--length", "90"], 60, 100),
        ] as [(Double?, Double?, [String], Double?, Double?)]
    )
    func limits(start: Double?, end: Double?, arguments: [String], from: Double?, to: Double?) throws {
        func time(_ seconds: Double?) -> MediaTime? { seconds.map { MediaTime(seconds: $0) } }
        let entry = MediaEntry(location: "x", start: time(start), end: time(end))
        let limited = try PlayOptions.parse(["x"] + arguments).selection.limited(entry)
        #expect(limited == MediaEntry(location: "x", start: time(from), end: time(to)))
    }

    @Test func otherVerbsNeedTheirArguments() throws {
        #expect(throws: (any Error).self) { try ProbeOptions.parse([]) }
        #expect(throws: (any Error).self) { try DevicesOptions.parse(["--json", "--names"]) }
        #expect(try ProbeOptions.parse(["a", "b", "--json"]).locations == ["a", "b"])
        #expect(try DevicesOptions.parse(["--server", "unix:/x"]).server == "unix:/x")
    }
}
