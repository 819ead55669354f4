internal import TextEncodings

/// The seven bytes that begin an AAC frame in ADTS (ISO 13818-7, section 6.2).
package struct ADTSHeader: Sendable, Hashable {
    /// The size of the whole frame, header included.
    package let byteCount: Int
    /// The bits that are the same in all frames of a stream: those before the copyright bits.
    private let fixed: UInt32

    package static let byteCount = 7

    /// Parses the header at an offset; `nil` when there is none.
    package init?(_ bytes: [UInt8], at offset: Int) {
        guard bytes.indices.contains(offset), bytes.count - offset >= Self.byteCount else { return nil }
        let word = UInt32(bigEndian: bytes[offset..<offset + 4])
        // The syncword, layer 0, and a valid sampling frequency index.
        guard word >> 20 == 0xfff, (word >> 17) & 3 == 0, (word >> 10) & 15 < 13 else { return nil }
        fixed = word >> 4
        byteCount = Int(bytes[offset + 3] & 3) << 11 | Int(bytes[offset + 4]) << 3 | Int(bytes[offset + 5] >> 5)
        guard byteCount > Self.byteCount else { return nil }
    }

    /// Whether a frame can follow one with `other`'s header in the same stream.
    package func belongsWith(_ other: Self) -> Bool { fixed == other.fixed }

    /// The offset of the first frame that is followed by two others or, if the bytes end before, by one.
    ///
    /// A syncword alone occurs at one of 4,096 offsets by chance, and a false frame would skip up to 8 KiB of real
    /// ones.
    package static func firstFrame(in bytes: [UInt8]) -> Int? {
        bytes.indices.first { offset in
            guard bytes[offset] == 0xff, let first = Self(bytes, at: offset) else { return false }
            var place = offset + first.byteCount
            guard let second = Self(bytes, at: place), second.belongsWith(first) else { return false }
            place += second.byteCount
            guard place + Self.byteCount <= bytes.count else { return true }
            return Self(bytes, at: place)?.belongsWith(first) ?? false
        }
    }
}
