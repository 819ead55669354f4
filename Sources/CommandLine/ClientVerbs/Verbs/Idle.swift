import ArgumentParser
import CommandOptions
import ProtocolClient
import TextEncodings

/// The protocol's subsystems.
struct Subsystems: ParsableArguments {
    static let names = [
        "database", "stored_playlist", "playlist", "player", "mixer", "output", "options", "sticker", "update",
        "subscription", "message", "neighbor", "mount", "partition", "session", "route", "announcement", "artwork",
        "timer", "permission", "pairing",
    ]

    @Argument(
        help: ArgumentHelp("What to wait for: player, playlist, mixer …; none is all.", valueName: "subsystem"),
        completion: .list(Subsystems.names)
    )
    var words: [String] = []

    func validate() throws {
        for word in words where !Self.names.contains(word) {
            throw ValidationError("'\(word)' is not one of \(Self.names.joined(separator: ", "))")
        }
    }
}

extension Session {
    func printChanges(_ subsystems: [String]) throws {
        for name in try connection.idle(subsystems) {
            if console.form == .json {
                console.print(.object([.init("changed", .string(name))]))
            } else {
                console.print(name)
            }
        }
        console.flush()
    }
}

struct IdleVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "idle",
        "Wait until something changes, and print what.",
        "[<subsystem>] ..."
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var subsystems: Subsystems

    func run(on session: Session) throws { try session.printChanges(subsystems.words) }
}

struct IdleLoopVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "idleloop",
        "Print changes as they happen.",
        "[<subsystem>] ..."
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var subsystems: Subsystems

    func run(on session: Session) throws { while true { try session.printChanges(subsystems.words) } }
}
