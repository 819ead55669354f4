/// The identity of what is heard: from the payload without tags, so that it stays when these, the name or the place change.
///
/// Not the whole payload is read: its length and three pieces of it tell files apart, and the copies of one file are told
/// from each other by nothing else either.
struct PortableID {
    /// What is told from what: little enough to be kept and hashed at once.
    private var bytes: [UInt8] = []

    /// What is read of a payload in each place, in bytes.
    static let piece = 1024
    /// Part of the definition of the identities, which libraries have stored: never to be changed.
    private static let seed: UInt32 = 0x5365_6775

    /// - Parameter kind: Of payload: the same bytes in two formats are not the same sound.
    init(_ kind: StaticString) {
        bytes.reserveCapacity(4 * Self.piece)
        kind.withUTF8Buffer { name in unsafe bytes.append(contentsOf: name) }
        combine(kind.utf8CodeUnitCount)
    }

    /// A CUE sheet is what it says: its tracks go where it goes.
    init(sheet: String) {
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

    /// Takes in a payload's length, and its pieces at the beginning, in the middle and at the end.
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
    var text: String {
        let (first, second) = Murmur.hash(bytes, seed: Self.seed)
        return unsafe String(unsafeUninitializedCapacity: 32) { digits in
            for (half, word) in [first, second].enumerated() {
                for digit in 0..<16 {
                    let value = UInt8(truncatingIfNeeded: word >> (60 - 4 * UInt64(digit))) & 15
                    unsafe digits[16 * half + digit] = value < 10 ? 0x30 + value : 0x57 + value
                }
            }
            return 32
        }
    }
}
