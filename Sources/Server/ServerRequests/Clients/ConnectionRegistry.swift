internal import LineProtocol
package import NIOCore
package import ServerBasics
internal import ServerRights
package import Settings
package import Zones

/// The connections of clients, and the limits that they share.
///
/// Belongs to the server's event loop.
package final class ConnectionRegistry {
    private var connections: [Int: any ClientConnection] = [:]
    /// Bytes of all clients' requests that have not been executed.
    private var requestBytes = 0
    private var refusals = LimitLog()
    private var silenceTimer: Scheduled<Void>?
    private let configuration: CurrentConfiguration
    private let loop: any EventLoop
    private let log: (LogLevel, String) -> Void
    private lazy var onLoop = LoopExecutor(for: self, on: loop)

    package init(
        _ configuration: CurrentConfiguration,
        loop: any EventLoop,
        log: @escaping (LogLevel, String) -> Void
    ) {
        self.configuration = configuration
        self.loop = loop
        self.log = log
    }

    private var limits: Limits { configuration.value.limits }

    package var all: Dictionary<Int, any ClientConnection>.Values { connections.values }

    package subscript(id: Int) -> (any ClientConnection)? { connections[id] }

    package func `in`(_ zone: Zone) -> [any ClientConnection] { all.filter { $0.zone === zone } }

    /// Notifies all clients of changes, or only those in `zone`.
    package func notify(_ changes: Subsystems, in zone: Zone? = nil) {
        for connection in all where zone == nil || connection.zone === zone { connection.notify(changes) }
    }

    // MARK: Coming and going

    /// Admits a client, or one that is another's now.
    ///
    /// - Returns: `false` when a connection limit is reached.
    package func admit(_ new: any ClientConnection) -> Bool {
        var crowd = Crowd(total: connections.count)
        let mayDoNothing = new.permissions.isEmpty
        if connections[new.id] != nil { crowd.total -= 1 }
        for connection in all where connection.id != new.id {
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

    package func remove(_ id: Int) -> (any ClientConnection)? { connections.removeValue(forKey: id) }

    /// Logs that a client exceeded a limit, at most once a minute per limit, so that no client can flood the log.
    package func logDisconnection(of connection: any ClientConnection, for limit: String) {
        guard refusals.isDue(limit, at: loop.now) else { return }
        log(.notice, "\(connection.principal.name): disconnected, for limits.\(limit)")
    }

    /// Logs that a client was not let in, at most once a minute per reason.
    package func logRefusal(of who: String, for reason: String) {
        if refusals.isDue(reason, at: loop.now) { log(.notice, "\(who): refused, for \(reason)") }
    }

    /// Applies changed rights to the connected connections.
    package func accessChanged() {
        let changed = all.filter { $0.accessChanged() }
        for connection in changed where connection.isIdle {
            let held = connection.permissions
            if !held.contains(.read), !held.contains(.addOnly) { connection.close() }
        }
        for connection in changed { connection.endWhatIsNotPermitted() }
    }

    /// Resumes a client after the other clients have had their turn.
    ///
    /// An event loop carries out tasks that are due until there are none, and only then looks at its sockets
    /// (`runOneLoopTick` in NIO's SelectableEventLoop.swift); so the task is due a moment later.
    package func pumpLater(_ id: Int) { _ = onLoop(in: Self.moment) { $0[id]?.pump() } }

    /// In seconds.
    private static let moment = 0.000_05

    /// Lets a client go on that waits for a player; may be called from any thread.
    package func resumption(of id: Int) -> @Sendable () -> Void {
        { [onLoop] in onLoop { $0[id]?.playerHasRoom() } }
    }

    // MARK: Memory

    package func requestBytesChanged(by change: Int) {
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
    package func watchSilence(of connection: any ClientConnection) {
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
