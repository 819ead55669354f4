/// The ten bytes that begin an ID3v2 tag (id3.org: versions 2.2, 2.3 and 2.4).
struct ID3v2Header {
    let version: UInt8
    let flags: UInt8
    /// The frames, as they are stored.
    let body: Range<Int>
    /// Where the tag ends, a footer included.
    let end: Int

    /// `nil` when there is none.
    init?(at place: Int, _ window: inout ByteWindow) {
        guard window.has("ID3", at: place), window.load(place, 10), (2...4).contains(window[place + 3]),
            let size = window.synchsafe(place + 6)
        else { return nil }
        version = window[place + 3]
        flags = window[place + 5]
        body = place + 10..<place + 10 + size
        end = body.upperBound + (flags & 0x10 != 0 ? 10 : 0)
    }

    /// Whether zeros were put behind each 0xff of the whole tag; from 2.4 on each frame says it for itself.
    var isUnsynchronised: Bool { flags & 0x80 != 0 }
    var hasExtendedHeader: Bool { flags & 0x40 != 0 && version > 2 }
}

extension ByteWindow {
    /// A number of 28 bits, seven to the byte.
    mutating func synchsafe(_ offset: Int) -> Int? {
        guard load(offset, 4) else { return nil }
        return (offset..<offset + 4).reduce(0) { $0 << 7 | Int(self[$1] & 0x7f) }
    }
}

/// The bytes without the zeros that were put behind each 0xff.
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
