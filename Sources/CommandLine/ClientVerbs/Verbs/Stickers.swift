import ArgumentParser
import CommandOptions
import ProtocolClient
import TextEncodings

struct StickerVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "sticker",
        "Show and change a song's stickers.",
        "<uri> <action> <name> [<value>]",
        discussion: """
            Examples:
              segue sticker Blue/01.flac set rating 9
              segue sticker Blue/01.flac list
              segue sticker Blue find rating
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "A song; for find, a folder, of which / is all.") var uri: String
    @Argument(
        help: "get, set, list, delete, find, inc or dec.",
        completion: .list(["get", "set", "list", "delete", "find", "inc", "dec"])
    )
    var action: String
    @Argument(help: "The sticker's name, and its value.") var words: [String] = []

    func validate() throws {
        let wanted: [String: ClosedRange<Int>] = [
            "get": 1...1, "set": 2...2, "list": 0...0, "delete": 0...1, "find": 1...3, "inc": 2...2, "dec": 2...2,
        ]
        guard let range = wanted[action] else {
            throw ValidationError(
                "the actions are get, set, list, delete, find, inc, dec"
            )
        }
        guard range.contains(words.count) else {
            let needs = range.upperBound == 0 ? "nothing" : range.upperBound == 2 ? "a name and a value" : "a name"
            throw ValidationError("'\(action)' takes \(needs)")
        }
    }

    func run(on session: Session) throws {
        let path = action == "find" && uri == "/" ? "" : uri
        let reply = try session.connection.run(Request("sticker", [action, "song", path] + words))
        var file = uri
        for pair in reply.pairs {
            if pair.key != "sticker" {
                file = pair.value
                continue
            }
            let parts = pair.value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if session.console.form == .json {
                session.console.print(
                    .object([
                        .init("file", .string(file)), .init("name", .string(String(parts[0]))),
                        .init("value", .string(parts.count > 1 ? String(parts[1]) : "")),
                    ])
                )
            } else {
                session.console.print(action == "find" ? "\(file): \(pair.value)" : pair.value)
            }
        }
    }
}
