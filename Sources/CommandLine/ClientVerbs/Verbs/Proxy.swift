import ArgumentParser
import CommandOptions
import Glibc
import ProtocolClient
import Synchronization
import TerminalText
import Threads

/// `segue proxy`: a stub for clients of MPD that know no encryption.
struct ProxyVerb: ParsableCommand {
    static let configuration = CommandConfiguration.remote(
        "proxy",
        "Let MPD clients of this machine use an encrypted server.",
        "[--listen <address>]",
        discussion: """
            Listens on this machine, and carries what comes there to the server. Clients act for whoever may connect: all
            users of this machine at a port, only this one at a socket.

            Example:
              segue proxy --host tls://music.example.org --listen $XDG_RUNTIME_DIR/mpd/socket
            """
    )

    @Option(
        help: ArgumentHelp(
            "A socket's path, or a port of this machine (default: localhost:6600).",
            valueName: "address"
        ),
        transform: Self.address
    )
    var listen: ServerAddress = .network(host: "localhost", port: ServerAddress.usualPort)
    @OptionGroup(title: "The server") var server: ServerOptions

    /// How many clients there may be at the same time.
    static let mostClients = 64

    private static func address(_ text: String) throws -> ServerAddress {
        do { return try HostText(parsing: text).address } catch { throw ValidationError("\(text): \(error)") }
    }

    func run() throws {
        let choice = try server.choice()
        do {
            // Says at once what is wrong with the server, and asks about its certificate.
            _ = try server.connect(choice)
        } catch let error as RemoteError {
            throw server.failure(error)
        }
        let listener: LocalListener
        do { listener = try LocalListener(at: listen) } catch {
            Console.complain("cannot listen at \(listen): \(error)")
            throw ExitStatus.noOutput.exitCode
        }
        Console.complain("listening at \(listen) for \(choice.addresses.first?.description ?? "the server")")
        let (ended, signals) = (Interrupts.receive([SIGINT, SIGTERM]), ProxyClients())
        try WorkThread.start(named: "segue-proxy") { [zone = server.zone] in
            while let client = listener.accept() { signals.serve(client, choice, zone) }
        }
        while Interrupts.wait(for: [ended], seconds: nil).isEmpty {}
        if case .socket(let path) = listen { unsafe unlink(path) }
    }
}

/// The clients of a proxy, each with a thread of its own.
private final class ProxyClients: Sendable {
    private let count = Mutex(0)

    func serve(_ client: Int32, _ choice: ServerChoice, _ zone: String?) {
        let isRoom = count.withLock { count in
            guard count < ProxyVerb.mostClients else { return false }
            count += 1
            return true
        }
        guard isRoom else {
            close(client)
            return
        }
        do {
            try WorkThread.start(named: "segue-relay") { [self] in
                relay(client, choice, zone)
                count.withLock { $0 -= 1 }
            }
        } catch {
            close(client)
            count.withLock { $0 -= 1 }
        }
    }

    private func relay(_ client: Int32, _ choice: ServerChoice, _ zone: String?) {
        defer { close(client) }
        do {
            let limits = PatienceLimits(variable: TerminalTraits.variable)
            try RemoteConnection.open(choice, zone: zone, limits: limits).relay(to: client)
        } catch {
            Console.complain("\(error)")
        }
    }
}
