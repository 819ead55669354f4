import AudioTypes
import Playback
import TestSupport
import Testing

/// What the player does to the sound: speed, pitch, loudness, and which of several streams is heard.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct SoundTests {
    private func tone(_ frequency: Double = 440, tags: [String: String] = [:]) async throws -> MediaEntry {
        let name = "sound\(frequency)\(tags.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value)" }.joined())"
        return MediaEntry(
            try await MediaFixtures.audio(name, .flac, tags: tags) {
                Signal.tone(frequency, seconds: 2, sampleRate: 44_100)
            }
        )
    }

    /// A player whose sink is held within the first item.
    private func held(_ entry: MediaEntry, configuration: PlayerConfiguration = .init()) async throws -> Stage {
        let stage = await Stage(limit: 10_000, configuration: configuration)
        await stage.player.append([entry])
        await stage.player.play()
        try await stage.recorder.waitUntilHeld()
        // Told, so that the next one is another.
        try await stage.log.waitForJump()
        return stage
    }

    private func finish(_ stage: Stage) async throws -> [Float] {
        stage.recorder.release()
        try await stage.log.waitForEnd()
        await stage.player.close()
        return stage.recorder.signal()
    }

    struct Speed: Sendable {
        var rate: Double
        var algorithm: TimePitchAlgorithm
        var frequency: Double
    }

    @Test(arguments: [
        Speed(rate: 2, algorithm: .timeDomain, frequency: 440), Speed(rate: 2, algorithm: .varispeed, frequency: 880),
        Speed(rate: 0.5, algorithm: .timeDomain, frequency: 440),
        Speed(rate: 0.5, algorithm: .varispeed, frequency: 220),
        Speed(rate: 1, algorithm: .varispeed, frequency: 440),
    ])
    func speedKeepsOrChangesThePitch(_ speed: Speed) async throws {
        let recorder = try await Stage.heard([try await tone()]) {
            await $0.setTimePitchAlgorithm(speed.algorithm)
            try? await $0.setSpeed(speed.rate)
        }
        #expect(abs(Double(recorder.frames) - 88_200 / speed.rate) < 500)
        let middle = recorder.signal().dropFirst(recorder.frames / 4).prefix(recorder.frames / 2)
        #expect(abs(Analysis.frequency(middle, sampleRate: 44_100) - speed.frequency) < 2)
    }

    /// The place is kept when the speed changes, and time passes at the new speed.
    @Test func theRateChangesWhilePlaying() async throws {
        let stage = try await held(try await tone())
        let time = stage.player.currentTime().seconds
        let before = stage.log.count
        await stage.player.setTimePitchAlgorithm(.varispeed)
        try await stage.player.setRate(2)
        try await stage.log.waitForJump(after: before)
        #expect(abs(stage.player.currentTime().seconds - time) < 0.001)
        #expect(stage.player.status.rate == 2)
        let heard = try await finish(stage)
        #expect(abs(Double(heard.count) - (time + (2 - time) / 2) * 44_100) < 100)
        #expect(abs(Analysis.frequency(heard.suffix(20_000), sampleRate: 44_100) - 880) < 2)
    }

    /// Row 87: a rate that no media can have changes nothing, and the refusal names the bound.
    @Test(arguments: [
        (0.1, "a rate is at least 0.25, or 0 to pause, not 0.1"), (64, "a rate is at most 4, not 64.0"),
        (-1, "playing backwards is not supported: a rate is at least 0.25, or 0 to pause, not -1.0"),
        (.nan, "a rate is at least 0.25, or 0 to pause, not nan"), (.infinity, "a rate is at most 4, not inf"),
    ])
    func ratesHaveBounds(_ wanted: Double, _ refusal: String) async throws {
        let stage = await Stage()
        let player = stage.player
        await #expect { try await player.setRate(wanted) } throws: { "\($0)" == refusal }
        await #expect { try await player.setSpeed(wanted) } throws: { "\($0)" == refusal }
        await #expect { try await player.playImmediately(atRate: wanted) } throws: { "\($0)" == refusal }
        #expect(stage.player.status.defaultRate == 1 && stage.player.status.rate == 0)
        await stage.player.close()
    }

    /// As AVPlayer's: a rate plays, 0 pauses, and `play` returns to the default rate.
    @Test func aRatePlays() async throws {
        let stage = await Stage(limit: 20_000)
        await stage.player.append([try await tone()])
        try await stage.player.setRate(2)
        #expect(stage.player.status.rate == 2 && stage.player.status.defaultRate == 1)
        try await stage.recorder.waitUntilHeld()
        #expect(stage.player.status.timeControlStatus == .playing)
        try await stage.player.setRate(0)
        #expect(stage.player.status.timeControlStatus == .paused && stage.player.status.defaultRate == 1)
        try await stage.player.setSpeed(1.5)
        #expect(stage.player.status.rate == 0, "the speed of a paused player is that of the next play")
        await stage.player.play()
        #expect(stage.player.status.rate == 1.5)
        await stage.player.close()
    }

    struct Loudness: Sendable {
        var mode: ReplayGainMode
        var tags: [String: String]
        var preamp = 0.0
        var decibels: Double
    }

    private static let both = ["REPLAYGAIN_TRACK_GAIN": "-6.00 dB", "REPLAYGAIN_ALBUM_GAIN": "-12.00 dB"]
    private static let loud = ["REPLAYGAIN_TRACK_GAIN": "+20.00 dB", "REPLAYGAIN_TRACK_PEAK": "0.5"]

    @Test(arguments: [
        Loudness(mode: .off, tags: both, decibels: 0), Loudness(mode: .track, tags: both, decibels: -6),
        Loudness(mode: .album, tags: both, decibels: -12), Loudness(mode: .auto, tags: both, decibels: -12),
        Loudness(mode: .track, tags: both, preamp: 3, decibels: -3), Loudness(mode: .track, tags: [:], decibels: 0),
        // Not louder than full scale allows.
        Loudness(mode: .track, tags: loud, decibels: 6.02),
    ])
    func replayGainIsApplied(_ row: Loudness) async throws {
        var configuration = PlayerConfiguration()
        configuration.replayGain.mode = row.mode
        configuration.replayGain.preamp = row.preamp
        let recorder = try await Stage.heard([try await tone(tags: row.tags)], configuration: configuration)
        let plain = Signal.tone(440, seconds: 2, sampleRate: 44_100)
        #expect(abs(Analysis.level(recorder.signal()) - Analysis.level(plain) - row.decibels) < 0.05)
    }

    /// It is heard at once, from the same place on.
    @Test func replayGainChangesWhilePlaying() async throws {
        let stage = try await held(try await tone(tags: Self.both))
        let before = stage.log.count
        await stage.player.setReplayGain(ReplayGainSettings(mode: .track))
        try await stage.log.waitForJump(after: before)
        let heard = try await finish(stage)
        #expect(heard.count == 88_200)
        #expect(abs(Analysis.level(heard.prefix(10_000)) - Analysis.level(heard.suffix(60_000)) - 6) < 0.05)
        #expect(stage.player.status.replayGain.mode == .track)
    }

    @Test(arguments: [(50.0, false, -18.06), (100, false, 0), (100, true, -200), (0, false, -200)])
    func volumeIsApplied(_ percent: Double, _ isMuted: Bool, _ decibels: Double) async throws {
        let recorder = try await Stage.heard([try await tone()]) {
            await $0.setVolume(Volume(percent: percent))
            await $0.setMuted(isMuted)
        }
        let plain = Analysis.level(Signal.tone(440, seconds: 2, sampleRate: 44_100))
        // A change takes 20 ms.
        let level = Analysis.level(recorder.signal().dropFirst(1_000))
        #expect(decibels < -100 ? level < -90 : abs(level - plain - decibels) < 0.1)
    }

    @Test func theAudioTrackChangesWhilePlaying() async throws {
        let stage = try await held(MediaEntry(try await MediaFixtures.video("mkv")))
        let before = stage.log.count
        await stage.player.setAudioTrack(.language("deu"))
        try await stage.log.waitForJump(after: before)
        let heard = try await finish(stage)
        // English tells its seconds by 400 Hz and up, German is a steady 2,000 Hz; the place is the same.
        #expect(Analysis.position(heard[2_000..<10_000], sampleRate: 44_100) == 0)
        #expect(abs(Analysis.frequency(heard.suffix(60_000), sampleRate: 44_100) - 2_000) < 5)
        #expect(abs(heard.count - 3 * 44_100) < 4_410)
    }

    /// Row 112: a choice is the item's; the next one is played without it.
    @Test func theAudioTrackOfOneItemIsChosen() async throws {
        let film = MediaEntry(try await MediaFixtures.video("mkv"))
        let stage = try await held(film)
        await stage.player.append([film])
        let before = stage.log.count
        let item = try #require(stage.player.status.currentItem?.id)
        await stage.player.selectAudioTrack(.preferred(2), of: item)
        try await stage.log.waitForJump(after: before)
        let heard = try await finish(stage)
        #expect(abs(heard.count - 6 * 44_100) < 8_820)
        #expect(abs(Analysis.frequency(heard[60_000..<120_000], sampleRate: 44_100) - 2_000) < 5)
        #expect(Analysis.position(heard.suffix(30_000).prefix(10_000), sampleRate: 44_100) == 2)
    }

    @Test func theAudioTrackIsChosenBefore() async throws {
        var configuration = PlayerConfiguration()
        configuration.audioTrack = .number(2)
        let entries = [MediaEntry(try await MediaFixtures.video("mkv"))]
        let heard = try await Stage.heard(entries, configuration: configuration).signal()
        #expect(abs(Analysis.frequency(heard.dropFirst(5_000).prefix(60_000), sampleRate: 44_100) - 2_000) < 5)
    }

    /// A track that the next item does not have is told of, and the one after is played.
    @Test func aTrackThatIsNotThere() async throws {
        var configuration = PlayerConfiguration()
        configuration.audioTrack = .number(2)
        let stage = await Stage(configuration: configuration)
        await stage.player.append([try await tone(), MediaEntry(try await MediaFixtures.video("mkv"))])
        await stage.player.play()
        try await stage.log.waitForEnd()
        await stage.player.close()
        #expect(stage.log.words.filter { $0.hasPrefix("failed") || $0.hasPrefix("ended") } == ["failed 1", "ended 2"])
    }

    // MARK: Observers

    private func play(_ seconds: Double, _ observe: (Player) async -> AsyncStream<MediaTime>) async throws -> [Double] {
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(try await noiseFile(seconds))])
        let times = await observe(stage.player)
        let seen = Watched<[Double]>([])
        let reader = Task { for await time in times { seen.withLock { $0.append(time.seconds) } } }
        await stage.player.play()
        try await stage.log.waitForEnd()
        await stage.player.close()
        await reader.value
        return seen.current
    }

    @Test func periodicTimesCome() async throws {
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(try await noiseFile(30))])
        let times = await stage.player.periodicTimes(every: 0.1)
        await stage.player.play()
        // On a busy machine some are replaced by newer ones; each is a multiple, but for the one that tells of the start.
        var ticks: [Double] = []
        for await time in times where time > 0.001 {
            ticks.append(time.seconds)
            if ticks.count == 6 { break }
        }
        await stage.player.close()
        #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $0 < $1 })
        #expect(ticks.dropFirst().allSatisfy { abs(($0 * 10).rounded() - $0 * 10) < 1e-3 }, "\(ticks)")
    }

    @Test func boundaryTimesComeOnce() async throws {
        let times = try await play(1) { await $0.boundaryTimes(at: [0.75, 0.25, 5]) }
        #expect(times == [0.25, 0.75])
    }

    @Test func boundariesThatAreJumpedOverDoNotCome() async throws {
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(try await noiseFile(2))])
        await stage.player.jump(to: 0)
        try await stage.log.waitForJump()
        let times = await stage.player.boundaryTimes(at: [0.5, 1.7])
        #expect(await stage.player.seek(to: 1.5))
        await stage.player.play()
        for await time in times {
            #expect(time == 1.7)
            break
        }
        await stage.player.close()
    }
}
