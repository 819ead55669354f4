import AudioTypes
import Settings
import Testing
import ValueText

@Suite struct OutputTests {
    static let everything = """
        [[output]]
        name = "Speakers"
        type = "pulse"
        server = "unix:/run/pulse"
        device = "alsa_output.usb"
        when-lost = "fallback"
        movable = true
        format = "48000:24:2"
        mixer = "software"
        enabled = false

        [[zone]]
        name = "kitchen"

        [[zone.output]]
        name = "Snapcast"
        type = "fifo:/tmp/snapfifo"
        format = "s16:48000:2"

        [[zone.output]]
        name = "Tape"
        type = "file:tapes/today.flac"

        [[zone.output]]
        name = "Radio"
        type = "httpd"
        port = 8123
        bind-to-address = "any"
        encoder = "opus"
        bitrate = 96
        max-clients = 20
        genre = "Jazz"
        website = "http://kitchen.example/"

        [[zone.output]]
        name = "Fine radio"
        type = "httpd"
        encoder = "vorbis"
        quality = 7.5

        [[zone.output]]
        name = "Station"
        type = "icecast"
        host = "radio.example"
        mount = "live"
        user = "dj"
        password = "hackme"
        public = true
        description = "All night"

        [[zone.output]]
        name = "Segments"
        type = "hls"
        folder = "live"
        segment-seconds = 6
        segments = 10
        bitrate = 96

        [[zone.output]]
        name = "House"
        type = "snapcast"
        host = "hall"
        control-port = 0
        """

    @Test func outputsBelongToTheirZones() throws {
        let speakers = Output(
            name: "Speakers",
            kind: .pulse,
            server: "unix:/run/pulse",
            device: "alsa_output.usb",
            whenLost: .fallback,
            isMovable: true,
            format: OutputFormat(sampleFormat: .s32, sampleRate: 48_000, channels: .stereo),
            mixer: .software,
            isEnabled: false
        )
        let snapcast = Output(
            name: "Snapcast",
            kind: .fifo(path: "/tmp/snapfifo"),
            format: OutputFormat(sampleFormat: .s16, sampleRate: 48_000, channels: .stereo)
        )
        let tape = Output(name: "Tape", kind: .file(path: "/nonexistent/here/tapes/today.flac"))
        var radio = BroadcastSettings()
        (radio.port, radio.bindAddress, radio.encoder, radio.bitRate) = (8_123, nil, .opus, 96_000)
        (radio.maxClients, radio.genre, radio.website) = (20, "Jazz", "http://kitchen.example/")
        var fine = BroadcastSettings()
        (fine.encoder, fine.quality) = (.vorbis, 7.5)
        var station = BroadcastSettings()
        (station.host, station.mount, station.user, station.password) = ("radio.example", "/live", "dj", "hackme")
        (station.isPublic, station.description) = (true, "All night")
        var segments = BroadcastSettings()
        (segments.encoder, segments.bitRate, segments.folder) = (.aac, 96_000, "/nonexistent/here/live")
        (segments.segmentTime, segments.segmentCount) = (6, 10)
        var house = BroadcastSettings.snapcast
        (house.host, house.controlPort) = ("hall", nil)
        let streams = [
            Output(name: "Radio", kind: .httpd, broadcast: radio),
            Output(name: "Fine radio", kind: .httpd, broadcast: fine),
            Output(name: "Station", kind: .icecast, broadcast: station),
            Output(name: "Segments", kind: .hls, broadcast: segments),
            Output(name: "House", kind: .snapcast, broadcast: house),
        ]
        let zones = try parse(Self.everything).zones
        #expect(
            zones == [
                ZoneSettings(name: "default", outputs: [speakers]),
                ZoneSettings(name: "kitchen", outputs: [snapcast, tape] + streams),
            ]
        )
    }

    @Test func anOutputWaitsForItsDeviceUnlessToldOtherwise() {
        #expect(Output(name: "a", kind: .pulse).lossPolicy == .pause)
        #expect(Output(name: "a", kind: .pulse, device: "x").lossPolicy == .wait)
        #expect(Output(name: "a", kind: .pulse, device: "x", whenLost: .pause).lossPolicy == .pause)
    }

    /// A stream's keys are checked by its type and its encoder.
    @Test(
        arguments: [
            (
                "type = \"null\"\nport = 8000",
                #""port" goes with the types httpd, icecast and snapcast only; "A" is null"#
            ),
            ("type = \"httpd\"\ndevice = \"x\"", #""device" goes with the types pulse and alsa only; "A" is httpd"#),
            (
                "type = \"httpd\"\nencoder = \"flac\"\nbitrate = 64",
                #""bitrate" has no meaning for the encoder flac of "A""#
            ),
            (
                "type = \"httpd\"\nencoder = \"mp3\"\nquality = 10",
                #""quality" must be from 0 to 9 for the encoder mp3 of "A""#
            ),
            (
                "type = \"httpd\"\nencoder = \"opus\"\nquality = 1",
                #""quality" has no meaning for the encoder opus of "A""#
            ),
            (
                "type = \"icecast\"\nhost = \"x\"\npassword = \"p\"",
                #"an [[output]] of the type icecast needs a "mount"; "A" has none"#
            ),
            ("type = \"hls\"", #"an [[output]] of the type hls needs a "folder"; "A" has none"#),
            (
                "type = \"icecast\"\nencoder = \"wav\"",
                #"Icecast takes opus, vorbis, mp3 or aac, not the encoder wav of "A""#
            ),
            (
                "type = \"httpd\"\nbitrate = 64\nquality = 1",
                #""bitrate" and "quality" exclude each other; "A" has both"#
            ),
        ]
    )
    func aStreamsKeysAreChecked(text: String, problem: String) {
        #expect(remarks("[[output]]\nname = \"A\"\n\(text)").contains { $0.contains(problem) })
    }

    @Test(arguments: [
        ("44100:16:2", OutputFormat(sampleFormat: .s16, sampleRate: 44_100, channels: .stereo)),
        ("96000:24:*", OutputFormat(sampleFormat: .s32, sampleRate: 96_000)),
        ("*:f:1", OutputFormat(sampleFormat: .f32, channels: .mono)),
        ("48000:*:2", OutputFormat(sampleRate: 48_000, channels: .stereo)),
        ("s16:44100:2", OutputFormat(sampleFormat: .s16, sampleRate: 44_100, channels: .stereo)),
        ("f32", OutputFormat(sampleFormat: .f32)),
    ])
    func formatsAreReadInEitherSpelling(text: String, format: OutputFormat) throws {
        #expect(try OutputFormat(anySpelling: text) == format)
    }

    @Test(arguments: ["", "44100:16", "44100:17:2", "1:16:2", "44100:16:99", "*:*:*", "dsd64:2", "a:b:c:d"])
    func otherFormatsAreRefused(text: String) {
        #expect(throws: ArgumentProblem.self) { try OutputFormat(anySpelling: text) }
    }

    @Test(arguments: ["pulse", "null", "null:fast", "file:a.wav", "pipe:/dev/stdout", "fifo:/tmp/x:y"])
    func kindsReadAsTheyAreWritten(text: String) throws {
        #expect(try Output.Kind(parsing: text).description == text)
    }

    @Test(arguments: ["", "alsa:", "file:", "fifo", "pulse:", "PULSE"])
    func otherKindsAreRefused(text: String) {
        #expect(throws: ArgumentProblem.self) { try Output.Kind(parsing: text) }
    }
}
