import DBus
import Foundation
import MPRIS
import Synchronization
import TestSupport

/// A client of a message bus that keeps the signals of players, and waits for its answers.
final class BusClient: BusPeer {
    private struct State {
        var isConnected = false
        var signals: [BusSignal] = []
        var answer: Result<[BusValue], BusError>?
        var player = "org.mpris.MediaPlayer2.segue"
    }

    private let state = Mutex(State())
    private let thread = BusThread()
    private let connection = Mutex<BusConnection?>(nil)

    init(_ bus: MessageBus) throws {
        let plan = BusPlan(BusAddress(bus.address), matches: ["type='signal',path='/org/mpris/MediaPlayer2'"])
        let new = thread.connect(plan, self)
        connection.withLock { $0 = new }
        try wait(for: "the bus") { state.withLock { $0.isConnected } }
    }

    /// The player that is asked.
    var player: String {
        get { state.withLock { $0.player } }
        set { state.withLock { $0.player = newValue } }
    }

    func connected(as name: String?) { state.withLock { $0.isConnected = true } }

    func receive(_ signal: BusSignal) {
        if signal.path == MediaPlayerInterfaces.path { state.withLock { $0.signals.append(signal) } }
    }

    func takeSignals() -> [BusSignal] {
        state.withLock { state in
            defer { state.signals = [] }
            return state.signals
        }
    }

    /// How many signals of a name have come and were not taken.
    func count(of member: String) -> Int { state.withLock { $0.signals.count { $0.member == member } } }

    // MARK: Calls

    private func begin(_ call: MethodCall) {
        state.withLock { $0.answer = nil }
        connection.withLock { $0 }?.call(call) { [self] result in state.withLock { $0.answer = result } }
    }

    /// Calls a method, whose answer `end` waits for.
    func begin(_ member: String, _ arguments: [BusValue], of interface: String = "org.mpris.MediaPlayer2.Player") {
        begin(MethodCall(member, of: interface, at: MediaPlayerInterfaces.path, player, arguments))
    }

    func end() throws -> Result<[BusValue], BusError> {
        try wait(for: "an answer") { state.withLock { $0.answer != nil } }
        return state.withLock { $0.answer } ?? .failure(.disconnected)
    }

    func call(
        _ member: String,
        _ arguments: [BusValue] = [],
        of interface: String = "org.mpris.MediaPlayer2.Player"
    ) throws -> [BusValue] {
        begin(member, arguments, of: interface)
        return try end().get()
    }

    func call(_ call: MethodCall) throws -> [BusValue] {
        begin(call)
        return try end().get()
    }

    func emit(_ signal: BusSignal) { connection.withLock { $0 }?.emit([signal]) }

    func get(_ property: String, of interface: String = "org.mpris.MediaPlayer2.Player") throws -> BusValue? {
        let arguments: [BusValue] = [.string(interface), .string(property)]
        return try call("Get", arguments, of: "org.freedesktop.DBus.Properties").first?.unwrapped
    }

    /// The current track's id.
    func track() throws -> String {
        for entry in try get("Metadata")?.elements ?? [] {
            if case .entry(.string("mpris:trackid"), .variant(.objectPath(let path))) = entry {
                return path.description
            }
        }
        return ""
    }

    func names() throws -> [String] {
        let path = ObjectPath(known: "/org/freedesktop/DBus")
        begin(MethodCall("ListNames", of: "org.freedesktop.DBus", at: path, "org.freedesktop.DBus"))
        return try end().get().first?.elements?.compactMap(\.text) ?? []
    }

    func waitForName(_ name: String) throws {
        try wait(for: name) { try names().contains(name) }
    }
}
