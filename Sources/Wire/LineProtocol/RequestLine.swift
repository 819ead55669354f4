/// A parsed request: `word "argument one" two` (MPD's protocol, section "Requests").
package struct RequestLine: Sendable, Hashable {
    package let command: String
    package let arguments: [String]

    package init(command: String, arguments: [String] = []) {
        self.command = command
        self.arguments = arguments
    }

    /// Most arguments a line may have: twice the number of tags, and two.
    package static let mostArguments = 72

    /// Parses a line.
    ///
    /// - Parameter line: Without its line feed. Bytes that are not UTF-8 become replacement characters.
    /// - Throws: `AckError` with MPD's texts and codes: an invalid line is an unknown command.
    package init(parsing line: [UInt8]) throws(AckError) {
        var scanner = Scanner(line: line)
        command = try scanner.word()
        var arguments: [String] = []
        scanner.skipBlanks()
        while !scanner.isAtEnd {
            guard arguments.count < Self.mostArguments else { throw AckError(.badArgument, "Too many arguments") }
            arguments.append(try scanner.argument())
            scanner.skipBlanks()
        }
        self.arguments = arguments
    }

    /// Whether a line starts with a word; if not, the client speaks another protocol.
    package static func beginsWithWord(_ line: [UInt8]) -> Bool {
        var scanner = Scanner(line: line)
        return (try? scanner.word()) != nil
    }
}

/// Scans a line from start to end.
private struct Scanner {
    private let line: [UInt8]
    private var place = 0

    init(line: [UInt8]) { self.line = line }

    var isAtEnd: Bool { place >= line.count }

    /// As in MPD, all control characters are blanks, except zero, which ends a line there.
    private static func isBlank(_ byte: UInt8) -> Bool { (0x01...0x20).contains(byte) }

    mutating func skipBlanks() {
        while place < line.count, Self.isBlank(line[place]) { place += 1 }
    }

    /// The command: letters, digits and underscores, the first a letter.
    mutating func word() throws(AckError) -> String {
        guard !isAtEnd, Self.isLetter(line[0]) else { throw AckError(.unknownCommand, "Letter expected") }
        let start = place
        while !isAtEnd, !Self.isBlank(line[place]) {
            guard Self.isLetter(line[place]) || (0x30...0x39).contains(line[place]) || line[place] == 0x5f else {
                throw AckError(.unknownCommand, "Invalid word character")
            }
            place += 1
        }
        return text(start..<place)
    }

    mutating func argument() throws(AckError) -> String {
        guard line[place] == UInt8(ascii: "\"") else { return try unquoted() }
        place += 1
        let start = place
        while !isAtEnd, line[place] != UInt8(ascii: "\""), line[place] != UInt8(ascii: "\\") { place += 1 }
        if !isAtEnd, line[place] == UInt8(ascii: "\"") {
            defer { place += 1 }
            try expectBlank(at: place + 1)
            return text(start..<place)
        }
        return try escaped(from: start)
    }

    /// The rest of a quoted argument that contains an escape.
    private mutating func escaped(from start: Int) throws(AckError) -> String {
        var bytes: [UInt8] = []
        place = start
        while !isAtEnd, line[place] != UInt8(ascii: "\"") {
            if line[place] == UInt8(ascii: "\\") {
                place += 1
                guard !isAtEnd else { break }
            }
            bytes.append(line[place])
            place += 1
        }
        guard !isAtEnd else { throw AckError(.unknownCommand, "Missing closing '\"'") }
        place += 1
        try expectBlank(at: place)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func expectBlank(at index: Int) throws(AckError) {
        guard index >= line.count || Self.isBlank(line[index]) else {
            throw AckError(.unknownCommand, "Space expected after closing '\"'")
        }
    }

    private mutating func unquoted() throws(AckError) -> String {
        let start = place
        while !isAtEnd, !Self.isBlank(line[place]) {
            guard line[place] != 0, line[place] != UInt8(ascii: "\""), line[place] != UInt8(ascii: "'") else {
                throw AckError(.unknownCommand, "Invalid unquoted character")
            }
            place += 1
        }
        return text(start..<place)
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: line[range], as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }
}
