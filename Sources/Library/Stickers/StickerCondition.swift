/// The comparisons of `sticker find`.
package struct StickerCondition: Sendable, Hashable {
    package enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// As texts, byte by byte.
        case equal = "="
        case less = "<"
        case greater = ">"
        /// Ignores the case of ASCII letters.
        case contains
        case startsWith = "starts_with"
        /// As whole numbers; a text counts as the number it begins with, or as 0.
        case numberEqual = "eq"
        case numberLess = "lt"
        case numberGreater = "gt"
    }

    package let comparison: Comparison
    package let value: String
    private let number: Int
    private let lowered: [UInt8]

    package init(_ comparison: Comparison, _ value: String) {
        self.comparison = comparison
        self.value = value
        number = wholeNumber(value)
        lowered = value.utf8.map(lowercased)
    }

    package func matches(_ other: String) -> Bool {
        switch comparison {
        case .equal: other == value && other.utf8.elementsEqual(value.utf8)
        case .less: other.utf8.lexicographicallyPrecedes(value.utf8)
        case .greater: value.utf8.lexicographicallyPrecedes(other.utf8)
        case .contains: contains(other.utf8.map(lowercased))
        case .startsWith: other.utf8.lazy.map(lowercased).starts(with: lowered)
        case .numberEqual: wholeNumber(other) == number
        case .numberLess: wholeNumber(other) < number
        case .numberGreater: wholeNumber(other) > number
        }
    }

    private func contains(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= lowered.count else { return false }
        return (0...(bytes.count - lowered.count)).contains { bytes[$0...].starts(with: lowered) }
    }
}

/// The sort order of `sticker find`.
package struct StickerSort: Sendable, Hashable {
    package enum Key: String, Sendable, Hashable, CaseIterable {
        case uri, value
        /// The value as a whole number.
        case number = "value_int"
    }

    package let key: Key
    package let isDescending: Bool

    package init(_ key: Key, isDescending: Bool = false) {
        self.key = key
        self.isDescending = isDescending
    }

    /// `uri`, `value` or `value_int`, with `-` before it for the reverse; `nil` for anything else.
    package init?(_ name: String) {
        let isDescending = name.utf8.first == UInt8(ascii: "-")
        guard let key = Key(rawValue: isDescending ? String(name.dropFirst()) : name) else { return nil }
        self.init(key, isDescending: isDescending)
    }
}

/// The number at the beginning of a text; 0 without one.
func wholeNumber(_ text: String) -> Int {
    var rest = text.utf8[...].drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    var number = 0
    for byte in rest {
        guard (0x30...0x39).contains(byte) else { break }
        let (product, overflowed) = number.multipliedReportingOverflow(by: 10)
        let (sum, tooLarge) = product.addingReportingOverflow(Int(byte - 0x30))
        if overflowed || tooLarge { return isNegative ? .min : .max }
        number = sum
    }
    return isNegative ? -number : number
}

private func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }
