import DBus
import TestSupport

/// A desktop's program on a real message bus, which keeps the notifications that it would show, or the pages that it would
/// open.
final class TestDesktop: BusPeer {
    struct Shown: Sendable, Equatable {
        var number: UInt32
        var summary: String
        var body: String
        var actions: [String]
    }

    private struct State {
        var connection: BusConnection?
        var isConnected = false
        var lastNumber: UInt32 = 10
        var shown: [Shown] = []
        /// Answers to `Notify` and `OpenURI` that are held back.
        var held: [@Sendable () -> Void] = []
        var holds = false
        var isStarting = false
        var calls: [MethodCall] = []
    }

    private let state: Watched<State>
    private let capabilities: [String]
    private let opens: Bool

    static let name = "org.freedesktop.Notifications"
    static let portal = "org.freedesktop.portal.Desktop"
    static let path = ObjectPath(known: "/org/freedesktop/Notifications")

    /// - Parameters:
    ///   - name: That of the specification, or of the portal.
    ///   - opens: Whether a page that is to be opened is.
    ///   - isStarting: Whether calls fail until ``start()``, as those of a program whose screen is not there yet.
    init(
        _ bus: MessageBus,
        _ thread: BusThread,
        name: String = TestDesktop.name,
        capabilities: [String] = ["actions", "body", "body-markup"],
        opens: Bool = true,
        isStarting: Bool = false
    ) throws {
        state = Watched(State(isStarting: isStarting))
        (self.capabilities, self.opens) = (capabilities, opens)
        let connection = thread.connect(BusPlan(BusAddress(bus.address), names: [name]), self)
        state.withLock { $0.connection = connection }
        try wait(for: name) { state.current.isConnected }
    }

    var shown: [Shown] { state.current.shown }
    /// All calls of a method, with those that came again.
    func calls(_ member: String) -> [[BusValue]] {
        state.current.calls.filter { $0.member == member }.map(\.arguments)
    }

    func start() { state.withLock { $0.isStarting = false } }

    func end() { state.withLock { $0.connection.take() }?.close() }

    /// Whether a program on the bus has a name.
    func isOwned(_ name: String) throws -> Bool {
        let answer = Watched<Result<[BusValue], BusError>?>(nil)
        state.current.connection?.call(BusName(name).whoIs) { result in answer.withLock { $0 = result } }
        try wait(for: "an answer") { answer.current != nil }
        return (try? answer.current?.get()) != nil
    }

    /// Answers to `Notify` and `OpenURI` wait until they are let go.
    func hold() { state.withLock { $0.holds = true } }

    var heldCount: Int { state.current.held.count }

    func letGo() {
        let held = state.withLock { state in
            defer { (state.holds, state.held) = (false, []) }
            return state.held
        }
        for answer in held { answer() }
    }

    // MARK: The user

    func press(_ number: UInt32, token: String? = nil) {
        if let token { emit("ActivationToken", [.uint32(number), .string(token)]) }
        emit("ActionInvoked", [.uint32(number), .string("default")])
    }

    func close(_ number: UInt32) {
        state.withLock { $0.shown.removeAll { $0.number == number } }
        emit("NotificationClosed", [.uint32(number), .uint32(2)])
    }

    func emit(_ member: String, _ arguments: [BusValue]) {
        state.current.connection?.emit([BusSignal(member, of: Self.name, at: Self.path, arguments)])
    }

    // MARK: On the bus's thread

    func connected(as name: String?) { state.withLock { $0.isConnected = name != nil } }

    func receive(_ call: MethodCall, _ answer: BusAnswer) {
        let fails = state.withLock { state in
            state.calls.append(call)
            return state.isStarting
        }
        if fails { return answer(.failure(.failed("there is no screen"))) }
        switch call.member {
        case "GetCapabilities": answer(.success([.strings(capabilities)]))
        case "Notify": show(call.arguments, answer)
        case "CloseNotification":
            state.withLock { state in state.shown.removeAll { .uint32($0.number) == call.arguments[0] } }
            answer(.success([]))
        case "OpenURI" where opens: give(.success([.objectPath(ObjectPath(known: "/request"))]), to: answer)
        case "OpenURI": give(.failure(.notSupported("there is no browser")), to: answer)
        default: answer(.failure(.notSupported("no \(call.member) here")))
        }
    }

    private func show(_ arguments: [BusValue], _ answer: BusAnswer) {
        guard Self.hasTypes(arguments) else { return answer(.failure(.invalid("another signature"))) }
        let number = state.withLock { state in
            guard case .uint32(let old) = arguments[1] else { return 0 as UInt32 }
            if old == 0 { state.lastNumber += 1 }
            let number = old == 0 ? state.lastNumber : old
            state.shown.removeAll { $0.number == number }
            let actions = arguments[5].elements?.compactMap(\.text) ?? []
            state.shown.append(
                Shown(
                    number: number,
                    summary: arguments[3].text ?? "",
                    body: arguments[4].text ?? "",
                    actions: actions
                )
            )
            return number
        }
        give(.success([.uint32(number)]), to: answer)
    }

    private func give(_ result: Result<[BusValue], BusError>, to answer: BusAnswer) {
        let isHeld = state.withLock { state in
            if state.holds { state.held.append { answer(result) } }
            return state.holds
        }
        if !isHeld { answer(result) }
    }

    /// Whether these are the arguments that the specification gives `Notify`.
    private static func hasTypes(_ arguments: [BusValue]) -> Bool {
        arguments.map(\.signature).joined() == "susssasa{sv}i"
    }
}
