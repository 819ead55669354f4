import AudioTypes
import LineProtocol
import NIOCore
import ServerBasics
import ServerRequests
import ServerRights
import ServerRooms
import ServiceTestSupport
import Settings
import TestSupport
import Testing
import Zones

/// A client that has a place in the registry, and no requests.
private final class Visitor: ClientConnection {
    let id: Int
    let principal: Principal
    let place: ClientPlace
    var zone: Zone
    var permissions = Permissions.read
    var requestBytes = 0
    var comesByHTTP: Bool { false }
    var isIdle = false
    var timesOut = true
    var lastHeard = NIODeadline.now()
    private(set) var isClosing = false
    let hasSaidAll = false
    private(set) var noted: Subsystems = []
    var closed: () -> Void = {}

    init(_ id: Int, from address: String, in zone: Zone) throws {
        self.id = id
        let listener = Listener(.tcp(host: nil, port: 1))
        principal = Principal(try #require(IPAddress(address)), server: nil, at: listener)
        place = ClientPlace(principal)
        self.zone = zone
    }

    var context: RequestContext { preconditionFailure("it has no requests") }
    let connectedAt = 0.0
    let lastUse = 0.0
    func upcoming(_ commands: Set<String>) -> [String] { [] }
    func resume(_ body: () throws -> Outcome) {}
    func refuseWhatRuns() {}
    func disconnected() {}

    func notify(_ changes: Subsystems) { noted.formUnion(changes) }

    let isPumped = Watched(false)

    func pump() { isPumped.withLock { $0 = true } }
    func playerHasRoom() { pump() }

    private(set) var hasEnded = false

    func accessChanged() -> Bool { permissions == .player }

    func endWhatIsNotPermitted() { hasEnded = true }

    func close() {
        isClosing = true
        requestBytes = 0
        closed()
    }
}

/// Clients that come, go, are told of changes, and take too much.
@Suite actor ConnectionRegistryTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private let rooms = TestRooms([ZoneSettings(name: "a"), ZoneSettings(name: "b")])
    private let lines = Watched<[String]>([])

    private func makeRegistry() -> ConnectionRegistry {
        ConnectionRegistry(rooms.configuration, loop: testLoop) { [lines] _, line in lines.withLock { $0.append(line) }
        }
    }

    @Test func changesAreToldInTheirZone() throws {
        let registry = makeRegistry()
        let (one, two) = (rooms.add("a").zone, rooms.add("b").zone)
        let visitors = try [one, two, two].enumerated().map { try Visitor($0, from: "192.0.2.1", in: $1) }
        for visitor in visitors { #expect(registry.admit(visitor)) }
        registry.notify(.player, in: two)
        registry.notify(.database)
        #expect(visitors.map(\.noted) == [.database, [.player, .database], [.player, .database]])
        #expect(registry.in(two).map(\.id).sorted() == [1, 2])
        #expect(registry.remove(1) === visitors[1])
        #expect(registry.remove(1) == nil)
        #expect(registry[1] == nil)
        #expect(registry.in(two).map(\.id) == [2])
    }

    @Test func aClientGoesOnLater() async throws {
        let registry = makeRegistry()
        let visitor = try Visitor(4, from: "192.0.2.1", in: rooms.add("a").zone)
        #expect(registry.admit(visitor))
        registry.pumpLater(4)
        registry.pumpLater(5)
        #expect(!visitor.isPumped.current)
        #expect(await visitor.isPumped.wait(within: .patience) { $0 })
        withExtendedLifetime(registry) {}
    }

    @Test func whoIsNotLetInIsLoggedOnce() throws {
        rooms.configuration.value.limits.maxConnectionsPerAddress = 2
        let registry = makeRegistry()
        let zone = rooms.add("a").zone
        let admitted = try (0..<5).map { registry.admit(try Visitor($0, from: "192.0.2.1", in: zone)) }
        #expect(admitted == [true, true, false, false, false])
        #expect(registry.admit(try Visitor(9, from: "192.0.2.2", in: zone)))
        #expect(lines.current == ["192.0.2.1: refused, for limits.max-connections-per-address"])
    }

    @Test func whoMayNotReadAnyMoreDoesNotWait() throws {
        let registry = makeRegistry()
        let zone = rooms.add("a").zone
        let (idle, busy) = (try Visitor(1, from: "192.0.2.1", in: zone), try Visitor(2, from: "192.0.2.1", in: zone))
        let other = try Visitor(3, from: "192.0.2.2", in: zone)
        other.isIdle = true
        #expect(registry.admit(other))
        idle.isIdle = true
        for visitor in [idle, busy] {
            visitor.permissions = .player
            #expect(registry.admit(visitor))
        }
        registry.accessChanged()
        #expect(!other.isClosing)
        #expect([idle, busy, other].map(\.hasEnded) == [true, true, false])
        #expect(idle.isClosing)
        #expect(!busy.isClosing)
    }

    /// The place that has most loses its largest client first, not the largest of all.
    @Test func whoTakesMostMemoryIsDisconnected() async throws {
        rooms.configuration.value.limits.maxRequestBytes = 100
        let registry = makeRegistry()
        let zone = rooms.add("a").zone
        let closed = Watched<[Int]>([])
        for (id, place, bytes) in [(1, "192.0.2.1", 50), (2, "192.0.2.2", 20), (3, "192.0.2.2", 40)] {
            let visitor = try Visitor(id, from: place, in: zone)
            visitor.requestBytes = bytes
            visitor.closed = { [unowned registry] in
                registry.requestBytesChanged(by: -bytes)
                closed.withLock { $0.append(id) }
            }
            #expect(registry.admit(visitor))
            registry.requestBytesChanged(by: bytes)
        }
        #expect(await closed.wait(within: .patience) { !$0.isEmpty })
        #expect(closed.current == [3])
        #expect(lines.current == ["192.0.2.2: disconnected, for limits.max-request-memory"])
        withExtendedLifetime(registry) {}
    }

    @Test func whoIsSilentIsDisconnected() async throws {
        rooms.configuration.value.limits.connectionTimeout = .milliseconds(80)
        let registry = makeRegistry()
        let zone = rooms.add("a").zone
        let closed = Watched<[Int]>([])
        for id in 1...3 {
            let visitor = try Visitor(id, from: "192.0.2.1", in: zone)
            // The first waits for changes, the last was heard of later.
            visitor.timesOut = id > 1
            if id == 3 { visitor.lastHeard = .now() + .milliseconds(150) }
            visitor.closed = { [unowned registry, unowned visitor] in
                _ = registry.remove(visitor.id)
                closed.withLock { $0.append(visitor.id) }
            }
            #expect(registry.admit(visitor))
        }
        #expect(await closed.wait(within: .patience) { $0.count == 2 })
        #expect(closed.current == [2, 3])
        #expect(registry.all.map(\.id) == [1])
    }
}

@Suite struct LimitLogTests {
    @Test func eachLimitIsLoggedOnceAMinute() {
        var log = LimitLog()
        let line = "max-line-size"
        let moments: [(limit: String?, second: Int64)] = [
            (line, 0), (line, 59), ("max-connections", 1), (nil, 1), (nil, 2), (line, 60), (line, 61),
        ]
        let due = moments.map { log.isDue($0.limit, at: .uptimeNanoseconds(1) + .seconds($0.second)) }
        #expect(due == [true, false, true, true, false, true, false])
    }
}
