internal import TextEncodings

/// The header of an Ogg page (RFC 3533, section 6).
package struct OggPageHeader {
    /// Bits for the first and the last page of a stream, and for a packet continued from the previous page.
    let flags: UInt8
    /// The stream's position at the page's end; −1 when no packet ends on it.
    let granule: Int64
    /// The stream's number.
    let serial: UInt32
    /// The page's number in its stream, from 0.
    let sequence: UInt32
    /// Of the whole page.
    let checksum: UInt32
    /// The number of segment lengths at the end of the header.
    let segments: Int
    /// Bytes of the page after the header.
    package let bodySize: Int

    /// Bytes before the segment lengths.
    static let fixedSize = 27
    /// Bytes of the largest header.
    package static let largestSize = fixedSize + 255

    /// In bytes.
    package var size: Int { Self.fixedSize + segments }
    package var isFirst: Bool { flags & 2 != 0 }
    var isLast: Bool { flags & 4 != 0 }

    /// - Parameter bytes: From the start of the page; `nil` when it is not a page, or the header is incomplete.
    package init?(_ bytes: ArraySlice<UInt8>) {
        let start = bytes.startIndex
        guard bytes.count >= Self.fixedSize, bytes.starts(with: "OggS".utf8), bytes[start + 4] == 0 else { return nil }
        func number<Number: FixedWidthInteger>(_ offset: Int) -> Number {
            let end = start + offset + Number.bitWidth / 8
            return Number(littleEndian: bytes[start + offset..<end])
        }
        flags = bytes[start + 5]
        granule = number(6)
        serial = number(14)
        sequence = number(18)
        checksum = number(OggChecksum.place)
        segments = Int(bytes[start + 26])
        guard bytes.count >= Self.fixedSize + segments else { return nil }
        bodySize = bytes[(start + Self.fixedSize)...].prefix(segments).reduce(0) { $0 + Int($1) }
    }
}

/// The checksum of an Ogg page (RFC 3533, section 6): x³² + … + 1, without reflection, its own bytes taken as 0.
struct OggChecksum {
    private(set) var value: UInt32 = 0

    /// The offset of the checksum in its page.
    static let place = 22

    /// - Parameter page: All of its bytes.
    init(ofPage page: ArraySlice<UInt8>) {
        add(page.prefix(Self.place))
        add([0, 0, 0, 0])
        add(page.dropFirst(Self.place + 4))
    }

    private mutating func add(_ bytes: ArraySlice<UInt8>) {
        var sum = value
        unsafe Self.tables.withUnsafeBufferPointer { tables in
            unsafe bytes.withUnsafeBytes { bytes in
                var place = 0
                while place + 8 <= bytes.count {
                    let pair = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self).bigEndian
                    let word = pair ^ UInt64(sum) << 32
                    sum = 0
                    for index in 0..<8 {
                        unsafe sum ^= tables[index << 8 | Int(truncatingIfNeeded: word >> UInt64(8 * index) & 0xff)]
                    }
                    place += 8
                }
                while place < bytes.count {
                    unsafe sum = sum << 8 ^ tables[Int(sum >> 24) ^ Int(bytes[place])]
                    place += 1
                }
            }
        }
        value = sum
    }

    /// The sums of each byte, with 0 to 7 zeros behind it.
    private static let tables: [UInt32] = {
        func next(_ sum: UInt32, bits: Int) -> UInt32 {
            (0..<bits).reduce(sum) { sum, _ in sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04c1_1db7 : sum << 1 }
        }
        return (0..<8 * 256).map { next(UInt32($0 & 0xff) << 24, bits: 8 * ($0 >> 8 + 1)) }
    }()
}
