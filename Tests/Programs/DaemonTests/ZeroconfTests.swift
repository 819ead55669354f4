import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Servers on a network of two machines with avahi-daemon, found by `segue discover` on one of them.
@Suite(
    .blocking,
    .serialized,
    .enabled("avahi-daemon, dbus or iproute2 is not installed") { AvahiDaemon.missing.isEmpty },
    .enabled("the system lets no test have networks of its own") { NetworkNamespace.isAllowed }
)
struct ZeroconfTests {
    private static let (here, there) = ("10.77.5.1", "10.77.5.2")

    /// Two machines, the first with a server.
    private final class Stage {
        let pi: AvahiDaemon
        let desk: AvahiDaemon
        let place: Place
        let daemon: Segued

        init(_ configuration: String) async throws {
            let (first, second) = try NetworkNamespace.pair(here, there)
            pi = try await AvahiDaemon("pi", in: first)
            desk = try await AvahiDaemon("desk", in: second)
            place = try Place()
            try place.folder.write("segued.toml", configuration)
            daemon = try Self.start(place, on: pi)
            try daemon.waitUntilReady()
        }

        static func start(_ place: Place, on machine: AvahiDaemon) throws -> Segued {
            try Segued(
                in: place,
                place.arguments.filter { $0 != "--listen" && !$0.hasPrefix("unix:") }
                    + ["--config", place.folder.file("segued.toml")],
                environment: machine.bus.environment,
                script: "exec " + machine.network.command(["\"$@\""]).joined(separator: " "),
                web: true
            )
        }

        /// What `segue` says on the other machine.
        func segue(_ words: String...) async throws -> ChildProcess.Result {
            let command = desk.network.command([try Programs.path("segue")] + words)
            let environment = Programs.environment(desk.bus.environment)
            return try await ChildProcess(command[0], Array(command.dropFirst()), environment: environment).wait()
        }

        /// The output of a program on the other machine.
        func run(_ words: String...) async throws -> String {
            let command = desk.network.command(words)
            let environment = Programs.environment(desk.bus.environment)
            return try await ChildProcess(command[0], Array(command.dropFirst()), environment: environment).wait()
                .outputText
        }

        /// Waits until `segue discover` lists exactly these lines.
        func waitForList(_ lines: [String], _ place: SourceLocation = #_sourceLocation) async throws {
            let end = ContinuousClock.now + .patience
            var found: [String] = []
            while ContinuousClock.now < end {
                found = try await segue("discover").outputText.split(separator: "\n").map(String.init)
                if found == lines { return }
            }
            #expect(found == lines, "\(daemon.process.errorText)\(pi.log)\(desk.log)", sourceLocation: place)
        }
    }

    private func configuration(_ listeners: String, _ more: String = "") -> String {
        "listen = [\(listeners)]\nallow-anonymous = \"lan\"\nzeroconf-name = \"Music on it\"\n\(more)"
    }

    /// Found by name, with its zones as they come; asked by that name; gone when it ends.
    @Test func aServerIsFound() async throws {
        let stage = try await Stage(configuration("\"tcp::6600\""))
        try await stage.waitForList(["Music on it  pi.local:6600  [\(Self.here), zones: default]"])
        let asked = try await stage.segue("--host", "music on it", "zone", "new", "kitchen")
        #expect(asked.status == .code(0), "\(asked.errorText)")
        try await stage.waitForList(["Music on it  pi.local:6600  [\(Self.here), zones: default, kitchen]"])
        let json = try await stage.segue("discover", "--timeout", "30", "--json").outputText
        #expect(
            json.hasPrefix(
                "{\"name\":\"Music on it\",\"host\":\"pi.local\",\"address\":\"\(Self.here)\",\"port\":6600,"
            )
        )
        #expect(
            try await stage.segue("discover", "--timeout", "30", "--name", "MUSIC ON IT").outputText
                == "\(Self.here):6600\n"
        )
        let unknown = try await stage.segue("discover", "--timeout", "30", "--name", "x")
        #expect(unknown.status == .code(1))
        #expect(unknown.errorText == "segue: no server on the network is called 'x'; 'segue discover' lists them\n")
        _ = try await stage.daemon.terminate()
        try await stage.waitForList([])
    }

    /// MPD's clients find it as MPD's service, at the one address where it listens.
    @Test func itIsAnMPDServer() async throws {
        let stage = try await Stage(configuration("\"tcp:\(Self.here):6655\""))
        try await stage.waitForList(["Music on it  pi.local:6655  [\(Self.here), zones: default]"])
        let seen = try await stage.run("avahi-browse", "--parsable", "--resolve", "--terminate", "_mpd._tcp")
        #expect(seen.contains(";local;pi.local;\(Self.here);6655;"), "\(seen)")
        #expect(!seen.contains("IPv6"))
    }

    /// Browsers find it as a website, and `segue discover` shows its address, at which the other machine is answered.
    @Test func itIsAWebsite() async throws {
        let stage = try await Stage(configuration("\"tcp::6600\"", "[web]\nlisten = \"tcp:\(Self.here):6680\"\n"))
        let site = "http://\(Self.here):6680/"
        // The service of all networks does not have the port that only one of them has.
        try await stage.waitForList(["Music on it  pi.local:6600  [\(Self.here), zones: default]"])
        try stage.place.folder.write(
            "segued.toml",
            configuration("\"tcp::6600\"", "[web]\nlisten = \"tcp::6680\"\n")
        )
        _ = try await stage.daemon.terminate()
        let open = try Stage.start(stage.place, on: stage.pi)
        try open.waitUntilReady()
        try await stage.waitForList(["Music on it  pi.local:6600  [\(Self.here), zones: default, \(site)]"])
        let json = try await stage.segue("discover", "--timeout", "30", "--json").outputText
        #expect(json.hasSuffix(",\"web\":\"\(site)\"}\n"))
        #expect(try await stage.run("curl", "--silent", site + "health").contains("\"status\":\"ok\""))
        let seen = try await stage.run("avahi-browse", "--parsable", "--resolve", "--terminate", "_http._tcp")
        #expect(seen.contains(";local;pi.local;\(Self.here);6680;\"path=/\""), "\(seen)")
        _ = try await open.terminate()
    }

    /// A second server of that name gets another one, on this machine and on another.
    @Test func namesThatAreTaken() async throws {
        let stage = try await Stage(configuration("\"tcp::6600\""))
        let first = "Music on it     pi.local:6600  [\(Self.here), zones: default]"
        var daemons: [Segued] = []
        for (machine, port) in [(stage.pi, 6601), (stage.desk, 6600)] {
            let place = try Place()
            try place.folder.write("segued.toml", configuration("\"tcp::\(port)\""))
            daemons.append(try Stage.start(place, on: machine))
            try daemons.last?.waitUntilReady()
            if port == 6601 {
                try await stage.waitForList([first, "Music on it #2  pi.local:6601  [\(Self.here), zones: default]"])
            }
        }
        try await stage.waitForList([
            first, "Music on it #2  pi.local:6601  [\(Self.here), zones: default]",
            "Music on it #3  desk.local:6600  [\(Self.there), zones: default]",
        ])
        for daemon in daemons { _ = try await daemon.terminate() }
        try await stage.waitForList(["Music on it  pi.local:6600  [\(Self.here), zones: default]"])
    }

    /// It is seen again when Avahi was restarted, and not when that is configured or only this machine can connect.
    @Test func itComesAndGoes() async throws {
        let stage = try await Stage(configuration("\"tcp::6600\""))
        let line = "Music on it  pi.local:6600  [\(Self.here), zones: default]"
        try await stage.waitForList([line])
        stage.pi.stop()
        try await stage.waitForList([])
        try stage.pi.start()
        // A single try waits until the server has announced itself again.
        #expect(try await stage.segue("discover", "--timeout", "30").outputText == line + "\n")
        try stage.place.folder.write("segued.toml", configuration("\"tcp::6600\"", "zeroconf = false\n"))
        stage.daemon.process.kill(SIGHUP)
        try await stage.waitForList([])
        #expect(try await stage.segue("discover").errorText == "segue: no server was found on the network\n")
        try stage.place.folder.write(
            "segued.toml",
            configuration("\"tcp::6600\"").replacing("Music on it", with: "Other")
        )
        stage.daemon.process.kill(SIGHUP)
        try await stage.waitForList(["Other  pi.local:6600  [\(Self.here), zones: default]"])
    }

    @Test func aLoopbackListenerIsNotSeen() async throws {
        let stage = try await Stage(configuration("\"tcp:127.0.0.1:6600\""))
        let place = try Place()
        try place.folder.write("segued.toml", configuration("\"tcp::6601\"").replacing("Music on it", with: "Open"))
        let open = try Stage.start(place, on: stage.pi)
        try open.waitUntilReady()
        // The one that listens at loopback started before.
        try await stage.waitForList(["Open  pi.local:6601  [\(Self.here), zones: default]"])
        _ = try await open.terminate()
    }

    @Test func withoutAvahi() async throws {
        let bus = try await MessageBus()
        let environment = Programs.environment(bus.environment)
        let result = try await ChildProcess(try Programs.path("segue"), ["discover"], environment: environment).wait()
        #expect(result.status == .code(3))
        let reason = "avahi-daemon does not run here; install and start it: apt install avahi-daemon"
        #expect(result.errorText == "segue: \(reason)\n")
    }
}
