internal import AudioSessions
internal import ForeignAudio
private import Glibc
internal import MPRIS
internal import Outputs
internal import ServerRequests
internal import ServerSessions
internal import Settings

/// The streams of other programs, and their media players.
extension ServerAssembly: ForeignDelegate {
    var playerRemote: (any PlayerRemote)? { remotePlayers }

    func watchStreams(
        limit: Int,
        _ tell: @escaping @Sendable (String, PulseStreamNews) -> Void
    ) -> [String: any StreamWatch] { parts.watchStreams(limit, tell) }

    /// Begins to watch the streams of other programs, if that is configured.
    func startForeignStreams() {
        openRemotePlayers()
        foreign.start()
    }

    func openRemotePlayers() {
        guard configuration.watchesForeignStreams, remotePlayers == nil, let bus = parts.bus else { return }
        remotePlayers = RemotePlayers(bus, busThread)
    }

    func closeRemotePlayers(then done: @escaping @Sendable () -> Void) {
        guard let remotePlayers else { return done() }
        remotePlayers.close(then: done)
    }

    /// The processes of clients on this machine that have sessions, and this one, with the clients' sessions.
    var sessionsOfProcesses: [Int32: [SessionID]] {
        let sessions = Dictionary(grouping: audioSessions.clientSessions) { $0.value.client }.mapValues {
            $0.map(\.key)
        }
        let known = connections.all.compactMap { connection -> (Int32, [SessionID])? in
            guard let own = sessions[connection.id], let process = connection.principal.peer?.process else {
                return nil
            }
            return (process, own)
        }
        return Dictionary(known + [(getpid(), [])], uniquingKeysWith: +)
    }
}
