package import AudioTypes
private import CEBUR128

/// Measures the loudness of frames, by libebur128.
@safe
package struct LoudnessMeter: ~Copyable {
    private let state: UnsafeMutablePointer<ebur128_state>
    private let channels: Int
    /// A tenth of a second, by which blocks overlap.
    let stepFrames: Int
    private var blocks = LoudnessBlocks()
    private var steps = 0
    private var missing: Int

    /// The library keeps 0.4 s of all channels, in double precision: 20 MB at most.
    static let mostChannels = 16
    static let rates = 1_000...384_000

    /// - Returns: `nil` for more channels, or another rate, than are measured.
    package init?(sampleRate: Int, channels layout: ChannelLayout) {
        guard Self.rates.contains(sampleRate), layout.count <= Self.mostChannels,
            let state = unsafe ebur128_init(UInt32(layout.count), UInt(sampleRate), segue_ebur128_mode)
        else { return nil }
        unsafe self.state = unsafe state
        channels = layout.count
        stepFrames = (sampleRate + 5) / 10
        missing = stepFrames
        // Both speakers play it as it is, so it is heard as loud as it is on two channels.
        if layout.count == 1 { unsafe _ = ebur128_set_channel(state, 0, segue_ebur128_dual_mono) }
        guard layout.mask != 0, layout.count > 1 else { return }
        for (number, speaker) in layout.speakers.enumerated() {
            unsafe _ = ebur128_set_channel(state, UInt32(number), Self.weight(ofSpeaker: speaker, in: layout))
        }
    }

    deinit {
        var state: UnsafeMutablePointer<ebur128_state>? = unsafe state
        unsafe ebur128_destroy(&state)
    }

    /// By ITU-R BS.1770-4, table 4: nothing for low frequencies, 1.5 dB more for what is at the sides.
    private static func weight(ofSpeaker bit: Int, in layout: ChannelLayout) -> Int32 {
        let hasSides = layout.mask & 0x600 != 0
        return switch bit {
        case 3, 35: segue_ebur128_unused
        // The surround channels of most layouts are called back ones; beside side ones they are behind.
        case 4, 5: hasSides ? segue_ebur128_front : segue_ebur128_surround
        case 9, 10, 31, 32, 33, 34: segue_ebur128_surround
        default: segue_ebur128_front
        }
    }

    /// Measures interleaved frames.
    ///
    /// Samples that are not numbers, or absurdly large, are made silent, since the filters would keep them for ever.
    package mutating func add(_ samples: UnsafeMutableBufferPointer<Float>) {
        for index in samples.indices where !(unsafe abs(samples[index]) <= 1_000) {
            unsafe samples[index] = 0
        }
        guard var start = unsafe UnsafePointer(samples.baseAddress) else { return }
        var rest = samples.count / channels
        while rest > 0 {
            let count = min(rest, missing)
            unsafe _ = ebur128_add_frames_float(state, start, count)
            unsafe start += count * channels
            rest -= count
            missing -= count
            if missing == 0 { endStep() }
        }
    }

    private mutating func endStep() {
        missing = stepFrames
        steps += 1
        // A block is four steps.
        guard steps >= 4 else { return }
        var loudness = 0.0
        if unsafe ebur128_loudness_momentary(state, &loudness) == 0 { blocks.add(loudness) }
    }

    /// The loudness of all frames so far.
    package var loudness: Loudness {
        var truePeak = 0.0
        for channel in 0..<channels {
            var peak = 0.0
            if unsafe ebur128_true_peak(state, UInt32(channel), &peak) == 0, peak.isFinite {
                truePeak = max(truePeak, peak)
            }
        }
        return Loudness(blocks: blocks, truePeak: truePeak)
    }
}

extension ChannelLayout {
    /// The bits of the speakers, in the order of the channels.
    fileprivate var speakers: [Int] { (0..<64).filter { mask & 1 << $0 != 0 } }
}
