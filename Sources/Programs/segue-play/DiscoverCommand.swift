import ArgumentParser
import CommandOptions
import DBus
import Foreground
import Glibc
import TerminalText
import TextEncodings
import Zeroconf

struct Discover: AsyncParsableCommand {
    static let configuration = CommandConfiguration.discover
    @OptionGroup var options: DiscoverOptions

    func run() async throws {
        let servers: [DiscoveredServer]
        do {
            servers = DiscoveredServer.all(in: try await findServices(within: .seconds(saturating: options.timeout)))
        } catch {
            TextOutput.standardError.writeLines(["segue: \(DisplayText.harmless(error.description))"])
            throw ExitStatus.noOutput.exitCode
        }
        guard !servers.isEmpty || options.json else {
            TextOutput.standardError.writeLines(["segue: no server was found on the network"])
            throw ExitStatus.someFailed.exitCode
        }
        try write(servers)
    }

    private func write(_ servers: [DiscoveredServer]) throws {
        let inColour = TerminalTraits.takesColour(STDOUT_FILENO)
        let lines: [String]
        if let name = options.name {
            guard let server = servers.first(where: { $0.name.lowercased() == name.lowercased() }) else {
                let problem = "no server on the network is called '\(name)'; 'segue discover' lists them"
                TextOutput.standardError.writeLines(["segue: \(DisplayText.harmless(problem))"])
                throw ExitStatus.someFailed.exitCode
            }
            lines = [server.place]
        } else if options.json {
            lines = servers.map { ServerReport.json($0).text }
        } else if options.names {
            lines = servers.map { DisplayText.harmless($0.name) }
        } else {
            lines = ServerReport.lines(servers).map { $0.text(inColour: inColour) }
        }
        TextOutput.standardOutput.writeLines(lines)
    }
}

/// Why the network cannot be searched, as one line.
struct DiscoveryProblem: Error, CustomStringConvertible {
    let description: String
}

/// The servers of MPD's protocol on the network.
///
/// - Parameter patience: How long slow machines are waited for, and the first server; it takes about a second where all that
///   there are answer.
private func findServices(within patience: Duration) async throws(DiscoveryProblem) -> [FoundService] {
    let (events, event) = AsyncStream.makeStream(of: ServiceBrowser.Event.self)
    let browser = ServiceBrowser(.system, BusThread(), types: ["_segue._tcp", "_mpd._tcp"]) { event.yield($0) }
    defer { browser.close() }
    // The patience is with the network: this machine's own bus and Avahi may be slow besides.
    var end = finish(event, after: patience + .seconds(10))
    defer { end.cancel() }
    var found: [FoundService] = []
    for await news in events {
        switch news {
        case .searching:
            end.cancel()
            end = finish(event, after: patience)
        case .found(let service): found.append(service)
        // A server announces itself again only a second or two after its machine, or Avahi, has started.
        case .complete: if !found.isEmpty { return found }
        case .failed(let reason): throw DiscoveryProblem(description: reason)
        }
    }
    return found
}

private func finish(
    _ events: AsyncStream<ServiceBrowser.Event>.Continuation,
    after time: Duration
) -> Task<Void, any Error> {
    Task {
        try await Task.sleep(for: time)
        events.finish()
    }
}

extension DiscoveredServer {
    /// Each server once, by name; it may be seen through several interfaces, and as two services.
    fileprivate static func all(in services: [FoundService]) -> [DiscoveredServer] {
        let own = services.filter { $0.type == "_segue._tcp" }
        var servers: [DiscoveredServer] = []
        // IPv4 first, since link-local IPv6 addresses mean nothing without an interface.
        for service in (own + services.filter { $0.type == "_mpd._tcp" }).sorted(by: { isIPv4($0) && !isIPv4($1) }) {
            let facts = own.first { $0.host == service.host && $0.port == service.port }
            let isKnown = servers.contains { $0.host == service.host && $0.port == Int(service.port) }
            if !isKnown { servers.append(DiscoveredServer(service, facts)) }
        }
        return servers.sorted { ($0.name.lowercased(), $0.port) < ($1.name.lowercased(), $1.port) }
    }

    private static func isIPv4(_ service: FoundService) -> Bool { !service.address.contains(":") }

    private init(_ service: FoundService, _ facts: FoundService?) {
        self.init(
            name: facts?.name ?? service.name,
            host: service.host,
            address: service.address,
            port: Int(service.port),
            version: facts.map { $0["version"] ?? "" },
            zones: facts?["zones"]?.split(separator: ",").map(String.init) ?? [],
            webPort: facts?["web"].flatMap { UInt16($0) }.flatMap { $0 > 0 ? $0 : nil }
        )
    }
}
