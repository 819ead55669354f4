package import AudioSessions
package import LineProtocol

/// The words of a request with sub-commands, read one after another.
package struct SessionWords {
    private var words: ArraySlice<String>

    package init(_ words: [String]) { self.words = words[...] }

    package var isEmpty: Bool { words.isEmpty }

    package mutating func next() -> String? { words.popFirst() }

    package mutating func word(_ name: String) throws(AckError) -> String {
        guard let word = words.popFirst() else { throw badParam("\(name) is missing") }
        return word
    }

    package mutating func flag(_ name: String) throws(AckError) -> Bool {
        switch try word(name) {
        case "1": return true
        case "0": return false
        case let other: throw badParam("\(name) is 0 or 1, not '\(other)'")
        }
    }

    package mutating func sessionClass() throws(AckError) -> SessionClass {
        let word = try word("CLASS")
        guard let known = SessionClass(rawValue: word) else {
            throw badParam("a class is normal, assistant, alarm or call, not '\(word)'")
        }
        return known
    }

    /// All words that are left.
    package mutating func rest() -> [String] {
        defer { words = [] }
        return Array(words)
    }

    package func end() throws(AckError) {
        if let word = words.first { throw badParam("unexpected argument '\(word)'") }
    }
}

package func badParam(_ text: String) -> AckError { AckError(.badArgument, "badParam: \(text)") }

extension SessionConfiguration {
    /// Reads `CATEGORY [mode MODE] [options A,B] [policy P]`.
    package init(parsing words: inout SessionWords) throws {
        let category = try words.word("CATEGORY")
        var (mode, options, policy) = ("default", [String](), "default")
        while let key = words.next() {
            let value = try words.word(key.uppercased())
            switch key {
            case "mode": mode = value
            case "options": options = value.split(separator: ",").map(String.init)
            case "policy": policy = value
            default: throw badParam("session category ID CATEGORY [mode MODE] [options A,B] [policy P]")
            }
        }
        try self.init(named: category, mode: mode, options: options, policy: policy)
    }
}
