import ArgumentParser
import CommandOptions
import Glibc
import LineProtocol
import ProtocolClient

/// A verb carried out by a server.
protocol ClientVerb: ParsableCommand {
    var server: ServerOptions { get }
    /// Whether the connection enters the zone of `--zone`; otherwise the verb interprets the option itself.
    static var entersZone: Bool { get }

    /// Carries out the verb on an open connection.
    func run(on session: Session) throws
}

extension ClientVerb {
    static var entersZone: Bool { true }

    func run() throws { try Session.perform(server, entersZone: Self.entersZone) { try run(on: $0) } }
}

/// A verb that only segued supports; with another server it fails with a message that says so.
protocol SegueOnlyVerb: ClientVerb {}

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
    /// Whether the server does not know the command.
    var isUnknownCommand: Bool { known == .unknownCommand && text.hasPrefix("unknown command") }
}

/// A verb that makes a change and then shows the status to people.
protocol ChangingVerb: ClientVerb {
    func change(_ session: Session) throws
}

extension ChangingVerb {
    func run(on session: Session) throws {
        try change(session)
        try session.showStatusAfterChange()
    }
}

/// One run of a verb: the connection and the console.
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

    /// Connects, calls `body`, and turns failures into a message and an exit status.
    ///
    /// - Parameter entersZone: Whether to switch the connection to the zone of `--zone`.
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
            do {
                try body(session)
            } catch {
                session.console.flush()
                throw error
            }
            try session.console.end()
        } catch let error as RemoteError {
            throw options.failure(error)
        }
    }

    /// A new connection to the same server, not to whichever answers now; `nil` when it does not answer.
    func reconnected() -> RemoteConnection? { connector() }

    /// Opens a new connection as ``reconnected()`` does, on any thread.
    var connector: @Sendable () -> RemoteConnection? {
        var choice = choice
        choice.addresses = [connection.address]
        let (zone, limits) = (options.zone, PatienceLimits(variable: console.variable))
        return { [choice] in try? RemoteConnection.open(choice, zone: zone, limits: limits) }
    }

    /// Prints an error; returns the exit status of a command refused by the server.
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
    /// - Returns: Whether it was accepted.
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

    /// Status and song, consistent with each other.
    func statusAndSong() throws(RemoteError) -> (ServerStatus, RemoteSong?) {
        let replies = try connection.run([Request("status"), Request("currentsong")])
        guard replies.count == 2 else { throw RemoteError.malformed(connection.address, line: "OK") }
        return (ServerStatus(replies[0]), replies[1].songs.first)
    }

    /// The event that the current stream is waiting for; `nil` when there is none, or all is well.
    func streamRemark(_ status: ServerStatus, _ song: RemoteSong?) throws(RemoteError) -> String? {
        guard status.state != .stopped, song?.uri.contains("://") == true else { return nil }
        do {
            return StreamStateText.remark(BufferBlock(try run("buffer")))
        } catch {
            // A server other than segued.
            guard error.refusal?.isUnknownCommand == true else { throw error }
            return nil
        }
    }

    /// Shows the status, as mpc does after every change, but for people only.
    func showStatusAfterChange() throws(RemoteError) {
        guard !options.quiet, console.form != .plain else { return }
        let (status, song) = try statusAndSong()
        console.print(StatusReport(status: status, song: song, format: options.songFormat))
    }
}
