internal import TextEncodings

/// Changes to the text of a segued.toml that leave all the rest of it as its owner wrote it.
struct ConfigurationEdit {
    private(set) var lines: [String]

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
    }

    var text: String { lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n" }

    /// Sets a key of the document's own table.
    ///
    /// A line that sets it is replaced; else the new one follows a comment that shows the key, or stands with the others
    /// before the first table.
    ///
    /// - Parameter value: As TOML writes it.
    mutating func set(_ key: String, to value: String) throws(Failure) {
        let line = "\(key) = \(value)"
        let end = lines.firstIndex { $0.drop(while: \.isBlank).hasPrefix("[") } ?? lines.count
        if let place = lines[..<end].firstIndex(where: { Self.sets(key, in: $0[...]) }) {
            guard Self.isWhole(lines[place]) else {
                throw Failure(
                    description: "line \(place + 1) sets \(key) in several lines; change it there to: \(line)"
                )
            }
            lines[place] = line
            return
        }
        // Examples of other tables' keys come behind the first example of a table.
        let examples = lines[..<end].prefix { !$0.hasPrefix("#[") }
        if let place = examples.firstIndex(where: { $0.hasPrefix("#") && Self.sets(key, in: $0.dropFirst()) }) {
            lines.insert(line, at: place + 1)
        } else if let last = lines[..<end].lastIndex(where: { !$0.isEmpty && !$0.hasPrefix("#") }) {
            lines.insert(line, at: last + 1)
        } else {
            // Behind the comment at the top.
            let top = lines[..<end].prefix { $0.hasPrefix("#") }.count
            lines.insert(contentsOf: top == 0 ? [line] : ["", line], at: top)
            if top == 0, lines.count > 1 { lines.insert("", at: 1) }
        }
    }

    /// Adds a table at the end, such as `[[output]]`.
    mutating func append(_ table: String, _ keys: [(String, String)]) {
        if !lines.isEmpty { lines.append("") }
        lines.append("[[\(table)]]")
        for (key, value) in keys { lines.append("\(key) = \(value)") }
    }

    /// Whether there is a table of a name.
    func has(_ table: String) -> Bool {
        lines.contains { $0.filter { !$0.isBlank }.hasPrefix("[[\(table)]]") }
    }

    private static func sets(_ key: String, in line: Substring) -> Bool {
        let rest = line.drop(while: \.isBlank)
        guard rest.hasPrefix(key) else { return false }
        return rest.dropFirst(key.count).drop(while: \.isBlank).hasPrefix("=")
    }

    /// Whether a line that sets a key contains the whole value.
    private static func isWhole(_ line: String) -> Bool {
        if line.contains("\"\"\"") || line.contains("'''") { return false }
        var (depth, quote): (Int, Character?) = (0, nil)
        var isEscaped = false
        for character in line {
            if let open = quote {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\", open == "\"" {
                    isEscaped = true
                } else if character == open {
                    quote = nil
                }
                continue
            }
            switch character {
            case "\"", "'": quote = character
            case "[", "{": depth += 1
            case "]", "}": depth -= 1
            case "#": return depth == 0
            default: break
            }
        }
        return depth == 0 && quote == nil
    }

    /// A text as a basic string of TOML 1.0.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20 || scalar.value == 0x7f:
                quoted += "\\u" + String(scalar.value, digits: 4, radix: 16)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension Character {
    fileprivate var isBlank: Bool { self == " " || self == "\t" }
}
