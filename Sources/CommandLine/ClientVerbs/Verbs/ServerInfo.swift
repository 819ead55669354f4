import ArgumentParser
import CommandOptions
import ProtocolClient
import TextEncodings

struct VersionVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "version",
        "Show the version of the server's protocol; 'segue --version' shows Segue's own."
    )
    @OptionGroup(title: "The server") var server: ServerOptions

    func run(on session: Session) throws {
        let version = session.connection.version.description
        switch session.console.form {
        case .json:
            session.console.print(
                .object([
                    .init("protocol", .string(version)), .init("address", .string("\(session.connection.address)")),
                    .init("segue", .string(segueVersion)),
                ])
            )
        case .terminal:
            session.console.print("protocol \(version) at \(session.connection.address); this is segue \(segueVersion)")
        case .plain: session.console.print("mpd version: \(version)")
        }
    }
}

struct RawVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "raw",
        "Send any command of the protocol, and print the answer.",
        "<command> [<argument>] ..."
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(parsing: .captureForPassthrough, help: "The command and its arguments, each quoted as needed.")
    var words: [String]

    func run(on session: Session) throws {
        guard let command = words.first, command.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else {
            throw ValidationError("a command is one word")
        }
        let reply = try session.connection.run(Request(command, Array(words.dropFirst())))
        for pair in reply.pairs where pair.key != "binary" { session.console.print("\(pair.key): \(pair.value)") }
        if let binary = reply.binary { session.console.write(binary) }
    }
}
