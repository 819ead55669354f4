import DBus
import Logind
import Playback

/// The machine's sleep.
extension PlaySession {
    /// Watches for the machine's sleep while sound is played in real time.
    static func sleepGuard(_ isUsed: Bool, _ source: AsyncStream<Input>.Continuation) -> SleepGuard? {
        guard isUsed else { return nil }
        return SleepGuard(.system, busThread, name: "segue play") { source.yield(.machineSleep($0)) }
    }

    /// Falls silent with a fade before the machine sleeps, and comes back afterwards.
    func handle(_ event: SleepGuard.Event) async {
        switch event {
        case .goingToSleep:
            interruption = (player.status.rate != 0 || interruption?.wasPlaying == true, ())
            await player.pause(fadingOver: Self.fadeLength)
            try? await Task.sleep(for: .seconds(saturating: Self.fadeLength + 0.05))
            sleepGuard?.ready()
        case .awake:
            guard let interruption else { return }
            self.interruption = nil
            if interruption.wasPlaying { await playIfAdmitted(fadingOver: Self.fadeLength) }
        }
    }
}
