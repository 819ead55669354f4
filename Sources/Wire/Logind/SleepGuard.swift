package import DBus
private import Synchronization

/// The machine's sleep, as systemd-logind tells of it (org.freedesktop.login1(5), "Inhibitor Locks").
///
/// While the guard is open it delays sleep until it is ready; on demand it prevents sleep. Without logind it does nothing.
package final class SleepGuard: BusPeer {
    package enum Event: Sendable, Hashable {
        /// The machine is about to sleep, and waits for ``SleepGuard/ready()``: logind for 5 seconds at most by default.
        case goingToSleep
        case awake
    }

    private struct State {
        var connection: BusConnection?
        /// Delays sleep for as long as it is open.
        var delay: BusFile?
        /// Prevents sleep for as long as it is open.
        var block: BusFile?
        var isBlocking = false
        /// Whether logind has said that the machine is about to sleep, and not yet that it is awake.
        var isGoingToSleep = false
    }

    private let state = Mutex(State())
    private let name: String
    private let handler: @Sendable (Event) -> Void

    private static let service = "org.freedesktop.login1"
    private static let path = ObjectPath(known: "/org/freedesktop/login1")
    private static let manager = "org.freedesktop.login1.Manager"
    private static let rule =
        "type='signal',sender='\(service)',path='\(path)',interface='\(manager)',member='PrepareForSleep'"

    /// - Parameters:
    ///   - name: The program's, as `systemd-inhibit --list` shows it.
    ///   - handler: Called on the bus's thread.
    package init(
        _ bus: BusAddress,
        _ thread: BusThread,
        name: String,
        handler: @escaping @Sendable (Event) -> Void
    ) {
        self.name = name
        self.handler = handler
        // With the lock held, because the bus's thread may be connected before this one goes on.
        state.withLock { $0.connection = thread.connect(BusPlan(bus, matches: [Self.rule]), self) }
    }

    /// Prevents the machine from sleeping by itself or on demand, or lets it sleep again.
    package func setBlocking(_ isBlocking: Bool) {
        let mustAsk = state.withLock { state in
            guard state.isBlocking != isBlocking else { return false }
            state.isBlocking = isBlocking
            if !isBlocking { state.block = nil }
            return isBlocking
        }
        if mustAsk { askForBlock() }
    }

    /// Looks for a bus that has started since.
    package func lookAgain() { state.withLock { $0.connection }?.lookAgain() }

    /// Lets the machine go to sleep now.
    package func ready() { state.withLock { $0.delay = nil } }

    package func close() {
        let connection = state.withLock { state in
            (state.delay, state.block) = (nil, nil)
            return state.connection.take()
        }
        connection?.close()
    }

    // MARK: On the bus's thread

    package func connected(as name: String?) {
        askForDelay()
        if state.withLock({ $0.isBlocking }) { askForBlock() }
    }

    package func disconnected(_ reason: String) {
        state.withLock { ($0.delay, $0.block) = (nil, nil) }
    }

    /// Any program may send a signal, so whether it is logind that did is asked of the bus.
    package func receive(_ signal: BusSignal) {
        guard signal.interface == Self.manager, signal.member == "PrepareForSleep",
            let isGoing = signal.arguments.first?.truth
        else { return }
        call(BusName(Self.service).whoIs) { [self] result in
            if case .success(let values) = result, values == [.string(signal.sender)] { prepare(isGoing) }
        }
    }

    private func prepare(_ isGoing: Bool) {
        let isNews = state.withLock { state in
            defer { state.isGoingToSleep = isGoing }
            return state.isGoingToSleep != isGoing
        }
        guard isNews else { return }
        handler(isGoing ? .goingToSleep : .awake)
        if !isGoing { askForDelay() }
    }

    private func askForDelay() {
        inhibit("sleep", "the sound fades out before", "delay") { state, file in state.delay = file }
    }

    private func askForBlock() {
        inhibit("sleep:idle", "it is playing", "block") { state, file in
            if state.isBlocking { state.block = file }
        }
    }

    private func inhibit(
        _ what: String,
        _ why: String,
        _ mode: String,
        then: @escaping @Sendable (inout State, BusFile?) -> Void
    ) {
        let arguments = [what, name, why, mode].map(BusValue.string)
        call(MethodCall("Inhibit", of: Self.manager, at: Self.path, Self.service, arguments)) { [self] result in
            guard case .success(let values) = result, let file = values.first?.file else { return }
            state.withLock { then(&$0, file) }
        }
    }

    private func call(_ call: MethodCall, then: @escaping @Sendable (Result<[BusValue], BusError>) -> Void) {
        state.withLock { $0.connection }?.call(call, then: then)
    }
}
