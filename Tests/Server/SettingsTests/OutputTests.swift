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
        let zones = try parse(Self.everything).zones
        #expect(
            zones == [
                ZoneSettings(name: "default", outputs: [speakers]),
                ZoneSettings(name: "kitchen", outputs: [snapcast, tape]),
            ]
        )
    }

    @Test func anOutputWaitsForItsDeviceUnlessToldOtherwise() {
        #expect(Output(name: "a", kind: .pulse).lossPolicy == .pause)
        #expect(Output(name: "a", kind: .pulse, device: "x").lossPolicy == .wait)
        #expect(Output(name: "a", kind: .pulse, device: "x", whenLost: .pause).lossPolicy == .pause)
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
