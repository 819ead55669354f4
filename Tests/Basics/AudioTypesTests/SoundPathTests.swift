import AudioTypes
import Testing

/// What users are told about the way of samples to a sink.
struct SoundPathTests {
    private static func format(_ sample: SampleFormat, _ rate: Int) -> AudioFormat {
        AudioFormat(sampleFormat: sample, sampleRate: rate, channels: .stereo)
    }

    private static func path(_ sample: SourceFormat.Sample, _ rate: Int, _ sink: AudioFormat) -> SoundPath {
        let source = SourceFormat(sample: sample, sampleRate: rate, channels: 2)
        return SoundPath(source: source, rendered: sink, output: sink, sink: sink)
    }

    @Test(arguments: [
        (path(.integer(bits: 16), 44_100, .cd), "bit-perfect"),
        (path(.integer(bits: 24), 96_000, format(.s32, 96_000)), "bit-perfect"),
        (path(.integer(bits: 24), 96_000, format(.f32, 96_000)), "bit-perfect"),
        (path(.integer(bits: 16), 96_000, format(.s16, 48_000)), "resampled 96→48"),
        (path(.floating, 48_000, .cd), "resampled 48→44.1"),
        (path(.integer(bits: 24), 44_100, .cd), "dithered"),
        (path(.integer(bits: 24), 96_000, .cd), "resampled 96→44.1, dithered"),
        (path(.floating, 44_100, .cd), "bit-perfect"),
    ])
    func isTold(_ path: SoundPath, _ text: String) { #expect(path.description == text) }

    @Test func tellsWhatTheSoundServerDoes() {
        var path = Self.path(.integer(bits: 24), 96_000, Self.format(.s32, 96_000))
        path.sink = Self.format(.s16, 48_000)
        path.isScaled = true
        #expect(path.description == "resampled 96→48, cut to 16 bits, software volume")
        path.source.channels = 6
        #expect(path.description.contains("mixed 6→2"))
    }
}
