internal import Configuration
internal import NIOCore

/// Connections that are silent for too long outside of `idle` are ended.
///
/// One timer serves all of them, and there is none while every client waits in `idle`: an idle server sleeps.
extension ServerState {
    /// Sees to it that a client is missed in time.
    func watchSilence(of client: Client) {
        guard silenceTimer == nil, let limit = silenceLimit else { return }
        startSilenceTimer(on: client.channel.eventLoop, at: client.lastHeard + limit)
    }

    private var silenceLimit: TimeAmount? {
        limits.connectionTimeout.map { TimeAmount.nanoseconds(Int64($0 / .nanoseconds(1))) }
    }

    private func startSilenceTimer(on loop: any EventLoop, at deadline: NIODeadline) {
        silenceTimer = loop.scheduleTask(deadline: deadline) { [hop] in hop { $0.endSilentConnections() } }
    }

    private func endSilentConnections() {
        silenceTimer = nil
        guard let limit = silenceLimit else { return }
        let now = NIODeadline.now()
        var next: (client: Client, deadline: NIODeadline)?
        for client in clients.values where client.isExpected {
            let deadline = client.lastHeard + limit
            if deadline <= now {
                client.close()
            } else if next.map({ deadline < $0.deadline }) ?? true {
                next = (client, deadline)
            }
        }
        guard let next else { return }
        // Many clients must not mean many wake-ups.
        let soonest = now + .nanoseconds(limit.nanoseconds / 16)
        startSilenceTimer(on: next.client.channel.eventLoop, at: max(next.deadline, soonest))
    }
}
