internal import AudioTypes
internal import LineProtocol
internal import Songs
internal import ValueText

/// The type of a key's value: its description and its parser.
struct SettingType<Value>: Sendable {
    /// Completes the sentence `must be …`.
    let expected: String
    /// Returns `nil` when the value is not as expected; throws to give a more specific reason.
    private let parse: @Sendable (Node, Reading) throws(ArgumentProblem) -> Value?

    init(_ expected: String, parse: @escaping @Sendable (Node, Reading) throws(ArgumentProblem) -> Value?) {
        self.expected = expected
        self.parse = parse
    }

    /// A type that is written as a string.
    init(_ expected: String, text parse: @escaping @Sendable (String) throws(ArgumentProblem) -> Value?) {
        self.init(expected) { (node, _) throws(ArgumentProblem) in
            guard case .text(let text) = node.value else { return nil }
            return try parse(text)
        }
    }

    func value(of node: Node, named name: String, _ reading: inout Reading) -> Value? {
        do {
            if let value = try parse(node, reading) { return value }
            reading.error(node.line, "\"\(name)\" must be \(expected), not \(node)")
        } catch {
            reading.error(node.line, "\"\(name)\" cannot be \(node): \(error)")
        }
        return nil
    }
}

extension SettingType<String> {
    static let text = SettingType("a string") { (text: String) in text }

    /// A name that fits on a line of the protocol.
    static let name = SettingType("a name of 1 to 64 bytes without control characters") { (text: String) in
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } ? text : nil
    }

    static let path = SettingType("a path") { node, reading in
        guard case .text(let text) = node.value, !text.isEmpty, !text.utf8.contains(0) else { return nil }
        return reading.path(text)
    }
}

extension SettingType<Bool> {
    static let truth = SettingType("true or false") { node, _ in
        guard case .truth(let truth) = node.value else { return nil }
        return truth
    }
}

extension SettingType<Int> {
    static func count(_ range: ClosedRange<Int>) -> Self {
        SettingType("a whole number from \(range.lowerBound) to \(range.upperBound)") { node, _ in
            guard case .integer(let number) = node.value, range.contains(number) else { return nil }
            return number
        }
    }

    /// Bytes, or a string such as `2 MiB`.
    static func size(_ range: ClosedRange<Int>) -> Self {
        let expected =
            "a size from \(sizeText(range.lowerBound)) to \(sizeText(range.upperBound)), in bytes or as \"2 MiB\""
        return SettingType(expected) { node, _ in
            let bytes: Int? =
                switch node.value {
                case .integer(let number): number
                case .text(let text): size(text)
                default: nil
                }
            return bytes.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    private static let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)]

    private static func size(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).trimmed
        guard let number = Int(digits), number < 1 << 32 else { return nil }
        if unit.isEmpty { return number }
        return units.first { $0.0 == unit }.map { number << $0.1 }
    }

    private static func sizeText(_ bytes: Int) -> String {
        let unit = units.last { bytes % (1 << $0.1) == 0 }
        return unit.map { "\(bytes >> $0.1) \($0.0)" } ?? "\(bytes)"
    }
}

extension SettingType<Double> {
    static func decibels(_ range: ClosedRange<Double>) -> Self {
        SettingType("a number of dB from \(Int(saturating: range.lowerBound)) to \(Int(saturating: range.upperBound))")
        { node, _ in
            let number: Double? =
                switch node.value {
                case .integer(let number): Double(number)
                case .number(let number): number
                default: nil
                }
            return number.flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension SettingType<Duration> {
    /// A short time, in seconds or as `"100ms"`.
    static func milliseconds(_ range: ClosedRange<Int>) -> Self {
        let expected = "a time from \(range.lowerBound) to \(range.upperBound) ms, as \"\(range.lowerBound)ms\""
        return SettingType(expected) { node, _ in
            guard let seconds = node.seconds else { return nil }
            let milliseconds = (seconds * 1000).rounded()
            guard milliseconds >= Double(range.lowerBound), milliseconds <= Double(range.upperBound) else { return nil }
            return .milliseconds(Int(saturating: milliseconds))
        }
    }
}

extension Node {
    /// The value in seconds.
    var seconds: Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        case .text(let text): (try? TimeArgument.parse(text.filter { $0 != " " }))?.seconds
        default: nil
        }
    }

    /// The elements of a list of strings.
    var texts: [String]? {
        guard case .list(let nodes) = value else { return nil }
        let texts = nodes.compactMap { node -> String? in
            guard case .text(let text) = node.value else { return nil }
            return text
        }
        return texts.count == nodes.count ? texts : nil
    }
}

extension SettingType<[String]> {
    static let texts = SettingType("a list of strings") { node, _ in node.texts }
}

extension SettingType<[LanguageCode]> {
    static let languages = SettingType("a list of at most 16 languages such as [\"de\", \"eng\"]") { node, _ in
        guard let texts = node.texts, texts.count <= 16 else { return nil }
        let languages = texts.compactMap { (2...3).contains($0.utf8.count) ? LanguageCode($0) : nil }
        return languages.count == texts.count ? languages : nil
    }
}

extension SettingType<Duration?> {
    /// A time in seconds, a string such as `"10m"`, or a word that stands for no limit.
    static func time(_ range: ClosedRange<Int>, unlimited word: String? = nil, zero: String? = nil) -> Self {
        let words = [zero, word].compactMap(\.self).map { ", or \"\($0)\"" }.joined()
        let expected =
            "a time from \(range.lowerBound) to \(range.upperBound) seconds, as 90, \"90s\" or \"10m\"\(words)"
        return SettingType(expected) { node, _ in
            if case .text(let text) = node.value {
                if text == word { return .some(nil) }
                if text == zero { return .some(.zero) }
            }
            guard let seconds = node.seconds, seconds >= Double(range.lowerBound), seconds <= Double(range.upperBound)
            else {
                return nil
            }
            return .some(.milliseconds(Int(saturating: (seconds * 1000).rounded())))
        }
    }
}

extension SettingType where Value: RawRepresentable<String> & CaseIterable & Sendable {
    /// One of a set of words.
    static var word: Self {
        let words = Value.allCases.map(\.rawValue)
        let values = Dictionary(uniqueKeysWithValues: zip(words, Value.allCases))
        return SettingType("one of " + words.joined(separator: ", ")) { (text: String) in values[text] }
    }
}

extension SettingType<Permissions> {
    static let permissions = SettingType(
        "a list of \(Permissions.granted.map(\.name).joined(separator: ", ")), or \"all\", \"none\""
    ) {
        node,
        _ in
        switch node.value {
        case .text(let text): return Permissions(parsing: text)
        default:
            guard let names = node.texts else { return nil }
            return Permissions(names: names)
        }
    }
}

extension SettingType<TagMask> {
    static let tags = SettingType("a list of tags such as [\"+Comment\"]") { (node, _) throws(ArgumentProblem) in
        switch node.value {
        case .text(let text): return try TagMask(configured: text.split(separator: ","))
        default:
            guard let names = node.texts else { return nil }
            return try TagMask(configured: names)
        }
    }
}
