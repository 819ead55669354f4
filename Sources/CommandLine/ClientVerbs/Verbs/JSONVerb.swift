internal import ArgumentParser
internal import CommandOptions
internal import ProtocolClient
internal import TextEncodings

struct JSONVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "json",
        "Call a method of segue-api(7), and print its result as JSON.",
        "<method> [<name>=<value>] ...",
        discussion: """
            A method is a command of the protocol, such as status, or one and its verb, such as alarm.add. A value is a \
            number, a boolean or JSON where the method takes that there, else a text. In place of names and values there \
            may be words as for segue raw, or one argument that is a JSON array or object. rpc.describe tells of all \
            methods, or of one. watch goes on: each value that changes is printed as one line.

            Examples:
              segue json status
              segue json play position=3
              segue json alarm.add time=07:00 days=mon-fri volume=40
              segue json find '{"filter": "(artist == \\"Can\\")", "limit": 20}'
              segue json rpc.describe | jq -r '.methods[].name'
              segue json rpc.describe method=alarm.add
              segue json watch topics='["player","mixer"]' zones=all
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "The method.")
    var method: String
    @Argument(parsing: .captureForPassthrough, help: "Its arguments.")
    var arguments: [String] = []

    func run(on session: Session) throws {
        try session.connection.speakJSON()
        let arguments = try MethodArguments(arguments) { try schemas(session) }
        session.console.print(try session.connection.call(method, arguments.json).text)
        if method == "watch" { try follow(session) }
    }

    /// Prints each value that changes, until the connection ends.
    private func follow(_ session: Session) throws {
        session.connection.waitAnyTime()
        while true {
            try session.console.end()
            session.console.print(try session.connection.nextNotification().text)
        }
    }

    /// The schemas of the method's arguments, by their names; none where the server does not tell.
    private func schemas(_ session: Session) throws(RemoteError) -> [String: JSON] {
        let document: JSON
        do {
            document = try session.connection.call("rpc.describe", .object([.init("method", .string(method))]))
        } catch  where error.refusal != nil {
            // The call itself is going to tell.
            return [:]
        }
        let found = document["methods"]?.elements.first { $0["name"] == .string(method) }
        let arguments = found?["params"]?.elements ?? []
        let schemas = arguments.compactMap { argument in
            argument["name"]?.string.map { ($0, argument["schema"] ?? .null) }
        }
        return Dictionary(schemas) { first, _ in first }
    }
}

/// The arguments of a method, as they are written on a command line.
struct MethodArguments {
    /// An array or an object; `nil` for none.
    let json: JSON?

    /// - Parameter schemas: The JSON schemas of the method's arguments by name; called where a value may be of several types.
    init(_ words: [String], schemas: () throws -> [String: JSON]) throws {
        if words.count == 1, let whole = try? JSON(parsing: Array(words[0].utf8)) {
            switch whole {
            case .array, .object:
                json = whole
                return
            default: break
            }
        }
        var fields = words.compactMap(Self.field)
        guard fields.isEmpty || fields.count == words.count else {
            throw ValidationError("either all arguments have names (name=value), or none has")
        }
        if fields.contains(where: { $0.value.string == nil }) {
            let schemas = try schemas()
            fields = zip(fields, words).map { field, word in
                guard let schema = schemas[field.name], !schema.takes(field.value) else { return field }
                return JSON.Field(field.name, .string(String(word.dropFirst(field.name.utf8.count + 1))))
            }
        }
        json = fields.isEmpty ? words.isEmpty ? nil : .array(words.map(JSON.string)) : .object(fields)
    }

    /// - Returns: `nil` for a word without a name.
    private static func field(_ word: String) -> JSON.Field? {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let first = parts[0].utf8.first, (0x61...0x7a).contains(first),
            parts[0].utf8.allSatisfy({ (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5f })
        else { return nil }
        let value = try? JSON(parsing: Array(parts[1].utf8))
        return JSON.Field(String(parts[0]), value ?? .string(String(parts[1])))
    }
}

extension JSON {
    /// Whether a JSON schema of an argument takes a value; a text always.
    ///
    /// Where texts and numbers are the same to a method, a text is better: it keeps the spelling of `2024.10`.
    fileprivate func takes(_ value: JSON) -> Bool {
        (self["oneOf"]?.elements ?? [self]).contains { schema in
            switch value {
            case .string: true
            case .integer, .number: ["integer", "number"].contains(schema["type"]?.string)
            case .bool: schema["type"]?.string == "boolean" || schema["enum"]?.elements.contains(value) == true
            case .array: schema["type"]?.string == "array"
            case .null, .object: false
            }
        }
    }
}
