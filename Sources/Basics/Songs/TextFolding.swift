// Canonical decomposition is in the standard library, but not yet public.
@_spi(_Unicode) private import Swift

/// Folds a text for searching: removes case, diacritics and compatibility forms.
///
/// `Ärger`, `arger` and `ＡＲＧＥＲ` become the same. The search text is folded once; ASCII texts cost only a copy.
package func folded(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    return LatinFolding.fold(text) ?? foldedByScalars(text)
}

private func foldedByScalars(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    result.reserveCapacity(text.utf8.count)
    for scalar in text._nfd {
        if scalar.properties.generalCategory == .nonspacingMark { continue }
        append(scalar, to: &result)
    }
    return String(result)
}

/// Folds letters encoded in up to two bytes with a table: in a tenth of the time.
private enum LatinFolding {
    /// Without those whose folding depends on the preceding letter; from U+0080.
    private static let table = (0x80..<0x280).map { number in
        Unicode.Scalar(number).map { Array(foldedByScalars(String(Character($0))).utf8) } ?? []
    }

    /// - Returns: `nil` when the table lacks a letter.
    static func fold(_ text: String) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var lead: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case 0x41...0x5a: bytes.append(byte | 0x20)
            case 0..<0x80: bytes.append(byte)
            case 0x80..<0xc0: bytes += table[Int(lead & 0x1f) << 6 + Int(byte & 0x3f) - 0x80]
            case 0xc2...0xc9: lead = byte
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Folds only upper and lower case: `Straße` and `STRASSE` become the same, `Über` and `uber` do not.
package func caseFolded(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    var result = String.UnicodeScalarView()
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
        // The other cases of `append` are for compatibility forms.
        let isCompatibility = scalar.value == 0xa0 || scalar.value == 0x3000 || (0xff01...0xff5e).contains(scalar.value)
        if isCompatibility {
            result.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
        } else {
            append(scalar, to: &result)
        }
    }
    return String(result)
}

private func append(_ scalar: Unicode.Scalar, to result: inout String.UnicodeScalarView) {
    switch scalar.value {
    case 0x00...0x7f: result.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
    case 0xdf, 0x1e9e: result.append(contentsOf: "ss".unicodeScalars)
    case 0x3c2: result.append("σ")
    case 0xfb00...0xfb06: result.append(contentsOf: ligatures[Int(scalar.value - 0xfb00)].unicodeScalars)
    // Full-width forms of ASCII.
    case 0xff01...0xff5e:
        guard let narrow = Unicode.Scalar(scalar.value - 0xfee0) else { return }
        result.append(contentsOf: narrow.properties.lowercaseMapping.unicodeScalars)
    case 0xa0, 0x3000: result.append(" ")
    default: result.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
    }
}

private let ligatures = ["ff", "fi", "fl", "ffi", "ffl", "st", "st"]

/// A sort key for text shown to people: letters without regard to case and diacritics, after digits, after punctuation,
/// after spaces.
///
/// Close to Unicode's root collation, which MPD sorts by; as there, digits are compared one by one. Texts with equal
/// keys are in the order of their bytes, so that a listing never depends on the order in which files were found.
package struct CollationKey: Sendable, Hashable, Comparable {
    private let weights: [UInt32]
    private let original: String

    package init(_ text: String) {
        original = text
        weights = folded(text).unicodeScalars.map(Self.weight)
    }

    private static let ascii = (0..<0x80).map { weigh(Unicode.Scalar(UInt8($0))) }

    private static func weight(_ scalar: Unicode.Scalar) -> UInt32 {
        scalar.value < 0x80 ? ascii[Int(scalar.value)] : weigh(scalar)
    }

    private static func weigh(_ scalar: Unicode.Scalar) -> UInt32 {
        let rank: UInt32 =
            switch scalar.properties.generalCategory {
            case .spaceSeparator, .control, .lineSeparator, .paragraphSeparator, .format: 0
            case .connectorPunctuation: 1
            case .dashPunctuation: 2
            case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation: 3
            case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: 4
            case .decimalNumber, .letterNumber, .otherNumber: 5
            default: 6
            }
        return rank << 24 | scalar.value
    }

    /// Appends bytes that sort as the keys do, and have an end mark, so that keys may follow one another.
    package func append(to bytes: inout [UInt8]) {
        for weight in weights {
            bytes.append(UInt8(weight >> 24) + 1)
            // UTF-8 preserves the order of the numbers.
            if let scalar = Unicode.Scalar(weight & 0xff_ffff) {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? .init())
            }
        }
        bytes.append(0)
        bytes.append(contentsOf: original.utf8)
        bytes.append(0)
    }

    package static func < (left: Self, right: Self) -> Bool {
        if left.weights != right.weights { return left.weights.lexicographicallyPrecedes(right.weights) }
        return left.original.utf8.lexicographicallyPrecedes(right.original.utf8)
    }
}
