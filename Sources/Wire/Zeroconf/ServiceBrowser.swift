package import DBus
private import Synchronization

/// Looks for services on the network through Avahi.
package final class ServiceBrowser: BusPeer {
    package enum Event: Sendable, Hashable {
        /// Avahi has begun to look.
        case searching
        case found(FoundService)
        /// Those that are known now have been found; others may still answer.
        case complete
        /// The reason, as a sentence.
        case failed(String)
    }

    private struct State {
        var connection: BusConnection?
        var daemon: String?
        /// Browsers that Avahi has made for us, and whether each has told all that it knew.
        var browsers: [ObjectPath: Bool] = [:]
        /// Signals of browsers whose paths are not known yet.
        var early: [BusSignal] = []
        var missing = 0
        var unresolved = 0
        var found: Set<FoundService> = []
    }

    private let state = Mutex(State())
    private let types: [String]
    private let handler: @Sendable (Event) -> Void

    /// How many services are looked at; a network may invent any number.
    private static let limit = 1_000

    /// - Parameters:
    ///   - types: Such as `_mpd._tcp`.
    ///   - handler: Called on the bus's thread.
    package init(
        _ bus: BusAddress,
        _ thread: BusThread,
        types: [String],
        handler: @escaping @Sendable (Event) -> Void
    ) {
        self.types = types
        self.handler = handler
        // With the lock held, because the bus's thread may be connected before this one goes on.
        state.withLock { $0.connection = thread.connect(BusPlan(bus, matches: Avahi.matches([Avahi.browser])), self) }
    }

    package func close() { state.withLock { $0.connection.take() }?.close() }

    // MARK: On the bus's thread

    package func connected(as name: String?) {
        call(Avahi.name.whoIs) { [self] result in
            guard let daemon = (try? result.get())?.first?.text else {
                return handler(
                    .failed("avahi-daemon does not run here; install and start it: apt install avahi-daemon")
                )
            }
            state.withLock { ($0.daemon, $0.missing) = (daemon, types.count) }
            for type in types { browse(type) }
        }
    }

    package func disconnected(_ reason: String) {
        handler(.failed("the system's message bus does not answer: \(reason)"))
    }

    private func browse(_ type: String) {
        let arguments: [BusValue] = [.int32(-1), .int32(-1), .string(type), .string(""), .uint32(0)]
        call(Avahi.call("ServiceBrowserNew", arguments)) { [self] result in
            switch result {
            case .success(let values): if let path = values.first?.path { opened(path) }
            case .failure(let error): handler(.failed("Avahi does not look for services: \(error.text)"))
            }
        }
    }

    private func opened(_ path: ObjectPath) {
        let (early, isSearching) = state.withLock { state in
            state.browsers[path] = false
            state.missing -= 1
            defer { state.early.removeAll { $0.path == path } }
            return (state.early.filter { $0.path == path }, state.missing == 0)
        }
        if isSearching { handler(.searching) }
        for signal in early { handle(signal) }
    }

    package func receive(_ signal: BusSignal) {
        let isKnown = state.withLock { state in
            guard signal.sender == state.daemon, signal.interface == Avahi.browser else { return false }
            guard state.browsers[signal.path] == nil else { return true }
            if state.early.count < Self.limit { state.early.append(signal) }
            return false
        }
        if isKnown { handle(signal) }
    }

    private func handle(_ signal: BusSignal) {
        switch signal.member {
        case "ItemNew": resolve(signal.arguments)
        case "AllForNow", "Failure":
            state.withLock { $0.browsers[signal.path] = true }
            tellIfComplete()
        default: break
        }
    }

    /// - Parameter item: Interface, protocol, name, type, domain and flags.
    private func resolve(_ item: [BusValue]) {
        let isWanted = state.withLock { state in
            guard item.count == 6, state.unresolved + state.found.count < Self.limit else { return false }
            state.unresolved += 1
            return true
        }
        if isWanted { resolve(Array(item[..<5]), attempts: Self.mostAttempts) }
    }

    /// How often a service is asked for: Avahi gives up after five seconds, also where an answer was lost.
    private static let mostAttempts = 10

    private func resolve(_ item: [BusValue], attempts: Int) {
        call(Avahi.call("ResolveService", item + [.int32(-1), .uint32(0)])) { [self] result in
            let service = (try? result.get()).flatMap(FoundService.init)
            if service == nil, attempts > 1, state.withLock({ $0.connection != nil && $0.found.isEmpty }) {
                return resolve(item, attempts: attempts - 1)
            }
            let isNew = state.withLock { state in
                state.unresolved -= 1
                return service.map { state.found.insert($0).inserted } ?? false
            }
            if let service, isNew { handler(.found(service)) }
            tellIfComplete()
        }
    }

    private func tellIfComplete() {
        let isComplete = state.withLock { state in
            state.missing == 0 && state.unresolved == 0 && state.browsers.values.allSatisfy(\.self)
        }
        if isComplete { handler(.complete) }
    }

    private func call(_ call: MethodCall, then: @escaping @Sendable (Result<[BusValue], BusError>) -> Void) {
        state.withLock { $0.connection }?.call(call, then: then)
    }
}
