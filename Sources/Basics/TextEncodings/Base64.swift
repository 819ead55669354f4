/// Base64 of RFC 4648.
package enum Base64 {
    /// The bytes of a text; line breaks are passed over.
    ///
    /// - Returns: `nil` unless the text is Base64.
    package static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var (word, count) = (UInt32(0), 0)
        for letter in text {
            let value: UInt8
            switch letter {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = letter - 65
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = letter - 71
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = letter + 4
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            case UInt8(ascii: "="), 0x0a, 0x0d: continue
            default: return nil
            }
            word = word << 6 | UInt32(value)
            count += 1
            if count % 4 == 0 {
                for shift in [16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
            }
        }
        switch count % 4 {
        case 2: bytes.append(UInt8(truncatingIfNeeded: word >> 4))
        case 3: for shift in [10, 2] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
        case 1: return nil
        default: break
        }
        return bytes
    }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text, count in
            unsafe digits.withUnsafeBufferPointer { digits in
                var place = 0
                while place < bytes.count {
                    let left = bytes.count - place
                    var group = Int(bytes[place]) << 16
                    if left > 1 { group |= Int(bytes[place + 1]) << 8 }
                    if left > 2 { group |= Int(bytes[place + 2]) }
                    unsafe text[count] = digits[group >> 18]
                    unsafe text[count + 1] = digits[group >> 12 & 63]
                    unsafe text[count + 2] = left > 1 ? digits[group >> 6 & 63] : UInt8(ascii: "=")
                    unsafe text[count + 3] = left > 2 ? digits[group & 63] : UInt8(ascii: "=")
                    place += 3
                    count += 4
                }
            }
        }
    }
}
