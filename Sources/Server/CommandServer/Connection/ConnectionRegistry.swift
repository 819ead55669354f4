internal import LineProtocol
internal import NIOCore
internal import ServerBasics
internal import ServerRights
internal import Settings
internal import Zones

/// A connection as the registry sees it: its client, its limits and its idle state.
protocol RegisteredConnection: AnyObject, SendableMetatype {
    var id: Int { get }
    var principal: Principal { get }
    var place: ClientPlace { get }
    var zone: Zone { get }
    var permissions: Permissions { get }
    /// Bytes of its requests that have not been executed.
    var requestBytes: Int { get }
    var isClosing: Bool { get }
    /// Whether the client is waiting in `idle`.
    var isIdle: Bool { get }
    /// Whether the connection timeout applies.
    var timesOut: Bool { get }
    /// The time of the last bytes received from it.
    var lastHeard: NIODeadline { get }
    /// Records changes, and reports them at once if the client is in `idle`.
    func notify(_ changes: Subsystems)
    /// Executes its pending requests.
    func pump()
    /// Goes on with a command that waited for the zone's player.
    func playerHasRoom()
    func close()
    /// Looks up the client's rights again, and tells it when they have changed.
    ///
    /// - Returns: Whether they have.
    func accessChanged() -> Bool
    /// Ends what the client has begun and is not permitted any more.
    func endWhatIsNotPermitted()
}

/// The connections of clients, and the limits that they share.
///
/// Belongs to the server's event loop.
final class ConnectionRegistry<Connection: RegisteredConnection> {
    private var connections: [Int: Connection] = [:]
    /// Bytes of all clients' requests that have not been executed.
    private var requestBytes = 0
    private var refusals = LimitLog()
    private var silenceTimer: Scheduled<Void>?
    private let configuration: CurrentConfiguration
    private let loop: any EventLoop
    private let log: (LogLevel, String) -> Void
    private lazy var onLoop = LoopExecutor(for: self, on: loop)

    init(
        _ configuration: CurrentConfiguration,
        loop: any EventLoop,
        log: @escaping (LogLevel, String) -> Void
    ) {
        self.configuration = configuration
        self.loop = loop
        self.log = log
    }

    private var limits: Limits { configuration.value.limits }

    var all: Dictionary<Int, Connection>.Values { connections.values }

    subscript(id: Int) -> Connection? { connections[id] }

    func `in`(_ zone: Zone) -> [Connection] { all.filter { $0.zone === zone } }

    /// Notifies all clients of changes, or only those in `zone`.
    func notify(_ changes: Subsystems, in zone: Zone? = nil) {
        for connection in all where zone == nil || connection.zone === zone { connection.notify(changes) }
    }

    // MARK: Coming and going

    /// - Returns: Whether the client is admitted; `false` when a connection limit is reached.
    func admit(_ new: Connection) -> Bool {
        var crowd = Crowd(total: connections.count)
        let mayDoNothing = new.permissions.isEmpty
        for connection in all {
            if connection.place == new.place { crowd.neighbours += 1 }
            if mayDoNothing, connection.permissions.isEmpty { crowd.unpermitted += 1 }
        }
        guard let limit = crowd.limitReached(by: new.principal, mayDoNothing: mayDoNothing, limits)
        else {
            connections[new.id] = new
            watchSilence(of: new)
            return true
        }
        if refusals.isDue(nil, at: loop.now) {
            log(.notice, "\(new.principal.name): refused, for limits.\(limit)")
        }
        return false
    }

    func remove(_ id: Int) -> Connection? { connections.removeValue(forKey: id) }

    /// Logs that a client exceeded a limit, at most once a minute per limit, so that no client can flood the log.
    func logDisconnection(of connection: Connection, for limit: String) {
        guard refusals.isDue(limit, at: loop.now) else { return }
        log(.notice, "\(connection.principal.name): disconnected, for limits.\(limit)")
    }

    /// Logs that a client was not let in, at most once a minute per reason.
    func logRefusal(of who: String, for reason: String) {
        if refusals.isDue(reason, at: loop.now) { log(.notice, "\(who): refused, for \(reason)") }
    }

    /// Applies changed rights to the connected connections.
    func accessChanged() {
        let changed = all.filter { $0.accessChanged() }
        for connection in changed where connection.isIdle && connection.permissions.isDisjoint(with: [.read, .addOnly])
        {
            connection.close()
        }
        for connection in changed { connection.endWhatIsNotPermitted() }
    }

    /// Resumes a client after the other clients have had their turn.
    func pumpLater(_ id: Int) { onLoop { $0[id]?.pump() } }

    /// Lets a client go on that waits for a player; may be called from any thread.
    func resumption(of id: Int) -> @Sendable () -> Void {
        { [onLoop] in onLoop { $0[id]?.playerHasRoom() } }
    }

    // MARK: Memory

    func requestBytesChanged(by change: Int) {
        requestBytes += change
        if requestBytes > limits.maxRequestBytes { onLoop { $0.disconnectLargest() } }
    }

    /// Disconnects clients until the limit holds again: the largest client of the place that holds the most bytes.
    private func disconnectLargest() {
        while requestBytes > limits.maxRequestBytes {
            let sums = Dictionary(all.map { ($0.place, $0.requestBytes) }, uniquingKeysWith: +)
            guard let place = sums.max(by: { $0.value < $1.value })?.key,
                let connection = all.filter({ $0.place == place && !$0.isClosing })
                    .max(by: { $0.requestBytes < $1.requestBytes }), connection.requestBytes > 0
            else { return }
            logDisconnection(of: connection, for: "max-request-memory")
            connection.close()
        }
    }

    // MARK: Silence

    /// Disconnects clients that are silent for too long outside of `idle`.
    ///
    /// One timer serves all connections. While all of them wait in `idle` no timer runs, so an idle server sleeps.
    func watchSilence(of connection: Connection) {
        guard silenceTimer == nil, let limit = silenceLimit else { return }
        startSilenceTimer(at: connection.lastHeard + limit)
    }

    private var silenceLimit: TimeAmount? {
        limits.connectionTimeout.map { TimeAmount.nanoseconds(Int64(saturating: $0 / .nanoseconds(1))) }
    }

    private func startSilenceTimer(at deadline: NIODeadline) {
        silenceTimer = loop.scheduleTask(deadline: deadline) { [onLoop] in
            onLoop { $0.endSilentConnections() }
        }
    }

    private func endSilentConnections() {
        silenceTimer = nil
        guard let limit = silenceLimit else { return }
        let now = loop.now
        var next: NIODeadline?
        for connection in all where connection.timesOut {
            let deadline = connection.lastHeard + limit
            if deadline <= now { connection.close() } else { next = min(next ?? deadline, deadline) }
        }
        // Coalesce deadlines, so that many clients do not cause many wake-ups.
        if let next { startSilenceTimer(at: max(next, now + .nanoseconds(limit.nanoseconds / 16))) }
    }
}
