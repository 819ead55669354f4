/// Bytes that a text cannot have for themselves, written as a mark and two hexadecimal digits.
package struct ByteEscape: Sendable {
    private let mark: UInt8
    private let isUppercase: Bool

    /// `%2F`, as in URLs (RFC 3986, section 2.1).
    package static let percent = ByteEscape(mark: UInt8(ascii: "%"), isUppercase: true)
    /// `_2f`, as in the paths of objects on a message bus.
    package static let underscore = ByteEscape(mark: UInt8(ascii: "_"), isUppercase: false)

    /// Escapes all bytes but those that are plain.
    package func encode(_ bytes: some Sequence<UInt8>, keeping isPlain: (UInt8) -> Bool) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.underestimatedCount)
        for byte in bytes {
            if isPlain(byte) {
                result.append(byte)
            } else {
                result += [mark, digit(byte >> 4), digit(byte & 15)]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// - Returns: `nil` where a mark has no two digits behind it.
    package func decode(_ text: some Sequence<UInt8>) -> [UInt8]? { decode(text, keepsBareMarks: false) }

    /// Decodes escapes; a mark without two digits behind it stays.
    package func decodeWherePossible(_ text: some Sequence<UInt8>) -> [UInt8] {
        decode(text, keepsBareMarks: true) ?? []
    }

    private func decode(_ text: some Sequence<UInt8>, keepsBareMarks: Bool) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.underestimatedCount)
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            guard byte == mark else {
                result.append(byte)
                continue
            }
            if rest.count >= 2, let code = UInt8(digits: rest.prefix(2), radix: 16) {
                result.append(code)
                rest = rest.dropFirst(2)
            } else {
                guard keepsBareMarks else { return nil }
                result.append(byte)
            }
        }
        return result
    }

    private func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: isUppercase ? "A" : "a") + value - 10
    }
}

extension UInt8 {
    /// Whether it is a letter or a digit of ASCII.
    package var isASCIIAlphanumeric: Bool { (0x30...0x39).contains(self) || (0x61...0x7a).contains(self | 0x20) }

    /// Whether it stands for itself everywhere in a URL (RFC 3986, section 2.3).
    package var isUnreservedInURL: Bool {
        isASCIIAlphanumeric || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "~")
    }
}
