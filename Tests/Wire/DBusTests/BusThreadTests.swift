import DBus
import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

/// With a real message bus.
@Suite(.blocking, .enabled("dbus is not installed") { MessageBus.missing.isEmpty })
struct BusThreadTests {
    private static let path = ObjectPath(known: "/test")
    /// One value of each type, and containers in containers.
    private static let values: [BusValue] = [
        .byte(255), .boolean(true), .uint16(.max), .int32(.min), .uint32(.max), .int64(.min), .uint64(.max),
        .double(-0.5),
        .string("ä\u{1F3B5}"), .objectPath(path), .variant(.variant(.strings(["a", ""]))), .strings([]),
        .properties(["k": .int64(1), "l": .structure([.byte(0), .string("")])]),
    ]

    @Test func everyTypeComesBack() async throws {
        let bus = try await MessageBus()
        let (thread, echo, caller) = (BusThread(), Echo(), Echo())
        let address = BusAddress(bus.address)
        let server = thread.connect(BusPlan(address, names: ["org.segue.Echo"]), echo)
        let client = thread.connect(BusPlan(address, names: []), caller)
        try wait(for: "both connections") { echo.name == "org.segue.Echo" && caller.isConnected }
        #expect(try answer(client, "Echo", Self.values).get() == Self.values)
        #expect(throws: BusError("org.segue.No", "not \"so\"")) { try answer(client, "Refuse", []).get() }
        server.close()
        client.close()
    }

    @Test func aMessageOfManyValuesIsRefused() async throws {
        let bus = try await MessageBus()
        let (thread, echo) = (BusThread(), Echo())
        let address = BusAddress(bus.address)
        let server = thread.connect(BusPlan(address, names: ["org.segue.Echo"]), echo)
        let client = thread.connect(BusPlan(address), Echo())
        try wait(for: "the name") { echo.name != nil }
        let many = BusValue.array(Array(repeating: .byte(0), count: 5_000), of: "y")
        #expect(throws: BusError.self) { try answer(client, "Echo", [many]).get() }
        #expect(try answer(client, "Echo", [.byte(1)]).get() == [.byte(1)])
        server.close()
        client.close()
    }

    /// A bus that comes later is found when there is something to tell, and one that comes again by itself.
    @Test func aBusThatComesLater() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("bus")
        let (thread, echo) = (BusThread(), Echo())
        let server = thread.connect(BusPlan(BusAddress("unix:path=\(path)"), names: ["org.segue.Echo"]), echo)
        try wait(for: "the first failure") { echo.failures > 0 }
        for round in 0..<2 {
            let process = try ChildProcess("dbus-daemon", MessageBus.arguments(at: path))
            try wait(for: "the name") {
                if round == 0 { server.emit([BusSignal("News", of: "org.segue.Echo", at: Self.path)]) }
                return echo.name == "org.segue.Echo"
            }
            process.end()
            try wait(for: "the loss") { echo.name == nil }
        }
        server.close()
    }

    /// A name that is taken is passed over for the next one.
    @Test func namesThatAreTaken() async throws {
        let bus = try await MessageBus()
        let thread = BusThread()
        let plan = BusPlan(BusAddress(bus.address), names: ["org.segue.One", "org.segue.Two"])
        let (first, second) = (Echo(), Echo())
        let one = thread.connect(plan, first)
        try wait(for: "the first name") { first.name == "org.segue.One" }
        let two = thread.connect(plan, second)
        try wait(for: "the second name") { second.name == "org.segue.Two" }
        one.close()
        two.close()
    }

    /// A process that ends after `finish` has sent what it had to: the thread has done all that came before.
    @Test func nothingIsLeftBehindAtTheEnd() async throws {
        let bus = try await MessageBus()
        let (thread, echo) = (BusThread(), Echo())
        let address = BusAddress(bus.address)
        let server = thread.connect(BusPlan(address, names: ["org.segue.Echo"]), echo)
        let client = thread.connect(BusPlan(address), Echo())
        try wait(for: "the name") { echo.name != nil }
        let ended = DispatchSemaphore(value: 0)
        let events = Watched<[String]>([])
        client.call(MethodCall("Echo", of: "org.segue.Echo", at: Self.path, "org.segue.Echo", [])) { _ in
            events.withLock { $0.append("called") }
            // An end that does not wait for this comes first.
            _ = ended.wait(timeout: .now() + 0.3)
            events.withLock { $0.append("answered") }
        }
        try wait(for: "the answer") { events.current == ["called"] }
        await server.finish()
        events.withLock { $0.append("finished") }
        ended.signal()
        await client.finish()
        #expect(events.current == ["called", "answered", "finished"])
    }

    private func answer(
        _ client: BusConnection,
        _ member: String,
        _ arguments: [BusValue]
    ) throws -> Result<[BusValue], BusError> {
        let answer = Answer()
        client.call(MethodCall(member, of: "org.segue.Echo", at: Self.path, "org.segue.Echo", arguments)) {
            answer.give($0)
        }
        try wait(for: "an answer") { answer.result.withLock { $0 != nil } }
        return answer.result.withLock { $0 } ?? .failure(.disconnected)
    }

    private final class Answer: Sendable {
        let result = Mutex<Result<[BusValue], BusError>?>(nil)

        func give(_ new: Result<[BusValue], BusError>) { result.withLock { $0 = new } }
    }

    /// Gives back what it is called with.
    private final class Echo: BusPeer {
        private struct State {
            var name: String?
            var isConnected = false
            var failures = 0
        }
        private let state = Mutex(State())

        var name: String? { state.withLock { $0.name } }
        var isConnected: Bool { state.withLock { $0.isConnected } }
        var failures: Int { state.withLock { $0.failures } }

        func receive(_ call: MethodCall, _ answer: BusAnswer) {
            answer(call.member == "Echo" ? .success(call.arguments) : .failure(BusError("org.segue.No", "not \"so\"")))
        }

        func connected(as name: String?) {
            state.withLock { ($0.name, $0.isConnected) = (name, true) }
        }

        func disconnected(_ reason: String) {
            state.withLock {
                ($0.name, $0.isConnected) = (nil, false)
                $0.failures += 1
            }
        }
    }
}
