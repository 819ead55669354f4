import AudioTypes
import Mixing
import Testing

/// A gain arrives when and where it is told, sample by sample.
struct GainRampTests {
    private func apply(_ ramp: inout GainRamp, to samples: [Float], channels: ChannelLayout = .mono) -> [Float] {
        var samples = samples
        let format = AudioFormat(sampleFormat: .f32, sampleRate: 48_000, channels: channels)
        unsafe samples.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress {
                unsafe ramp.apply(to: base, count: bytes.count / format.bytesPerFrame, format: format)
            }
        }
        return samples
    }

    private func apply<Sample: FixedWidthInteger>(
        _ gain: Gain,
        to samples: [Sample],
        _ sampleFormat: SampleFormat
    ) -> [Sample] {
        var ramp = GainRamp(gain)
        var samples = samples
        let format = AudioFormat(sampleFormat: sampleFormat, sampleRate: 48_000, channels: .mono)
        unsafe samples.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress {
                unsafe ramp.apply(to: base, count: bytes.count / format.bytesPerFrame, format: format)
            }
        }
        return samples
    }

    @Test func unityLeavesSamplesAlone() {
        var ramp = GainRamp(.unity)
        #expect(ramp.isUnity)
        #expect(apply(&ramp, to: [0.1, -2, .nan.magnitude, 0]).prefix(2) == [0.1, -2])
        #expect(apply(.unity, to: [Int16.min, -1, 0, 1, .max], .s16) == [.min, -1, 0, 1, .max])
        #expect(apply(.unity, to: [Int32.min, -1, 0, 1, .max], .s32) == [.min, -1, 0, 1, .max])
    }

    @Test func arrivesAfterItsFrames() {
        var ramp = GainRamp(.unity)
        ramp.move(to: .silence, over: 4)
        #expect(apply(&ramp, to: [1, 1, 1, 1, 1, 1]) == [0.75, 0.5, 0.25, 0, 0, 0])
        ramp.move(to: .unity, over: 2)
        #expect(!ramp.isUnity)
        #expect(apply(&ramp, to: [1, 1, 1]) == [0.5, 1, 1])
        #expect(ramp.isUnity)
    }

    /// In pieces it is the same as at once, and every channel of a frame has the same gain.
    @Test func piecesAreOneRamp() {
        var ramp = GainRamp(.unity)
        ramp.move(to: Gain(linear: 0.2), over: 100)
        let whole = apply(&ramp, to: Array(repeating: 1, count: 300), channels: .stereo)
        ramp = GainRamp(.unity)
        ramp.move(to: Gain(linear: 0.2), over: 100)
        var pieces: [Float] = []
        for count in [1, 7, 0, 64, 28, 50] {
            pieces += apply(&ramp, to: Array(repeating: 1, count: 2 * count), channels: .stereo)
        }
        #expect(pieces == whole)
        for frame in 0..<150 {
            #expect(whole[2 * frame] == whole[2 * frame + 1])
            let expected = frame < 100 ? 1 - 0.8 * Float(frame + 1) / 100 : 0.2
            #expect(abs(whole[2 * frame] - expected) < 1e-5)
        }
        // It ends at the very gain, not near it.
        #expect(whole[198] == 0.2 && whole[298] == 0.2)
    }

    @Test func turnsRoundWithoutAStep() {
        var ramp = GainRamp(.unity)
        ramp.move(to: .silence, over: 10)
        let down = apply(&ramp, to: Array(repeating: 1, count: 5))
        ramp.move(to: .unity, over: 10)
        let up = apply(&ramp, to: Array(repeating: 1, count: 10))
        #expect(abs((down.last ?? 0) - 0.5) < 1e-6 && abs((up.first ?? 0) - 0.55) < 1e-6 && up.last == 1)
    }

    @Test func noFramesIsAtOnce() {
        var ramp = GainRamp(.unity)
        ramp.move(to: .silence, over: 100)
        ramp.move(to: Gain(linear: 0.5), over: 0)
        #expect(apply(&ramp, to: [1, 1]) == [0.5, 0.5])
        ramp.move(to: .unity, over: -1)
        #expect(ramp.isUnity)
    }

    @Test func integersAreRoundedAndLimited() {
        #expect(apply(Gain(linear: 0.5), to: [3, -3, 1, -1, 32_767] as [Int16], .s16) == [2, -2, 1, -1, 16_384])
        #expect(apply(Gain(linear: 4), to: [30_000, -30_000, 10] as [Int16], .s16) == [.max, .min, 40])
        #expect(apply(Gain(linear: 0.5), to: [3, -3, .max, .min] as [Int32], .s32) == [2, -2, 1 << 30, -(1 << 30)])
        #expect(apply(Gain(linear: 4), to: [.max, .min, 10] as [Int32], .s32) == [.max, .min, 40])
        #expect(apply(.silence, to: [.max, .min] as [Int16], .s16) == [0, 0])
    }
}
