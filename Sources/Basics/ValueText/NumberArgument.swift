/// Parses numbers, limited to a range.
package enum NumberArgument {
    /// A plain decimal number in `range`, optionally followed by `unit`.
    package static func parse(
        _ text: String,
        in range: ClosedRange<Double>,
        unit: String = ""
    ) throws(ArgumentProblem) -> Double {
        let number = !unit.isEmpty && text.hasSuffix(unit) ? text.dropLast(unit.count) : text[...]
        let isPlain = number.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+")].contains(byte)
        }
        guard isPlain, let value = Double(number), range.contains(value) else {
            throw ArgumentProblem("it must be a number from \(brief(range.lowerBound)) to \(brief(range.upperBound))")
        }
        return value
    }

    private static func brief(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(saturating: value))" : "\(value)"
    }
}
