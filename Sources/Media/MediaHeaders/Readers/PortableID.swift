internal import TextEncodings

/// The identity of a file's audio: from the payload without tags, so that it survives retagging, renaming and moving.
///
/// Not all of the payload is read: its length and three pieces of it distinguish files, and copies of one file cannot
/// be distinguished anyway.
package struct PortableID {
    /// The bytes that make up the identity: few enough to be stored and hashed at once.
    private var bytes: [UInt8] = []

    /// The size of each piece of a payload, in bytes.
    static let piece = 1024
    /// Part of the definition of identities, which libraries have stored: must never change.
    private static let seed: UInt32 = 0x5365_6775

    /// - Parameter kind: The kind of payload: the same bytes in two formats are not the same audio.
    init(_ kind: StaticString) {
        bytes.reserveCapacity(4 * Self.piece)
        kind.withUTF8Buffer { name in unsafe bytes.append(contentsOf: name) }
        combine(kind.utf8CodeUnitCount)
    }

    /// The identity of a CUE sheet is its text: its tracks belong to it wherever it is.
    package init(sheet: String) {
        self.init("cue")
        combine(ArraySlice(sheet.utf8))
    }

    mutating func combine(_ number: Int) {
        var bits = UInt64(bitPattern: Int64(number))
        for _ in 0..<8 {
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
        }
    }

    mutating func combine(_ piece: ArraySlice<UInt8>) { bytes.append(contentsOf: piece) }

    /// Adds a payload's length, and its pieces at the start, in the middle and at the end.
    ///
    /// - Returns: Whether they could be read.
    mutating func combine(payload: Range<Int>, _ window: inout ByteWindow) -> Bool {
        let piece = min(Self.piece, payload.count)
        guard piece > 0 else { return false }
        combine(payload.count)
        for start in [payload.lowerBound, payload.lowerBound + (payload.count - piece) / 2, payload.upperBound - piece]
        {
            guard window.load(start, piece) else { return false }
            combine(window[start..<start + piece])
        }
        return true
    }

    /// The identity in 32 hexadecimal digits.
    package var text: String {
        let (first, second) = Murmur.hash(bytes, seed: Self.seed)
        return String(first, digits: 16, radix: 16) + String(second, digits: 16, radix: 16)
    }
}
