internal import TextEncodings

/// Finds out from its last frame how many samples a FLAC stream has whose header does not say it (RFC 9639, section 9).
struct FLACFrames {
    private let info: FLACStreamInfo

    /// Bytes before the end in which the last frame is looked for: more than any has, with 8 channels of 32 bits.
    private static let reach = 524_288

    /// Bytes that look like the header of a frame, of which the last ones may not be one.
    private static let mostCandidates = 16

    init(_ info: FLACStreamInfo) { self.info = info }

    /// The number of samples up to the end of the last frame that is whole; `nil` if there is none.
    ///
    /// - Parameter frames: The bytes of all frames.
    func sampleCount(in frames: Range<Int>, _ window: inout ByteWindow) -> Int? {
        let first = max(frames.lowerBound, frames.upperBound - Self.reach)
        guard window.load(first, frames.upperBound - first) else { return nil }
        let bytes = Array(window[first..<frames.upperBound])
        // The last frame ends where all end, or, if that one is cut off, where the next one was found.
        var ends = [bytes.count]
        var candidates = 0
        for place in bytes.indices.reversed() where bytes[place] == 0xff {
            guard let header = FLACFrameHeader(bytes[place...], info) else { continue }
            for end in ends {
                // A checksum behind which zeros fill the file up is found without them, too.
                for surplus in 0...2 where end - surplus > place {
                    if crc16(bytes[place..<end - surplus]) == 0 { return header.firstSample + header.sampleCount }
                }
            }
            candidates += 1
            if candidates == Self.mostCandidates { return nil }
            ends = [bytes.count, place]
        }
        return nil
    }
}

/// The header of a FLAC frame.
struct FLACFrameHeader {
    let firstSample: Int
    let sampleCount: Int

    /// In bytes: a number in up to seven, two lengths of two each, and the checksum, rounded up.
    static let longest = 16

    /// - Parameter bytes: From the frame's first one on; `nil` when it is no frame of this stream.
    init?(_ bytes: ArraySlice<UInt8>, _ info: FLACStreamInfo) {
        let head = Array(bytes.prefix(Self.longest))
        guard head.count >= 6, head[0] == 0xff, head[1] & 0xfe == 0xf8, head[3] & 1 == 0 else { return nil }
        let hasVariableBlocks = head[1] & 1 == 1
        guard let (number, length) = Self.codedNumber(head[4...]) else { return nil }
        var place = 4 + length
        func bigEndian(_ count: Int) -> Int? {
            guard place + count <= head.count else { return nil }
            defer { place += count }
            return Int(bigEndian: head[place..<place + count])
        }
        switch head[2] >> 4 {
        case 0: return nil
        case 1: sampleCount = 192
        case 6:
            guard let count = bigEndian(1) else { return nil }
            sampleCount = count + 1
        case 7:
            guard let count = bigEndian(2) else { return nil }
            sampleCount = count + 1
        case let code where code < 6: sampleCount = 576 << (Int(code) - 2)
        case let code: sampleCount = 256 << (Int(code) - 8)
        }
        switch head[2] & 15 {
        case 12: _ = bigEndian(1)
        case 13, 14: _ = bigEndian(2)
        case 15: return nil
        default: break
        }
        guard place < head.count, crc8(head[..<place]) == head[place] else { return nil }
        firstSample = hasVariableBlocks ? number : number.multiplied(saturatingBy: info.blockSize)
    }

    /// A number in the extended form of UTF-8 that FLAC uses, and its length in bytes.
    private static func codedNumber(_ bytes: ArraySlice<UInt8>) -> (number: Int, length: Int)? {
        guard let first = bytes.first else { return nil }
        let ones = (~first).leadingZeroBitCount
        guard ones != 1, ones < 8 else { return nil }
        guard ones > 0 else { return (Int(first), 1) }
        guard bytes.count >= ones else { return nil }
        var number = ones == 7 ? 0 : Int(first) & 0x7f >> ones
        for byte in bytes.dropFirst().prefix(ones - 1) {
            guard byte & 0xc0 == 0x80 else { return nil }
            number = number << 6 | Int(byte & 0x3f)
        }
        return (number, ones)
    }
}

/// The checksum of a frame's header: x⁸ + x² + x + 1.
private func crc8(_ bytes: ArraySlice<UInt8>) -> UInt8 {
    bytes.reduce(0) { sum, byte in
        (0..<8).reduce(sum ^ byte) { sum, _ in sum & 0x80 != 0 ? sum << 1 ^ 0x07 : sum << 1 }
    }
}

/// The checksum of a whole frame: x¹⁶ + x¹⁵ + x² + 1; 0 when the frame's own one stands at its end.
private func crc16(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    bytes.reduce(0) { sum, byte in sum << 8 ^ crc16Table[Int(sum >> 8) ^ Int(byte)] }
}

private let crc16Table: [UInt16] = (0..<256).map { byte in
    (0..<8).reduce(UInt16(byte) << 8) { sum, _ in sum & 0x8000 != 0 ? sum << 1 ^ 0x8005 : sum << 1 }
}
