import AudioTypes
import DBus
import Glibc
import MPRIS
import NIOCore
import ServerRooms
import ServiceTestSupport
import Settings
import Songs
import TestSupport
import Testing
import Zones

@testable import ServerNowPlaying

/// Zones as players on a message bus of the test's own.
@Suite(.enabled("dbus is not installed") { MessageBus.missing.isEmpty })
actor MediaPlayersTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    /// A program that looks at players.
    private final class Panel: BusPeer {
        let isConnected = Watched(false)
        /// The owners of names, which have come and gone.
        let owners = Watched<[String: String]>([:])
        /// The names of properties that have changed.
        let changed = Watched<[String]>([])
        private let connection = Watched<BusConnection?>(nil)

        init(_ bus: BusAddress, _ thread: BusThread) {
            let plan = BusPlan(
                bus,
                matches: [
                    "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'",
                    "type='signal',member='PropertiesChanged',path='/org/mpris/MediaPlayer2'",
                ]
            )
            let opened = thread.connect(plan, self)
            connection.withLock { $0 = opened }
        }

        func close() { connection.current?.close() }

        func connected(as name: String?) { isConnected.withLock { $0 = true } }

        func receive(_ signal: BusSignal) {
            if signal.member == "NameOwnerChanged", signal.arguments.count == 3, let name = signal.arguments[0].text {
                let owner = signal.arguments[2].text ?? ""
                return owners.withLock { $0[name] = owner.isEmpty ? nil : owner }
            }
            let entries = signal.arguments.count > 1 ? signal.arguments[1].elements ?? [] : []
            let names = entries.compactMap { if case .entry(.string(let name), _) = $0 { name } else { nil } }
            changed.withLock { $0 += names }
        }

        func call(_ member: String, of name: String) async -> Result<[BusValue], BusError> {
            let path = ObjectPath(known: "/org/mpris/MediaPlayer2")
            let call = MethodCall(member, of: "org.mpris.MediaPlayer2.Player", at: path, name)
            return await withCheckedContinuation { continuation in
                connection.current?.call(call) { continuation.resume(returning: $0) }
            }
        }
    }

    /// Shows the zones as they are, and notes the commands.
    private final class Source: MediaPlayerSource {
        private let rooms: Rooms
        private let traits = MediaPlayerTraits(uriSchemes: [], mimeTypes: [], playlistCount: 0, address: { $0 })
        let lines = Watched<[String]>([])
        /// The zones that were shown, one after another.
        var zones: [String] = []
        var gone: [String] = []
        var performed: [String] = []
        var reply: PlayerReply = .success([])
        var arePlayers = true

        init(_ rooms: Rooms) { self.rooms = rooms }

        var zonesOnBus: [Zone] { arePlayers ? rooms.zones : [] }
        var shownElected: ShownPlayer { ShownPlayer(rooms.defaultZone, traits, art: nil) }
        var log: @Sendable (LogLevel, String) -> Void { { [lines] _, line in lines.withLock { $0.append(line) } } }

        func shown(_ zone: Zone) -> ShownPlayer {
            zones.append(zone.name)
            return ShownPlayer(zone, traits, art: nil)
        }

        func perform(_ command: MediaPlayerCommand, in zone: Zone, then: @escaping (PlayerReply) -> Void) {
            performed.append("\(command) \(zone.name)")
            then(reply)
        }

        func performOnElected(_ command: MediaPlayerCommand, then: @escaping (PlayerReply) -> Void) {
            performed.append("\(command) elected")
            then(reply)
        }

        func removed(_ zone: String) { gone.append(zone) }
    }

    private final class Stage {
        let rooms = TestRooms()
        let loop = TestLoop()
        let thread = BusThread()
        let panel: Panel
        let players: MediaPlayers
        let source: Source

        init(_ bus: BusAddress) {
            for name in ["default", "a"] { rooms.add(name) }
            panel = Panel(bus, thread)
            source = Source(rooms.rooms)
            players = MediaPlayers(rooms.rooms, bus, thread, loop: loop, source)
        }

        deinit {
            players.close()
            panel.close()
        }

        var zone: Zone? { rooms.rooms.zone(named: "a") }

        func change() {
            players.changed()
            loop.runReady()
        }
    }

    private static let base = "org.mpris.MediaPlayer2.segue"

    private func makeStage(_ bus: MessageBus) async throws -> Stage {
        let stage = Stage(BusAddress(bus.address))
        #expect(await stage.panel.isConnected.wait(within: .patience) { $0 })
        stage.change()
        guard await stage.loop.wait(until: { stage.players.names.count == 3 }) else {
            throw TestRooms.Missing(what: "names; there are \(stage.players.names)")
        }
        return stage
    }

    @Test func zonesHaveNamesWhileTheyAreThere() async throws {
        let bus = try await MessageBus()
        let stage = try await makeStage(bus)
        #expect(stage.players.names[nil] == Self.base)
        #expect(stage.players.names["default"] == Self.base + ".zone_default")
        #expect(stage.players.names["a"] == Self.base + ".zone_a")
        #expect(stage.source.lines.current == ["media keys and desktops reach this server as \(Self.base)"])
        // Each has a connection of its own.
        #expect(await stage.panel.owners.wait(within: .patience) { $0.count { $0.key.hasPrefix(Self.base) } == 3 })
        let owners = stage.panel.owners.current.filter { $0.key.hasPrefix(Self.base) }
        #expect(Set(owners.values).count == 3)
        let zone = try #require(stage.zone)
        stage.rooms.rooms.remove(zone)
        stage.loop.pass(1)
        stage.change()
        #expect(stage.source.gone == ["a"] && stage.players.names.keys.compactMap(\.self) == ["default"])
        #expect(await stage.panel.owners.wait(within: .patience) { $0[Self.base + ".zone_a"] == nil })
        stage.rooms.add("b")
        stage.loop.pass(1)
        stage.change()
        #expect(await stage.loop.wait { stage.players.names["b"] != nil })
        // Where zones are to be no players, the elected one is left.
        stage.source.arePlayers = false
        stage.loop.pass(1)
        stage.change()
        #expect(stage.source.gone.sorted() == ["a", "b", "default"])
        #expect(await stage.panel.owners.wait(within: .patience) { $0.count { $0.key.hasPrefix(Self.base) } == 1 })
        withExtendedLifetime(bus) {}
    }

    /// A second server has other names.
    @Test func namesThatAreTaken() async throws {
        let bus = try await MessageBus()
        let first = try await makeStage(bus)
        let second = try await makeStage(bus)
        #expect(second.players.names["a"] == Self.base + ".zone_a.instance\(getpid())")
        #expect(second.players.names[nil] == Self.base + ".instance\(getpid())")
        withExtendedLifetime((bus, first)) {}
    }

    /// Clients that add songs one by one do not cause as many signals.
    @Test func changesAreGathered() async throws {
        let bus = try await MessageBus()
        let stage = try await makeStage(bus)
        stage.loop.pass(1)
        stage.source.zones = []
        for _ in 0..<3 { stage.players.changed() }
        #expect(stage.source.zones.isEmpty, "after what has changed them")
        stage.loop.runReady()
        #expect(stage.source.zones.sorted() == ["a", "default"])
        for _ in 0..<3 { stage.change() }
        stage.loop.pass(0.019)
        #expect(stage.source.zones.count == 2)
        stage.loop.pass(0.001)
        #expect(stage.source.zones.count == 4 && stage.loop.waitingCount == 0)
        stage.loop.pass(0.01)
        stage.change()
        stage.loop.pass(0.009)
        #expect(stage.source.zones.count == 4)
        stage.loop.pass(0.001)
        #expect(stage.source.zones.count == 6)
        withExtendedLifetime(bus) {}
    }

    @Test func changesAreTold() async throws {
        let bus = try await MessageBus()
        let stage = try await makeStage(bus)
        #expect(await stage.panel.owners.wait(within: .patience) { $0.count { $0.key.hasPrefix(Self.base) } == 3 })
        _ = try stage.zone?.add([Song(uri: "a.flac")])
        stage.loop.pass(1)
        stage.change()
        #expect(await stage.panel.changed.wait(within: .patience) { $0.contains("CanPlay") })
        withExtendedLifetime(bus) {}
    }

    @Test func commandsReachTheirZones() async throws {
        let bus = try await MessageBus()
        let stage = try await makeStage(bus)
        stage.source.zones = []
        #expect(try await stage.panel.call("Stop", of: Self.base + ".zone_a").get() == [])
        #expect(stage.source.performed == ["stop a"])
        #expect(stage.source.zones.sorted() == ["a", "default"], "the answer comes when the bus shows what it led to")
        stage.source.reply = .failure(.failed("no"))
        let refused = await stage.panel.call("Stop", of: Self.base)
        #expect(throws: BusError.failed("no")) { try refused.get() }
        #expect(stage.source.performed == ["stop a", "stop elected"])
        // A zone that the bus still shows.
        let zone = try #require(stage.zone)
        stage.rooms.rooms.remove(zone)
        let late = await stage.panel.call("Stop", of: Self.base + ".zone_a")
        #expect(throws: BusError.failed("the zone is gone")) { try late.get() }
        withExtendedLifetime(bus) {}
    }

    @Test func theEndGivesNamesBack() async throws {
        let bus = try await MessageBus()
        let stage = try await makeStage(bus)
        #expect(await stage.panel.owners.wait(within: .patience) { $0.count { $0.key.hasPrefix(Self.base) } == 3 })
        stage.loop.pass(1)
        stage.source.zones = []
        stage.players.changed()
        stage.players.close()
        stage.loop.pass(1)
        stage.change()
        #expect(stage.source.zones.isEmpty)
        #expect(await stage.panel.owners.wait(within: .patience) { !$0.contains { $0.key.hasPrefix(Self.base) } })
        withExtendedLifetime(bus) {}
    }
}
