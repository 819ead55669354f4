internal import Songs

/// How a value is compared with a text.
struct TextMatch: Sendable {
    enum Position: Sendable {
        case whole, prefix, anywhere
    }

    let position: Position
    /// Whether case, diacritics or other forms of the same letters make no difference.
    let folding: Folding
    private let pattern: [UInt8]
    private let isASCII: Bool

    init(_ text: String, _ position: Position, _ folding: Folding) {
        self.position = position
        self.folding = folding
        pattern = Array(folding.fold(text).utf8)
        isASCII = pattern.allSatisfy { $0 < 0x80 }
    }

    var isEmpty: Bool { pattern.isEmpty }

    func matches(_ value: ArraySlice<UInt8>) -> Bool {
        if folding == .none { return compare(value) { $0 } }
        if value.allSatisfy({ $0 < 0x80 }) { return isASCII && compare(value, lowered) }
        let folded = Array(folding.fold(String(decoding: value, as: UTF8.self)).utf8)
        return compare(folded[...]) { $0 }
    }

    /// Whether the pattern is in `value` where it has to be.
    private func compare(_ value: ArraySlice<UInt8>, _ map: (UInt8) -> UInt8) -> Bool {
        let count = pattern.count
        guard value.count >= count, position != .whole || value.count == count else { return false }
        var start = value.startIndex
        let last = position == .anywhere ? value.endIndex - count : start
        while start <= last {
            var offset = 0
            while offset < count, map(value[start + offset]) == pattern[offset] { offset += 1 }
            if offset == count { return true }
            start += 1
        }
        return false
    }
}

private func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }

/// What makes no difference in a comparison.
package enum Folding: Sendable, Hashable {
    /// Every byte counts.
    case none
    /// Upper and lower case are the same.
    case caseOnly
    /// Case, diacritics and compatibility forms are left out: `uber` finds `Über`.
    case all

    func fold(_ text: String) -> String {
        switch self {
        case .none: text
        case .caseOnly: caseFolded(text)
        case .all: folded(text)
        }
    }
}

/// A regular expression over whole texts.
///
/// Compiled for each thread that uses it, because Swift's cannot be handed from one to another.
struct Pattern: Sendable {
    let text: String
    let ignoresCase: Bool

    init(_ text: String, ignoresCase: Bool) throws(SongFilterError) {
        self.text = text
        self.ignoresCase = ignoresCase
        do {
            _ = try Regex(text)
        } catch {
            let reason = String(describing: error).split(whereSeparator: \.isNewline).joined(separator: " ")
            throw SongFilterError("Error in regex: \(reason)")
        }
    }

    /// `nil` never happens: the text was compiled once.
    func compiled() -> Regex<AnyRegexOutput>? {
        try? Regex(text).ignoresCase(ignoresCase).matchingSemantics(.unicodeScalar)
    }
}
