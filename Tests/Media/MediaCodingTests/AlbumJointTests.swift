import AudioTypes
import HTTP
import MediaCoding
import TestSupport
import Testing
import Threads

/// An album that was cut anywhere is whole again: nothing added, nothing lost at any joint.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct AlbumJointTests {
    /// Plays tracks through one converter, as an output does.
    private func play(_ tracks: [String], at rate: Int) throws -> MediaSound {
        let format = AudioFormat(sampleFormat: .f32, sampleRate: rate, channels: .stereo)
        var sound = MediaSound(format: format)
        var converter = AudioConverter(output: format)
        for track in tracks {
            var reader = try MediaReader.open(MediaEntry(location: track), interrupt: Interrupt())
            try sound.append(&reader, &converter)
        }
        try sound.append(&converter)
        return sound
    }

    @Test(arguments: [MediaFixtures.Codec.wav, .flac, .alac, .wavpack, .mp3, .mp3VBR, .m4a, .m4aITunes, .vorbis])
    func jointsAreExact(_ codec: MediaFixtures.Codec) async throws {
        let album = try await MediaFixtures.album(codec)
        let reference = album.reference(at: 44_100)
        let heard = try play(album.tracks, at: 44_100)
        #expect(heard.frameCount == reference.count)
        #expect(Analysis.changes(at: album.joints(at: 44_100), of: reference, in: heard.channel(0)) == zeros)
        if codec.isLossless {
            #expect(Signal.integers(heard.channel(1)) == Signal.integers(reference))
        }
    }

    @Test func opusJointsAreExact() async throws {
        let album = try await MediaFixtures.album(.opus, rates: [48_000])
        let reference = album.reference(at: 48_000)
        let heard = try play(album.tracks, at: 48_000)
        #expect(heard.frameCount == reference.count)
        #expect(Analysis.changes(at: album.joints(at: 48_000), of: reference, in: heard.channel(0)) == zeros)
    }

    /// The resampler runs on from track to track: its rounding does not add up.
    @Test(arguments: [48_000, 96_000])
    func resampledJointsAreExact(_ rate: Int) async throws {
        let album = try await MediaFixtures.album(.flac)
        let reference = album.reference(at: rate)
        let heard = try play(album.tracks, at: rate)
        #expect(abs(heard.frameCount - reference.count) <= 1)
        #expect(Analysis.changes(at: album.joints(at: rate), of: reference, in: heard.channel(0)) == zeros)
        // No joint is to be heard: what differs from a signal that was never cut is a resampler's rounding.
        let sound = heard.channel(0)
        for joint in album.joints(at: rate) {
            let window = joint - 200..<joint + 200
            #expect(Analysis.signalToNoise(reference[window], sound[window]) > 60, "at \(joint)")
        }
    }

    @Test(arguments: [MediaFixtures.Codec.flac, .mp3, .vorbis, .m4a], [44_100, 48_000])
    func ratesMayChange(_ codec: MediaFixtures.Codec, _ rate: Int) async throws {
        let album = try await MediaFixtures.album(codec, rates: [44_100, 48_000])
        let reference = album.reference(at: rate)
        let heard = try play(album.tracks, at: rate)
        #expect(abs(heard.frameCount - reference.count) <= 1)
        #expect(Analysis.changes(at: album.joints(at: rate), of: reference, in: heard.channel(0)) == zeros)
    }

    private var zeros: [Int?] { Array(repeating: 0, count: 7) }
}
