internal import AudioTypes
internal import CALSA

/// A sample format of a device that Segue writes.
enum ALSASample: Sendable, Hashable, CaseIterable {
    case s16
    /// 24 bits in the lower three of four bytes.
    case s24
    /// 24 bits in three bytes.
    case s24Packed
    case s32
    case f32

    /// ALSA's constant.
    var value: snd_pcm_format_t {
        switch self {
        case .s16: SND_PCM_FORMAT_S16_LE
        case .s24: SND_PCM_FORMAT_S24_LE
        case .s24Packed: SND_PCM_FORMAT_S24_3LE
        case .s32: SND_PCM_FORMAT_S32_LE
        case .f32: SND_PCM_FORMAT_FLOAT_LE
        }
    }

    /// ALSA's name.
    var name: String {
        switch self {
        case .s16: "S16_LE"
        case .s24: "S24_LE"
        case .s24Packed: "S24_3LE"
        case .s32: "S32_LE"
        case .f32: "FLOAT_LE"
        }
    }

    var bytes: Int {
        switch self {
        case .s16: 2
        case .s24Packed: 3
        case .s24, .s32, .f32: 4
        }
    }

    /// The format of frames that become it without loss: 24 bits are the upper ones of 32.
    var source: SampleFormat {
        switch self {
        case .s16: .s16
        case .s24, .s24Packed, .s32: .s32
        case .f32: .f32
        }
    }

    /// The formats that hold a player's samples, best first.
    static func choices(for format: SampleFormat) -> [ALSASample] {
        switch format {
        case .s16: [.s16, .s32, .s24, .s24Packed, .f32]
        case .s32: [.s32, .s24, .s24Packed, .f32, .s16]
        case .f32: [.f32, .s32, .s24, .s24Packed, .s16]
        }
    }

    /// Writes samples into a device's memory.
    ///
    /// - Parameter order: The channel of a frame for each channel of the device; `nil`: the same.
    func write(
        _ samples: UnsafeRawPointer,
        to target: UnsafeMutableRawPointer,
        frames: Int,
        channels: Int,
        order: [Int]?
    ) {
        if order == nil, self != .s24, self != .s24Packed {
            return unsafe target.copyMemory(from: samples, byteCount: frames * channels * bytes)
        }
        let width = source.bytesPerSample
        for frame in 0..<frames {
            for channel in 0..<channels {
                let from = unsafe samples + (frame * channels + (order?[channel] ?? channel)) * width
                let to = unsafe target + (frame * channels + channel) * bytes
                switch self {
                case .s24: unsafe to.storeBytes(of: from.loadUnaligned(as: Int32.self) >> 8, as: Int32.self)
                case .s24Packed: unsafe to.copyMemory(from: from + 1, byteCount: 3)
                case .s16, .s32, .f32: unsafe to.copyMemory(from: from, byteCount: width)
                }
            }
        }
    }
}
