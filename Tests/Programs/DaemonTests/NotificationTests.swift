import DBus
import Foundation
import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// What clients ask of the owner, as dunst shows it on a screen and a message bus of the test's own.
@Suite(.blocking, .enabled("dunst, xvfb or dbus is not installed") { desktopPrograms.isEmpty })
struct NotificationTests {
    /// The desktop's part that opens pages, which would want a browser here.
    private final class Portal: BusPeer {
        private let state = Watched<(connection: BusConnection?, addresses: [String])>((nil, []))

        init(_ bus: MessageBus, _ thread: BusThread) {
            let plan = BusPlan(BusAddress(bus.address), names: ["org.freedesktop.portal.Desktop"])
            let connection = thread.connect(plan, self)
            state.withLock { $0.connection = connection }
        }

        var addresses: [String] { state.current.addresses }

        func receive(_ call: MethodCall, _ answer: BusAnswer) {
            guard call.member == "OpenURI", let address = call.arguments[1].text else {
                return answer(.failure(.unknownMethod(call.member)))
            }
            state.withLock { $0.addresses.append(address) }
            answer(.success([.objectPath(ObjectPath(known: "/request"))]))
        }

        func close() { state.withLock { $0.connection.take() }?.close() }
    }

    private final class Stage {
        let bus: MessageBus
        let place: Place
        let screen: ChildProcess
        let desktop: ChildProcess
        let client: BusClient
        let portal: Portal

        init() async throws {
            bus = try await MessageBus()
            place = try Place()
            screen = try ChildProcess("Xvfb", ["-displayfd", "1", "-screen", "0", "320x240x24", "-nolisten", "tcp"])
            try await screen.waitForOutput("\n")
            // Nothing disappears by itself.
            let settings = try place.folder.write("dunstrc", "[global]\nmarkup = full\n[urgency_normal]\ntimeout = 0\n")
            let display = ["DISPLAY": ":" + screen.outputText.trimmingCharacters(in: .newlines)]
            let environment = Programs.environment(bus.environment.merging(display) { $1 })
            desktop = try ChildProcess("dunst", ["-config", settings], environment: environment)
            client = try BusClient(bus)
            portal = Portal(bus, BusThread())
            try client.waitForName("org.freedesktop.Notifications")
            try client.waitForName("org.freedesktop.portal.Desktop")
        }

        deinit {
            portal.close()
            desktop.end()
            screen.end()
        }

        func call(_ member: String, _ arguments: [BusValue] = [], of interface: String = control) throws -> [BusValue] {
            let path = ObjectPath(known: "/org/freedesktop/Notifications")
            return try client.call(MethodCall(member, of: interface, at: path, Self.name, arguments))
        }

        func wait(for count: UInt32) throws {
            let count = BusValue.variant(.uint32(count))
            try TestSupport.wait(for: "\(count) notifications") {
                let arguments = [BusValue.string(Self.control), .string("displayedLength")]
                return try call("Get", arguments, of: "org.freedesktop.DBus.Properties") == [count]
            }
        }

        /// Writes the configuration of a server.
        ///
        /// - Returns: The file.
        func configuration(_ port: UInt16, _ more: String = "") throws -> String {
            try place.folder.write(
                "segued.toml",
                """
                \(more)
                listen = ["unix:\(place.socket)"]
                music-directory = "\(place.folder.file("music"))"
                state-directory = "\(place.folder.file("state"))"
                library-file = "\(place.folder.file("library"))"
                [web]
                listen = ["tcp:127.0.0.1:\(port)"]
                [[output]]
                type = "null"
                name = "main"

                """
            )
        }

        /// The texts of those that are gone, the newest first.
        func history() throws -> [[String: String]] {
            try (call("NotificationListHistory").first?.elements ?? []).map { entry in
                let pairs = (entry.elements ?? []).compactMap { pair -> (String, String)? in
                    guard case .entry(.string(let key), .variant(.string(let value))) = pair else { return nil }
                    return (key, value)
                }
                return Dictionary(pairs) { $1 }
            }
        }

        private static let name = "org.freedesktop.Notifications"
        static let control = "org.dunstproject.cmd0"
    }

    @Test func theOwnerIsTold() async throws {
        let stage = try await Stage()
        let port = try steadyPort()
        let daemon = try Segued(
            in: stage.place,
            ["--config", try stage.configuration(port)],
            environment: stage.bus.environment,
            web: true
        )
        try daemon.waitUntilReady()
        let (frame, owner) = (try daemon.connect(), try daemon.connect())
        try frame.run("picker", "open", "limit", "5", "prompt", "<b>kitchen</b> & hall")
        try stage.wait(for: 1)
        // A press opens the page that answers.
        _ = try stage.call("NotificationAction", [.uint32(0)])
        try wait(for: "the page") { stage.portal.addresses == ["http://127.0.0.1:\(port)/#/pick/p1"] }
        // An owner who begins to answer has seen it.
        try owner.run("picking", "take", "p1")
        try stage.wait(for: 0)
        let shown = try #require(try stage.history().first)
        #expect(shown["appname"] == "Segue")
        #expect(shown["summary"]?.hasSuffix(" asks for up to 5 pictures") == true)
        #expect(shown["body"] == "“&lt;b&gt;kitchen&lt;/b&gt; &amp; hall”\nIt will see only what you choose.")
        // Who turns them off is rid of those that are there.
        try frame.run("picker", "open")
        try stage.wait(for: 1)
        _ = try stage.configuration(port, "desktop-notifications = false")
        daemon.process.kill(SIGHUP)
        try stage.wait(for: 0)
        _ = try stage.configuration(port)
        daemon.process.kill(SIGHUP)
        // Nothing stays on the screen when the server ends, of clients that are not there either.
        let password = try owner.run("clients", "password", "frame", "permissions", "read")["password"]
        try frame.run("password", try #require(password))
        try frame.run("picker", "open", "lasting")
        try stage.wait(for: 1)
        _ = try await daemon.terminate()
        try stage.wait(for: 0)
    }
}

/// The programs that are missing for these tests.
private let desktopPrograms = MessageBus.missing + ChildProcess.missing("dunst", "Xvfb")
