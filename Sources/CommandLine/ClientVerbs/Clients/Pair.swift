import ArgumentParser
import CommandOptions
import Glibc
import LineProtocol
import ProtocolClient
import TerminalText
import TextEncodings

/// `segue pair`: asks a server's owner to let this client be known, or uses an invitation.
struct PairVerb: ParsableCommand {
    static let configuration = CommandConfiguration.remote(
        "pair",
        "Ask the server's owner to know this client, or use an invitation.",
        "[<name>|<link>]",
        discussion: """
            Shows a code, and waits until the owner answers with 'segue clients allow'. From then on this user's segue is known
            to the server, by a token in a file of its own. Pairing takes an encrypted connection or a Unix socket. See
            segue-clients(7).

            Examples:
              segue pair --host tls://music.example.org
              segue pair laptop --host tls://music.example.org
              segue pair 'segue://music.example.org:6601/…'
            """
    )

    @Argument(
        help: ArgumentHelp("The client's name (default: this machine's), or an invitation.", valueName: "name")
    )
    var word: String?
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        var server = server
        guard let link = word.flatMap(InvitationLink.init) else {
            return try Session.perform(server) { try ask(word ?? Self.hostName, $0) }
        }
        var choice = try server.choice()
        choice.addresses = [link.address]
        choice.pin = link.pin
        choice.password = nil
        server.host = link.address.description
        do {
            let session = Session(try server.connect(choice, entersZone: false), choice, server, Console(server))
            defer { session.console.flush() }
            try keep(try session.run("pair", "invitation", link.secret), session)
        } catch let error as RemoteError {
            if error.refusal?.known == .wrongPassword {
                Console.complain("the invitation was used already, or is over; ask for another one")
                throw ExitStatus.someFailed.exitCode
            }
            throw server.failure(error)
        }
    }

    private func ask(_ name: String, _ session: Session) throws {
        let code = try session.run("pair", "request", name)["code"] ?? ""
        if session.console.form == .json {
            session.console.print(.object([.init("name", .string(name)), .init("code", .string(code))]))
        } else {
            session.console.print("\(name): code \(code)")
            session.console.print("At the server: segue clients allow \(name)")
        }
        session.console.flush()
        session.connection.waitAnyTime()
        try keep(try session.run("pair", "wait"), session)
    }

    private func keep(_ reply: ServerReply, _ session: Session) throws {
        guard let name = reply["name"], let token = reply["token"] else {
            throw session.fail(
                reply["state"] == "denied"
                    ? "the server's owner has denied it"
                    : "the request is over: the server's owner has not answered in time, or with other codes"
            )
        }
        guard let folder = session.choice.folder else {
            throw session.fail("there is no folder to keep the token in (set HOME)")
        }
        do {
            try Pairings(folder: folder).keep(.init(name: name, token: token), for: session.connection.address)
        } catch {
            throw session.fail("\(error)")
        }
        let state = reply["state"] ?? "authorized"
        if session.console.form == .json {
            session.console.print(.object([.init("name", .string(name)), .init("state", .string(state))]))
        } else {
            session.console.print("known as \(name) (\(state)) at \(session.connection.address)")
        }
    }

    private static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 65)
        _ = unsafe gethostname(&buffer, buffer.count - 1)
        let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return String(name.prefix { $0 != "." })
    }
}
