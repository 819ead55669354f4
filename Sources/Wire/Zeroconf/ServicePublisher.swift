package import DBus
private import Synchronization

/// Announces services on the network through Avahi, for as long as it is open.
///
/// They appear again when Avahi or the bus was restarted, and under another name where theirs is taken. Without Avahi
/// nothing is announced; one that starts later is used.
package final class ServicePublisher: BusPeer {
    package enum Event: Sendable, Hashable {
        case published(ServiceName)
        /// The reason, as a clause.
        case failed(String)
    }

    private struct State {
        var connection: BusConnection?
        var name: ServiceName
        var services: [NetworkService] = []
        /// Avahi's own bus name; `nil` while it does not run.
        var daemon: String?
        var group: ObjectPath?
        var isMakingGroup = false
        /// The name that Avahi gave in place of a taken one.
        var otherName: String?
        /// Taken names in a row.
        var collisions = 0
        var lastEvent: Event?

        var shownName: String { otherName ?? name.description }
    }

    private let state: Mutex<State>
    private let handler: @Sendable (Event) -> Void

    /// How many names are tried.
    private static let longestSearch = 50

    /// - Parameter handler: Called on the bus's thread.
    package init(
        _ bus: BusAddress,
        _ thread: BusThread,
        name: ServiceName,
        handler: @escaping @Sendable (Event) -> Void
    ) {
        state = Mutex(State(name: name))
        self.handler = handler
        let plan = BusPlan(bus, matches: Avahi.matches([Avahi.server, Avahi.group]))
        // With the lock held, because the bus's thread may be connected before this one goes on.
        state.withLock { $0.connection = thread.connect(plan, self) }
    }

    /// Announces these services, in place of those before.
    package func publish(_ services: [NetworkService], as name: ServiceName) {
        let isNews = state.withLock { state in
            guard state.services != services || state.name != name else { return false }
            if state.name != name { (state.name, state.otherName) = (name, nil) }
            state.services = services
            state.collisions = 0
            return true
        }
        if isNews { register() }
    }

    /// Withdraws all services: Avahi does that when the connection ends.
    package func close() { state.withLock { $0.connection.take() }?.close() }

    // MARK: On the bus's thread

    package func connected(as name: String?) {
        call(Avahi.name.whoIs) { [self] result in found((try? result.get())?.first?.text ?? "") }
    }

    package func disconnected(_ reason: String) {
        forget()
        tell(.failed("there is no message bus: \(reason)"))
    }

    package func receive(_ signal: BusSignal) {
        if let owner = Avahi.name.owner(in: signal) { return found(owner) }
        let (daemon, group) = state.withLock { ($0.daemon, $0.group) }
        guard signal.sender == daemon, signal.member == "StateChanged", case .int32(let code)? = signal.arguments.first
        else { return }
        if signal.interface == Avahi.server { return daemonIs(code) }
        guard signal.interface == Avahi.group, signal.path == group else { return }
        switch code {
        case Avahi.isEstablished: established()
        case Avahi.collides: chooseOtherName()
        case Avahi.hasFailed: tell(.failed("Avahi refuses it: \(signal.arguments.last?.text ?? "")"))
        default: break
        }
    }

    /// - Parameter daemon: Empty when it does not run.
    private func found(_ daemon: String) {
        forget()
        guard !daemon.isEmpty else { return tell(.failed("avahi-daemon does not run")) }
        state.withLock { $0.daemon = daemon }
        call(Avahi.call("GetState")) { [self] result in
            if case .int32(let code)? = (try? result.get())?.first { daemonIs(code) }
        }
    }

    private func forget() {
        state.withLock { ($0.daemon, $0.group, $0.isMakingGroup) = (nil, nil, false) }
    }

    /// While Avahi looks for a name for the machine, nothing is announced.
    private func daemonIs(_ code: Int32) {
        if code == Avahi.isRunning {
            register()
        } else if let group = state.withLock({ $0.group }) {
            call(Avahi.call("Reset", onGroup: group)) { _ in }
        }
    }

    // MARK: The entry group

    private func register() {
        let (mustMake, group) = state.withLock { state in
            guard state.daemon != nil else { return (false, nil as ObjectPath?) }
            let mustMake = state.group == nil && !state.isMakingGroup && !state.services.isEmpty
            if mustMake { state.isMakingGroup = true }
            return (mustMake, state.group)
        }
        if let group { return fill(group) }
        guard mustMake else { return }
        call(Avahi.call("EntryGroupNew")) { [self] result in
            let path = (try? result.get())?.first?.path
            let isWanted = state.withLock { state in
                guard state.isMakingGroup else { return false }
                (state.group, state.isMakingGroup) = (path, false)
                return true
            }
            guard isWanted else { return }
            if let path { fill(path) } else { tell(.failed("Avahi makes no entry group")) }
        }
    }

    private func fill(_ group: ObjectPath) {
        let (name, services) = state.withLock { ($0.shownName, $0.services) }
        call(Avahi.call("Reset", onGroup: group)) { _ in }
        guard !services.isEmpty else { return }
        for service in services {
            call(Avahi.call("AddService", onGroup: group, service.arguments(name: name))) { [self] result in
                if case .failure(let error) = result { refused(error, of: name) }
            }
        }
        call(Avahi.call("Commit", onGroup: group)) { _ in }
    }

    private func refused(_ error: BusError, of name: String) {
        guard state.withLock({ $0.shownName == name }) else { return }
        if [Avahi.collision, Avahi.localCollision].contains(error.name) {
            chooseOtherName()
        } else {
            tell(.failed("Avahi refuses it: \(error.text)"))
        }
    }

    private func chooseOtherName() {
        let taken = state.withLock { state in
            state.collisions += 1
            return state.collisions > Self.longestSearch ? nil : state.shownName
        }
        guard let taken else { return tell(.failed("all names like it are taken")) }
        call(Avahi.call("GetAlternativeServiceName", [.string(taken)])) { [self] result in
            guard let name = (try? result.get())?.first?.text else { return }
            let isNews = state.withLock { state in
                guard state.shownName == taken else { return false }
                state.otherName = name
                return true
            }
            if isNews { register() }
        }
    }

    private func established() {
        state.withLock { $0.collisions = 0 }
        if let name = ServiceName(state.withLock { $0.shownName }) { tell(.published(name)) }
    }

    // MARK: Telling

    private func tell(_ event: Event) {
        let isNews = state.withLock { state in
            defer { state.lastEvent = event }
            return state.lastEvent != event
        }
        if isNews { handler(event) }
    }

    private func call(_ call: MethodCall, then: @escaping @Sendable (Result<[BusValue], BusError>) -> Void) {
        state.withLock { $0.connection }?.call(call, then: then)
    }
}
