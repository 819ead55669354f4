/// The four bytes that begin an MPEG audio frame (ISO 11172-3, section 2.4.1.3; ISO 13818-3 for the lower rates).
package struct MPEGAudioHeader: Sendable, Hashable {
    package let sampleRate: Int
    /// Samples per channel in one frame.
    package let sampleCount: Int
    /// The size of the whole frame, header included.
    package let byteCount: Int
    /// Bits per second.
    package let bitRate: Int
    package let isMono: Bool
    package let isVersion1: Bool
    package let layer: Int

    /// Parses a header, the first byte highest; `nil` when the bits are not one, and for free-format frames, whose
    /// length is not in the header.
    package init?(bits: UInt32) {
        guard bits >> 21 == 0x7ff else { return nil }
        let version = Int(bits >> 19) & 3
        let layerBits = Int(bits >> 17) & 3
        let rateIndex = Int(bits >> 12) & 15
        let frequencyIndex = Int(bits >> 10) & 3
        guard version != 1, layerBits != 0, rateIndex != 0, rateIndex != 15, frequencyIndex != 3 else { return nil }
        isVersion1 = version == 3
        layer = 4 - layerBits
        isMono = (bits >> 6) & 3 == 3
        sampleRate = [44_100, 48_000, 32_000][frequencyIndex] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
        let kilobits =
            switch (isVersion1, layer) {
            case (true, 1): rateIndex * 32
            case (true, 2): [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384][rateIndex]
            case (true, _): [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320][rateIndex]
            case (false, 1): [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256][rateIndex]
            case (false, _): [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160][rateIndex]
            }
        bitRate = kilobits * 1000
        let padding = Int(bits >> 9) & 1
        switch layer {
        case 1:
            sampleCount = 384
            byteCount = (12 * kilobits * 1000 / sampleRate + padding) * 4
        case 3 where !isVersion1:
            sampleCount = 576
            byteCount = 72 * kilobits * 1000 / sampleRate + padding
        default:
            sampleCount = 1152
            byteCount = 144 * kilobits * 1000 / sampleRate + padding
        }
    }

    /// Whether so many bytes may be so many frames of this stream, as a file says: on average no shorter than a byte, and
    /// no longer than the longest frame.
    ///
    /// - Parameter isExact: Whether the bytes are those of the sound alone; else tags may follow, and frames twice as long
    ///   are accepted.
    package func mayHave(frames: Int, inBytes count: Int, isExact: Bool) -> Bool {
        let longest = sampleCount / 8 * 320_000 / sampleRate + 1
        return frames > 0 && frames <= count && count / frames <= (isExact ? 1 : 2) * longest
    }

    /// The offset of the Xing or Info tag in a layer III frame: after the header and the side information.
    package var tagOffset: Int {
        switch (isVersion1, isMono) {
        case (true, false): 36
        case (true, true), (false, false): 21
        case (false, true): 13
        }
    }

    /// Whether a frame can follow one with `other`'s header in the same stream.
    package func belongsWith(_ other: Self) -> Bool {
        sampleRate == other.sampleRate && layer == other.layer && isVersion1 == other.isVersion1
    }
}
