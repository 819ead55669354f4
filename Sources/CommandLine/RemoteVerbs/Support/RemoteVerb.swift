import ArgumentParser
import Glibc
import LineProtocol
import RemoteControl
import Verbs

/// A verb that a server carries out.
protocol RemoteVerb: ParsableCommand {
    var server: ServerOptions { get }
    /// Whether `--zone` is the zone that the connection is in; otherwise the verb says itself what it means.
    static var entersZone: Bool { get }

    /// Carries it out on a connection that is open.
    func run(on session: Session) throws
}

extension RemoteVerb {
    static var entersZone: Bool { true }

    func run() throws { try Session.perform(server, entersZone: Self.entersZone) { try run(on: $0) } }
}

/// A verb that only segued has: of another server is said that it is none.
protocol SegueOnlyVerb: RemoteVerb {}

extension SegueOnlyVerb {
    func run() throws {
        try Session.perform(server, entersZone: Self.entersZone) { session in
            do {
                try run(on: session)
            } catch let error as RemoteError where error.refusal?.isUnknownCommand == true {
                throw session.fail(
                    "the server at \(session.connection.address) is not a segued, and only segued can do this"
                )
            }
        }
    }
}

extension Refusal {
    /// Whether the server does not even know the word.
    var isUnknownCommand: Bool { known == .unknownCommand && text.hasPrefix("unknown command") }
}

/// A verb that changes something, and then shows the status to people.
protocol ChangingVerb: RemoteVerb {
    func change(_ session: Session) throws
}

extension ChangingVerb {
    func run(on session: Session) throws {
        try change(session)
        try session.showStatusAfterChange()
    }
}

/// One run of a verb: the connection, and where its output goes.
final class Session {
    let connection: RemoteConnection
    let choice: ServerChoice
    let options: ServerOptions
    var console: Console

    init(_ connection: RemoteConnection, _ choice: ServerChoice, _ options: ServerOptions, _ console: Console) {
        self.connection = connection
        self.choice = choice
        self.options = options
        self.console = console
    }

    /// Connects, lets `body` work, and turns failures into a line and an exit status.
    ///
    /// - Parameter entersZone: Whether the connection is put into the zone that `--zone` names.
    static func perform(
        _ options: ServerOptions,
        entersZone: Bool = true,
        _ body: (Session) throws -> Void
    ) throws {
        let console = Console(options)
        let choice = try options.choice()
        do {
            let connection = try options.connect(choice, entersZone: entersZone)
            let session = Session(connection, choice, options, console)
            defer { session.console.flush() }
            try body(session)
        } catch let error as RemoteError {
            throw options.failure(error)
        }
    }

    /// Ends the verb because it cannot be done, with the status of what a server refuses.
    func fail(_ text: String) -> ExitCode {
        console.flush()
        Console.complain(text)
        return ExitStatus.someFailed.exitCode
    }

    @discardableResult
    func run(_ command: String, _ arguments: String...) throws(RemoteError) -> ServerReply {
        try connection.run(Request(command, arguments))
    }

    /// Runs a command that may be refused for one reason.
    ///
    /// - Returns: Whether it was not.
    func succeeds(_ request: Request, unless code: AckCode) throws(RemoteError) -> Bool {
        do {
            try connection.run(request)
            return true
        } catch {
            guard error.refusal?.known == code else { throw error }
            return false
        }
    }

    func status() throws(RemoteError) -> ServerStatus { ServerStatus(try run("status")) }

    /// Status and song as of the same moment.
    func statusAndSong() throws(RemoteError) -> (ServerStatus, RemoteSong?) {
        let replies = try connection.run([Request("status"), Request("currentsong")])
        guard replies.count == 2 else { throw RemoteError.malformed(connection.address, line: "OK") }
        return (ServerStatus(replies[0]), replies[1].songs.first)
    }

    /// What the stream that plays waits for; `nil` when there is none, or all is well.
    func streamRemark(_ status: ServerStatus, _ song: RemoteSong?) throws(RemoteError) -> String? {
        guard status.state != .stopped, song?.uri.contains("://") == true else { return nil }
        do {
            return StreamStateText.remark(BufferBlock(try run("buffer")))
        } catch {
            // A server of another kind.
            guard error.refusal?.isUnknownCommand == true else { throw error }
            return nil
        }
    }

    /// What mpc does after every change, but for people only.
    func showStatusAfterChange() throws(RemoteError) {
        guard !options.quiet, console.form != .plain else { return }
        let (status, song) = try statusAndSong()
        console.print(StatusReport(status: status, song: song, format: options.songFormat))
    }
}
