import AudioTypes
import Testing

@Suite struct UnitTests {
    @Test func samplesAreFoundAgainByTheirTime() {
        for sample in [0, 1, 588, 44_099, 123_456_789, 24_000_000_000] {
            #expect(MediaTime(sample: sample, at: 768_000).sample(at: 768_000) == sample)
            #expect(MediaTime(sample: sample, at: 44_100).sample(at: 44_100) == sample)
        }
    }

    @Test func volumeIsCubicAsPulseAudios() {
        #expect(Volume(percent: 100).gain == .unity)
        #expect(Volume(percent: 50).gain.linear == 0.125)
        #expect(Volume(percent: 0).gain == .silence)
        #expect(Volume(percent: 900).percent == 150)
        #expect(Volume(percent: -1).percent == 0)
    }

    @Test func decibelsAreAmplitudes() {
        #expect(abs(Gain(decibels: -6.0206).linear - 0.5) < 1e-4)
        #expect(abs(Gain(linear: 10).decibels - 20) < 1e-9)
    }

    @Test func layoutsCountTheirSpeakers() {
        #expect(ChannelLayout(mask: 0x60f) == .surround51)
        #expect(ChannelLayout(count: 2) == .stereo)
        #expect(ChannelLayout(count: 3) == ChannelLayout(mask: 0x7) && ChannelLayout(count: 4).mask == 0)
        #expect(ChannelLayout.surround71.count == 8)
    }

    @Test func hostTimeGoesOn() {
        let start = HostTime.now
        #expect((start + 1.5) - start == 1.5)
        #expect(HostTime.now >= start)
    }
}

@Suite struct ReplayGainTests {
    private let tags = ReplayGain(trackGain: -6, trackPeak: 0.5, albumGain: -3, albumPeak: 1)

    @Test(arguments: [
        (ReplayGainMode.off, true, 0.0), (.track, true, -6), (.album, false, -3), (.auto, true, -3), (.auto, false, -6),
    ])
    func theModeChoosesTheCorrection(mode: ReplayGainMode, playsAlbum: Bool, decibels: Double) {
        let gain = ReplayGainSettings(mode: mode).gain(for: tags, playsAlbum: playsAlbum)
        #expect(abs(gain.decibels - decibels) < 1e-4)
    }

    @Test func aMissingCorrectionIsReplacedByTheOther() {
        let trackOnly = ReplayGain(trackGain: -5)
        let gain = ReplayGainSettings(mode: .album).gain(for: trackOnly, playsAlbum: true)
        #expect(abs(gain.decibels + 5) < 1e-4)
    }

    @Test func filesWithoutCorrectionGetTheFallback() {
        let settings = ReplayGainSettings(mode: .track, preamp: 3, fallback: -7)
        #expect(abs(settings.gain(for: ReplayGain(), playsAlbum: true).decibels + 7) < 1e-4)
    }

    @Test func aPeakIsNotDrivenOverFullScale() {
        let loud = ReplayGain(trackGain: 12, trackPeak: 0.5)
        #expect(ReplayGainSettings(mode: .track).gain(for: loud, playsAlbum: false).linear == 2)
        let clipping = ReplayGainSettings(mode: .track, preventsClipping: false).gain(for: loud, playsAlbum: false)
        #expect(abs(clipping.decibels - 12) < 1e-4)
    }
}
