import DBus
import Foundation
import Glibc
import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// The machine's sleep, as an imitation of systemd-logind on a bus of the test's own tells of it.
@Suite(.blocking, .enabled("dbus or python3-dbusmock is not installed") { sleepPrograms.isEmpty })
struct SleepTests {
    /// A bus with a logind that keeps locks and has no machine to put to sleep.
    private final class Stage {
        let bus: MessageBus
        let place: Place
        let logind: ChildProcess
        let client: BusClient

        init(in folder: TemporaryFolder? = nil) async throws {
            bus = try await MessageBus(in: folder)
            place = try Place()
            let words = ["-m", "dbusmock", "--system", "--template", "logind"]
            logind = try ChildProcess("/usr/bin/python3", words, environment: Programs.environment(bus.environment))
            client = try BusClient(bus)
            try client.waitForName("org.freedesktop.login1")
        }

        deinit { logind.end() }

        private func call(_ member: String, of interface: String, _ arguments: [BusValue] = []) throws -> [BusValue] {
            let path = ObjectPath(known: "/org/freedesktop/login1")
            return try client.call(MethodCall(member, of: interface, at: path, "org.freedesktop.login1", arguments))
        }

        /// The locks, as `what who mode`.
        func locks() throws -> [String] {
            let found = try call("ListInhibitors", of: "org.freedesktop.login1.Manager").first?.elements ?? []
            return found.compactMap { lock in
                guard case .structure(let parts) = lock else { return nil }
                return [0, 1, 3].compactMap { parts[$0].text }.joined(separator: " ")
            }
            .sorted()
        }

        func prepareForSleep(_ isGoing: Bool) throws {
            let arguments: [BusValue] = [
                .string("org.freedesktop.login1.Manager"), .string("PrepareForSleep"), .string("b"),
                .array([.variant(.boolean(isGoing))], of: "v"),
            ]
            _ = try call("EmitSignal", of: "org.freedesktop.DBus.Mock", arguments)
        }

        func wait(for locks: [String]) throws {
            try TestSupport.wait(for: "the locks \(locks)") { try self.locks() == locks }
        }
    }

    /// Row 65.
    @Test func zonesFadeOutAndComeBack() async throws {
        let stage = try await Stage()
        let daemon = try Segued(in: stage.place, stage.place.arguments, environment: stage.bus.environment)
        try daemon.waitUntilReady()
        try stage.wait(for: ["sleep segued delay"])
        let remote = try daemon.connect()
        try remote.run("add", "")
        try remote.run("play")
        _ = try remote.wait { $0.state == .playing && $0.elapsed ?? 0 > 0.2 }
        try stage.prepareForSleep(true)
        // The machine may sleep when the sound has faded out.
        try stage.wait(for: [])
        #expect(ServerStatus(try remote.run("status")).state == .paused)
        #expect(try remote.run("why")["cause"]?.contains("the machine's sleep") == true)
        try stage.prepareForSleep(false)
        _ = try remote.wait { $0.state == .playing }
        try stage.wait(for: ["sleep segued delay"])
        let events = try remote.run("session", "events").groups(startingWith: "event")
        #expect(events.filter { $0["type"] == "routeChanged" }.map { $0["reason"] } == ["6 wakeFromSleep"])
        // What was paused stays paused.
        try remote.run("pause", "1")
        try stage.prepareForSleep(true)
        try stage.wait(for: [])
        try stage.prepareForSleep(false)
        try stage.wait(for: ["sleep segued delay"])
        #expect(ServerStatus(try remote.run("status")).state == .paused)
    }

    /// A bus that is started after the server is found when something plays, and with it the machine's sleep.
    @Test func aLateBusIsUsed() async throws {
        let folder = try TemporaryFolder()
        let place = try Place()
        let daemon = try Segued(in: place, place.arguments, environment: MessageBus.environment(in: folder))
        try daemon.waitUntilReady()
        let remote = try daemon.connect()
        try remote.run("add", "")
        let stage = try await Stage(in: folder)
        try remote.run("play")
        _ = try remote.wait { $0.state == .playing && $0.elapsed ?? 0 > 0.1 }
        try stage.wait(for: ["sleep segued delay"])
        try stage.prepareForSleep(true)
        try stage.wait(for: [])
        #expect(ServerStatus(try remote.run("status")).state == .paused)
    }

    /// A signal that is not logind's is no sleep.
    @Test func othersCannotPause() async throws {
        let stage = try await Stage()
        let daemon = try Segued(in: stage.place, stage.place.arguments, environment: stage.bus.environment)
        try daemon.waitUntilReady()
        try stage.wait(for: ["sleep segued delay"])
        let remote = try daemon.connect()
        try remote.run("add", "")
        try remote.run("play")
        let path = ObjectPath(known: "/org/freedesktop/login1")
        stage.client.emit(
            BusSignal("PrepareForSleep", of: "org.freedesktop.login1.Manager", at: path, [.boolean(true)])
        )
        _ = try remote.wait { $0.elapsed ?? 0 > 0.3 }
        #expect(ServerStatus(try remote.run("status")).state == .playing)
        #expect(try stage.locks() == ["sleep segued delay"])
    }

    /// Row 116.
    @Test func theForegroundKeepsTheMachineAwake() async throws {
        let stage = try await Stage()
        let player = try ChildProcess(
            try Programs.path("segue-play"),
            ["play", "--output", "null", "--inhibit-sleep", stage.place.folder.file("music/one.wav")],
            environment: Programs.environment(stage.bus.environment)
        )
        stage.client.player = "org.mpris.MediaPlayer2.segue.instance\(player.pid)"
        let (delay, block) = ("sleep segue play delay", "sleep:idle segue play block")
        try stage.wait(for: [delay, block])
        try stage.client.waitForName(stage.client.player)
        _ = try stage.client.call("Pause")
        try stage.wait(for: [delay])
        _ = try stage.client.call("Play")
        try stage.wait(for: [delay, block])
        try stage.prepareForSleep(true)
        try stage.wait(for: [])
        #expect(try stage.client.get("PlaybackStatus") == .string("Paused"))
        try stage.prepareForSleep(false)
        try stage.wait(for: [delay, block])
        #expect(try stage.client.get("PlaybackStatus") == .string("Playing"))
        player.kill(SIGTERM)
        _ = try await player.wait(within: .patience)
        try stage.wait(for: [])
    }
}

/// The programs that are missing for these tests.
private let sleepPrograms: [String] = {
    let isThere = FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/dbusmock/templates/logind.py")
    return MessageBus.missing + (isThere ? [] : ["python3-dbusmock"])
}()
