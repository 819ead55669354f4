/// The ten bytes at the start of an ID3v2 tag (id3.org: versions 2.2, 2.3 and 2.4).
package struct ID3v2Header {
    let version: UInt8
    let flags: UInt8
    /// The frames as stored.
    let body: Range<Int>
    /// The end of the tag, including a footer.
    package let end: Int

    /// Bytes in a header.
    package static let size = 10
    /// Some files have several tags, written by programs that missed each other's; valid files have fewer than this.
    package static let mostInARow = 17

    /// `nil` when there is none.
    ///
    /// - Parameters:
    ///   - bytes: From the start of the tag.
    ///   - place: The offset of the tag in the file.
    package init?(_ bytes: ArraySlice<UInt8>, at place: Int) {
        let bytes = bytes.prefix(Self.size)
        guard bytes.count == Self.size, bytes.starts(with: "ID3".utf8) else { return nil }
        let start = bytes.startIndex
        guard (2...4).contains(bytes[start + 3]) else { return nil }
        version = bytes[start + 3]
        flags = bytes[start + 5]
        body = place + Self.size..<place + Self.size + synchsafeNumber(bytes[(start + 6)...])
        end = body.upperBound + (flags & 0x10 != 0 ? Self.size : 0)
    }

    init?(at place: Int, _ window: inout ByteWindow) {
        guard window.load(place, Self.size) else { return nil }
        self.init(window[place..<place + Self.size], at: place)
    }

    /// Whether the whole tag is unsynchronised, with a zero after each 0xff; from 2.4 on each frame has its own flag.
    var isUnsynchronised: Bool { flags & 0x80 != 0 }
    var hasExtendedHeader: Bool { flags & 0x40 != 0 && version > 2 }
}

extension ByteWindow {
    /// A number of 28 bits, seven per byte.
    mutating func synchsafe(_ offset: Int) -> Int? {
        load(offset, 4) ? synchsafeNumber(self[offset..<offset + 4]) : nil
    }

    /// The end of consecutive tags of any kind that start at an offset, as between the parts of a joined file.
    mutating func endOfTags(at place: Int) -> Int {
        var place = place
        for _ in 0..<ID3v2Header.mostInARow {
            if let header = ID3v2Header(at: place, &self) {
                place = header.end
            } else if has("TAG", at: place) {
                place += 128
            } else if has("APETAGEX", at: place), let size = littleEndian(place + 12, 4) {
                // The size is that of the items and the footer.
                place = place.adding(saturating: size + 32)
            } else {
                break
            }
        }
        return place
    }

    /// The end of consecutive ID3v2 tags that start at an offset.
    mutating func endOfID3v2(at place: Int) -> Int {
        var place = place
        for _ in 0..<ID3v2Header.mostInARow {
            guard let header = ID3v2Header(at: place, &self) else { break }
            place = header.end
        }
        return place
    }
}

private func synchsafeNumber(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 7 | Int($1 & 0x7f) } }

/// Removes the zeros inserted after each 0xff.
func resynchronised(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var previous: UInt8 = 0
    for byte in bytes {
        if previous != 0xff || byte != 0 { result.append(byte) }
        previous = byte
    }
    return result
}
