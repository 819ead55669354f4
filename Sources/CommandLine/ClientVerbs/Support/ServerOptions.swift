package import ArgumentParser
import CommandOptions
import Glibc
import LineProtocol
package import ProtocolClient
import TerminalText
import ValueText

/// The options of every verb that controls a server.
package struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Server: host, host:port, tls://host, /socket or @abstract, also after password@ (default: SEGUE_HOST, MPD_HOST).",
            valueName: "host"
        )
    )
    var host: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("The server's TCP port (default: MPD_PORT or 6600; 6601 for tls://).", valueName: "port"),
        transform: Self.port
    )
    var port: Int?

    @Option(name: [.customShort("P"), .long], help: ArgumentHelp("The server's password.", valueName: "password"))
    var password: String?

    @Option(
        name: [.long, .customLong("partition")],
        help: ArgumentHelp("The zone, as 'segue zone ls' lists them.", valueName: "zone"),
        completion: ServerNames.zones
    )
    package var zone: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("The format of songs, as in mpc: '[%artist% - ]%title%|%file%'.", valueName: "format")
    )
    var format: String?

    @Flag(name: [.short, .long, .customLong("no-status")], help: "Do not show the status after a change.")
    package var quiet = false

    @Flag(help: "Print JSON, one object per line; see segue-json(7).")
    package var json = false

    package init() {}

    package func validate() throws {
        if host?.isEmpty == true { throw ValidationError("--host is empty") }
        if zone?.isEmpty == true { throw ValidationError("--zone is empty") }
    }

    private static func port(_ text: String) throws -> Int {
        do {
            return try HostText.port(text)
        } catch {
            throw ArgumentProblem(error.description)
        }
    }

    /// The server given by these options and the environment.
    func choice() throws -> ServerChoice {
        do {
            return try ServerChoice(host: host, port: port, password: password, variable: TerminalTraits.variable)
        } catch {
            throw ValidationError(host == nil ? error.description : "--host is not a server's address: \(error)")
        }
    }

    /// Connects to the server.
    ///
    /// - Parameters:
    ///   - choice: The result of `choice`, for a caller that has it already.
    ///   - entersZone: Whether to switch the connection to the zone that was named.
    package func connect(_ choice: ServerChoice? = nil, entersZone: Bool = true) throws -> RemoteConnection {
        var choice = try choice ?? self.choice()
        do {
            return try open(choice, entersZone: entersZone)
        } catch {
            guard let address = Self.discovered(error) else { throw error }
            choice.addresses = [address]
            return try open(choice, entersZone: entersZone)
        }
    }

    private func open(_ choice: ServerChoice, entersZone: Bool) throws(RemoteError) -> RemoteConnection {
        let limits = PatienceLimits(variable: TerminalTraits.variable)
        let connection = try RemoteConnection.open(choice, zone: entersZone ? zone : nil, limits: limits)
        if let pin = connection.pin, connection.isNewlyKnown {
            Console.complain("first connection to \(connection.address); from now on its certificate must be \(pin)")
        }
        if connection.isForgotten {
            Console.complain("\(connection.address) does not know this client any more; 'segue pair' asks again")
        }
        return connection
    }

    /// The address of a server whose name on the network was given in place of a host's.
    private static func discovered(_ error: RemoteError) -> ServerAddress? {
        guard case .noServer(let attempts) = error, let attempt = attempts.first, attempts.count == 1,
            attempt.isUnknownName, case .network(let name, _) = attempt.address
        else { return nil }
        return Discovery.address(ofServerNamed: name)
    }

    /// On a terminal, names the servers on the network where none is at the usual places.
    private func suggestServers(after error: RemoteError) {
        guard case .noServer = error, TerminalTraits.isTerminal(STDERR_FILENO),
            (try? choice())?.origin == .usualPlaces
        else { return }
        let names = Discovery.names()
        guard let first = names.first else { return }
        let list = names.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
        Console.complain("on this network: \(list). Use one with: segue <verb> --host '\(first)'")
    }

    /// Prints the error, and returns the exit status.
    package func failure(_ error: RemoteError) -> ExitCode {
        var text = error.description
        if let refusal = error.refusal, let zone, refusal.command == "partition", refusal.known == .doesNotExist {
            text = "there is no zone '\(zone)'; 'segue zone ls' lists them"
        } else if let refusal = error.refusal, (try? choice())?.password != nil {
            text = refusal.description(withPassword: true)
        }
        Console.complain(text)
        suggestServers(after: error)
        return (error.refusal == nil ? ExitStatus.noOutput : .someFailed).exitCode
    }

    /// The format of songs, if one was given.
    var songFormat: SongFormat? {
        (format ?? TerminalTraits.variable("MPC_FORMAT").flatMap { $0.isEmpty ? nil : $0 }).map(SongFormat.init)
    }
}
