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
            A method is a command of the protocol, such as status, or one and its verb, such as alarm.add. A value that is \
            JSON stands for that, any other for a text. In place of names and values there may be words as for segue raw, \
            or one argument that is a JSON array or object. rpc.describe tells of all methods.

            Examples:
              segue json status
              segue json play position=3
              segue json alarm.add time=07:00 days=mon-fri volume=40
              segue json find '{"filter": "(artist == \\"Can\\")", "limit": 20}'
              segue json rpc.describe | jq -r '.methods[].name'
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "The method.")
    var method: String
    @Argument(parsing: .captureForPassthrough, help: "Its arguments.")
    var arguments: [String] = []

    func run(on session: Session) throws {
        let params = try MethodArguments(arguments)
        try session.connection.speakJSON()
        session.console.print(try session.connection.call(method, params.json).text)
    }
}

/// The arguments of a method, as they are written on a command line.
struct MethodArguments {
    /// An array or an object; `nil` for none.
    let json: JSON?

    init(_ words: [String]) throws {
        if words.count == 1, let whole = try? JSON(parsing: Array(words[0].utf8)) {
            switch whole {
            case .array, .object:
                json = whole
                return
            default: break
            }
        }
        let fields = words.compactMap(Self.field)
        guard fields.isEmpty || fields.count == words.count else {
            throw ValidationError("either all arguments have names (name=value), or none has")
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
