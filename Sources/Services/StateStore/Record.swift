/// One item of state: a verb and its arguments, as one line of text.
///
/// Written as in the line protocol, with words that contain blanks quoted, so that people can read the files:
///
///     add 12 "Some Band/First Song.flac"
///     option random 1
///
/// A quoted word may be empty; in it, `\"` is a quotation mark, `\\` a backslash and, unlike in the line protocol, `\n`
/// a line feed. Any text can thus be an argument.
package struct Record: Sendable, Hashable {
    package var verb: String
    package var arguments: [String]

    package init(_ verb: String, _ arguments: [String] = []) {
        self.verb = verb
        self.arguments = arguments
    }

    package init(_ verb: String, _ arguments: String...) { self.init(verb, arguments) }

    /// Parses a line without its line feed; `nil` if it is not a valid record.
    package init?(parsing line: some Collection<UInt8>) {
        var words: [String] = []
        var rest = Array(line)[...]
        while !rest.isEmpty {
            guard let word = Self.takeWord(from: &rest) else { return nil }
            words.append(word)
        }
        guard let verb = words.first else { return nil }
        self.init(verb, Array(words.dropFirst()))
    }

    /// The line, without a line feed.
    package var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    func append(to bytes: inout [UInt8]) {
        Self.append(verb, to: &bytes)
        for argument in arguments {
            bytes.append(blank)
            Self.append(argument, to: &bytes)
        }
    }

    private static func append(_ word: String, to bytes: inout [UInt8]) {
        let isPlain =
            !word.isEmpty && word.utf8.allSatisfy { $0 > blank && $0 != quote && $0 != backslash && $0 != 0x7f }
        guard !isPlain else { return bytes.append(contentsOf: word.utf8) }
        bytes.append(quote)
        for byte in word.utf8 {
            if byte == quote || byte == backslash || byte == lineFeed { bytes.append(backslash) }
            bytes.append(byte == lineFeed ? UInt8(ascii: "n") : byte)
        }
        bytes.append(quote)
    }

    /// Removes a word and the blank after it, if any.
    private static func takeWord(from rest: inout ArraySlice<UInt8>) -> String? {
        var word: [UInt8] = []
        if rest.first == quote {
            rest.removeFirst()
            guard takeQuoted(from: &rest, into: &word) else { return nil }
        } else {
            let end = rest.firstIndex(of: blank) ?? rest.endIndex
            word = Array(rest[..<end])
            rest = rest[end...]
            guard !word.isEmpty, word.allSatisfy({ $0 > blank && $0 != quote && $0 != backslash }) else { return nil }
        }
        if let next = rest.popFirst() {
            // A blank at the end would begin another word.
            guard next == blank, !rest.isEmpty else { return nil }
        }
        return String(validating: word, as: UTF8.self)
    }

    private static func takeQuoted(from rest: inout ArraySlice<UInt8>, into word: inout [UInt8]) -> Bool {
        while let byte = rest.popFirst() {
            switch byte {
            case quote: return true
            case backslash:
                guard let escaped = rest.popFirst() else { return false }
                word.append(escaped == UInt8(ascii: "n") ? lineFeed : escaped)
            default: word.append(byte)
            }
        }
        return false
    }
}

let lineFeed = UInt8(ascii: "\n")
let blank = UInt8(ascii: " ")
private let quote = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")
