internal import Songs

/// A comparison of values with a text.
package struct TextMatch: Sendable {
    package enum Position: Sendable {
        case whole, prefix, anywhere
    }

    package let position: Position
    /// The differences of case, diacritics and compatibility forms that are ignored.
    package let folding: Folding
    /// The text as it was given.
    package let text: String
    private let pattern: [UInt8]
    private let isASCII: Bool

    init(_ text: String, _ position: Position, _ folding: Folding) {
        self.position = position
        self.folding = folding
        self.text = text
        pattern = Array(folding.fold(text).utf8)
        isASCII = pattern.allSatisfy { $0 < 0x80 }
    }

    package var isEmpty: Bool { pattern.isEmpty }

    /// Whether a value, in UTF-8, matches.
    package func matches(_ value: Span<UInt8>) -> Bool {
        if folding == .none { return compare(value) { $0 } }
        if value.isASCII { return isASCII && compare(value, lowered) }
        return compare(Array(folding.fold(value.text).utf8).span) { $0 }
    }

    /// Whether `value` contains the pattern at the required position.
    private func compare(_ value: Span<UInt8>, _ map: (UInt8) -> UInt8) -> Bool {
        let count = pattern.count
        guard value.count >= count, position != .whole || value.count == count else { return false }
        let last = position == .anywhere ? value.count - count : 0
        for start in 0...last {
            var offset = 0
            while offset < count, map(value[start + offset]) == pattern[offset] { offset += 1 }
            if offset == count { return true }
        }
        return false
    }
}

extension Span<UInt8> {
    fileprivate var isASCII: Bool { indices.allSatisfy { self[$0] < 0x80 } }
}

private func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }

/// The differences that a comparison ignores.
package enum Folding: Sendable, Hashable {
    /// None: bytes are compared.
    case none
    /// Upper and lower case.
    case caseOnly
    /// Case, diacritics and compatibility forms: `uber` finds `Über`.
    case all

    package func fold(_ text: String) -> String {
        switch self {
        case .none: text
        case .caseOnly: caseFolded(text)
        case .all: folded(text)
        }
    }
}
