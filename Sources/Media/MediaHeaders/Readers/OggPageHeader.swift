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
            return bytes[start + offset..<end].reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
        }
        flags = bytes[start + 5]
        granule = number(6)
        serial = number(14)
        sequence = number(18)
        segments = Int(bytes[start + 26])
        guard bytes.count >= Self.fixedSize + segments else { return nil }
        bodySize = bytes[(start + Self.fixedSize)...].prefix(segments).reduce(0) { $0 + Int($1) }
    }
}
