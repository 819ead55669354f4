import AudioTypes
import MediaCoding
import Playback
import TestSupport
import Testing

/// Item follows item without a sample too many or too few.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct GaplessTests {
    @Test(arguments: MediaFixtures.Codec.allCases.filter(\.isExact))
    func albumHasNoJoints(_ codec: MediaFixtures.Codec) async throws {
        let rate = codec == .opus ? 48_000 : 44_100
        let album = try await MediaFixtures.album(codec, rates: [rate])
        let format = AudioFormat(sampleFormat: .s16, sampleRate: rate, channels: .stereo)
        let recorder = try await Stage.heard(album.tracks.map { MediaEntry($0) }, format: format)
        let reference = album.reference(at: rate)
        if codec.isLossless {
            #expect(difference(recorder.samples(), Signal.integers(reference)) == nil)
            #expect(difference(recorder.samples(channel: 1), Signal.integers(reference)) == nil)
        } else {
            #expect(recorder.frames == reference.count)
            let changes = Analysis.changes(at: album.joints(at: rate), of: reference, in: recorder.signal())
            #expect(changes == Array(repeating: 0, count: 7))
        }
        #expect(recorder.state.current.isFinished)
    }

    /// The sample rate changes at every joint; one of the two has to be resampled.
    @Test(arguments: [44_100, 48_000])
    func albumOfTwoRatesHasNoJoints(_ rate: Int) async throws {
        let album = try await MediaFixtures.album(.flac, rates: [44_100, 48_000])
        let format = AudioFormat(sampleFormat: .s16, sampleRate: rate, channels: .stereo)
        let recorder = try await Stage.heard(album.tracks.map { MediaEntry($0) }, format: format)
        let reference = album.reference(at: rate)
        let changes = Analysis.changes(at: album.joints(at: rate), of: reference, in: recorder.signal())
        #expect(changes == Array(repeating: 0, count: 7))
        #expect(abs(recorder.frames - reference.count) <= 1)
    }

    /// Every track has to be resampled: the resampler runs on across the joints.
    @Test(arguments: [MediaFixtures.Codec.flac, .mp3, .m4a, .opus, .vorbis])
    func resampledAlbumHasNoJoints(_ codec: MediaFixtures.Codec) async throws {
        let source = codec == .opus ? 48_000 : 44_100
        let rate = codec == .opus ? 44_100 : 48_000
        let album = try await MediaFixtures.album(codec, rates: [source])
        let format = AudioFormat(sampleFormat: .s16, sampleRate: rate, channels: .stereo)
        let recorder = try await Stage.heard(album.tracks.map { MediaEntry($0) }, format: format)
        let reference = album.reference(at: rate)
        let changes = Analysis.changes(at: album.joints(at: rate), of: reference, in: recorder.signal())
        #expect(changes == Array(repeating: 0, count: 7))
        #expect(abs(recorder.frames - reference.count) <= 1)
        guard codec == .flac else { return }
        #expect(Analysis.signalToNoise(reference, recorder.signal()) > 60)
    }

    /// A file of twenty frames, of one, of a few thousand: joints closer together than any buffer.
    @Test func tinyItemsFollowEachOther() async throws {
        let sizes = [20, 1, 4_000, 7, 100, 20_000, 3, 1]
        let signal = Signal.noise(frames: sizes.reduce(0, +), seed: 9)
        var entries: [MediaEntry] = []
        var start = 0
        for (number, size) in sizes.enumerated() {
            let part = Array(signal[start..<start + size])
            entries.append(MediaEntry(try await MediaFixtures.audio("tiny\(number)", .wav) { part }))
            start += size
        }
        let recorder = try await Stage.heard(entries)
        #expect(difference(recorder.samples(), Signal.integers(signal)) == nil)
    }

    @Test func clipsOfOneFileAdjoin() async throws {
        let file = try await noiseFile(6)
        // CUE counts in frames of 1/75 s: 588 samples.
        let cuts: [Double] = [0, 82.0 / 75, 165.0 / 75, 374.0 / 75]
        let entries = cuts.indices.map { index in
            MediaEntry(file, from: cuts[index], to: index + 1 < cuts.count ? cuts[index + 1] : nil)
        }
        let stage = await Stage()
        await stage.player.append(entries)
        await stage.player.play()
        try await stage.log.waitForEnd()
        await stage.player.close()
        #expect(difference(stage.recorder.samples(), noise(6)) == nil)
        let durations = stage.log.all.compactMap { event -> Double? in
            if case .itemPlayedToEnd(let item) = event { item.duration?.seconds } else { nil }
        }
        let expected: [Double] = [82.0 / 75, 83.0 / 75, 209.0 / 75, 76.0 / 75]
        #expect(zip(durations, expected).allSatisfy { abs($0 - $1) < 1e-9 })
        #expect(durations.count == 4)
    }

    @Test func oneClipIsExact() async throws {
        let recorder = try await Stage.heard([MediaEntry(try await noiseFile(6), from: 1.5, to: 2.25)])
        #expect(difference(recorder.samples(), Array(noise(6)[66_150..<99_225])) == nil)
    }

    @Test func withoutGaplessItemsStillFollow() async throws {
        var configuration = PlayerConfiguration()
        configuration.isGapless = false
        let entries = [try await noiseFile(1), try await noiseFile(1, seed: 2)].map { MediaEntry($0) }
        let recorder = try await Stage.heard(entries, configuration: configuration)
        #expect(difference(recorder.samples(), noise(1) + noise(1, seed: 2)) == nil)
    }

    @Test func anItemIsLooped() async throws {
        let file = try await noiseFile(0.7)
        let stage = await Stage()
        await stage.player.setLoopMode(.item)
        await stage.player.append([MediaEntry(file)])
        await stage.player.play()
        try await stage.recorder.waitForFrames(4 * 30_870)
        try await stage.log.waitForStatus("three loops") { $0.loopCount >= 3 }
        await stage.player.close()
        let once = noise(0.7)
        #expect(stage.recorder.samples().prefix(4 * once.count).elementsEqual(once + once + once + once))
        // Each end is told, then the jump back to the beginning.
        #expect(
            stage.log.words.prefix(8) == [
                "current 1", "ready 1", "jumped", "ended 1", "jumped", "ended 1", "jumped", "ended 1",
            ]
        )
    }

    @Test func theQueueIsLooped() async throws {
        let files = [try await noiseFile(0.5), try await noiseFile(0.3, seed: 2)]
        let once = noise(0.5) + noise(0.3, seed: 2)
        let stage = await Stage(limit: 2 * once.count + 10_000)
        await stage.player.setLoopMode(.queue)
        await stage.player.append(files.map { MediaEntry($0) })
        await stage.player.play()
        try await stage.recorder.waitUntilHeld()
        stage.recorder.release()
        await stage.player.close()
        let heard = stage.recorder.samples().prefix(2 * once.count + 10_000)
        #expect(heard.elementsEqual((once + once + once).prefix(heard.count)))
        #expect(
            stage.log.words.starts(with: [
                "current 1", "ready 1", "jumped", "ended 1", "current 2", "ended 2", "current 1",
            ])
        )
        #expect(!stage.log.words.contains("queue ended"))
    }
}
