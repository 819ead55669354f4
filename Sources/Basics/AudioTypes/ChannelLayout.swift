/// The speakers of a frame's samples, in order.
///
/// The bits are those of WAVEFORMATEXTENSIBLE's `dwChannelMask`, which FFmpeg's native channel layouts share: bit 0
/// front left, 1 front right, 2 front centre, 3 low frequency, 4 and 5 back, 6 and 7 front-of-centre, 8 back centre, 9
/// and 10 side. Channels are interleaved in ascending bit order.
package struct ChannelLayout: Sendable, Hashable {
    /// The speakers' bits; 0 when the channels have no known positions.
    package let mask: UInt64

    /// The number of channels, at least 1.
    package let count: Int

    /// A layout whose speakers are known.
    package init(mask: UInt64) {
        precondition(mask != 0, "a channel mask names at least one speaker")
        self.mask = mask
        self.count = mask.nonzeroBitCount
    }

    /// A layout of `count` channels without known positions; 1 and 2 are taken as mono and stereo, and 3 as left, right
    /// and centre, which WAV and FLAC mean by them (FFmpeg's default has low frequencies for the third).
    package init(count: Int) {
        precondition(count > 0, "a layout has at least one channel")
        self.count = count
        self.mask =
            switch count {
            case 1: Self.mono.mask
            case 2: Self.stereo.mask
            case 3: 0x7
            default: 0
            }
    }

    private init(mask: UInt64, count: Int) {
        self.mask = mask
        self.count = count
    }

    package static let mono = ChannelLayout(mask: 0x4, count: 1)
    package static let stereo = ChannelLayout(mask: 0x3, count: 2)
    package static let quad = ChannelLayout(mask: 0x33, count: 4)
    package static let surround51 = ChannelLayout(mask: 0x60f, count: 6)
    package static let surround71 = ChannelLayout(mask: 0x63f, count: 8)
}

extension ChannelLayout: CustomStringConvertible {
    package var description: String {
        switch self {
        case .mono: "mono"
        case .stereo: "stereo"
        case .quad: "quad"
        case .surround51, ChannelLayout(mask: 0x3f): "5.1"
        case .surround71: "7.1"
        default: "\(count) channels"
        }
    }
}
