import AudioTypes
import CommandOptions
import Foreground
import Playback

/// Other sessions on the same sink.
extension PlaySession {
    /// How long playback waits for the server's decision, in seconds.
    ///
    /// A server answers within milliseconds, except on a busy machine, and without a server there is no wait. Sound that
    /// started before a refusal would be heard during a call.
    private static let arbitrationPatience = 1.0
    /// Length of the fade when interrupted or ducked, in seconds.
    static let fadeLength = 0.1

    /// Takes part in the arbitration of a segued that uses the same sound server.
    static func joinArbitration(
        _ options: PlayOptions,
        _ entry: MediaEntry?,
        _ source: AsyncStream<Input>.Continuation
    ) -> Arbitration? {
        guard options.output.server == nil else { return nil }
        return Arbitration(
            name: "segue play",
            sink: options.output.device,
            isSpoken: entry.map(SpokenContent.contains) ?? false
        ) { source.yield(.arbitration($0)) }
    }

    func togglePause() async {
        guard player.status.rate == 0 else { return await player.pause() }
        await playIfAdmitted()
    }

    /// Plays, unless the server refuses.
    func playIfAdmitted(fadingOver seconds: Double = 0) async {
        interruption = nil
        if let arbitration, !arbitration.isActive,
            await arbitration.activate(within: Self.arbitrationPatience) == .refused
        {
            return
        }
        await player.play(fadingOver: seconds)
    }

    private func obeyRefusal(_ reason: String) async {
        await player.pause()
        if keys >= 0 {
            screen.notice("paused: other sessions have precedence (\(reason)); space tries again")
        } else {
            screen.error("other sessions have precedence: \(reason)")
            ending = SessionEnding(status: .sessionRefused)
        }
    }

    func handle(_ event: Arbitration.Event) async {
        switch event {
        case .interrupted(let name):
            let wasPlaying = player.status.rate != 0
            interruption = (wasPlaying || interruption?.wasPlaying == true, ())
            await player.pause(fadingOver: Self.fadeLength)
            if wasPlaying { screen.notice("paused for \(name ?? "another program")") }
        case .ended(let resumes):
            guard let interruption else { return }
            self.interruption = nil
            if interruption.wasPlaying, resumes { await playIfAdmitted(fadingOver: Self.fadeLength) }
            arbitration?.setPlaying(player.status.rate != 0)
        case .ducked(let decibels): await duck(by: decibels)
        case .refused(let reason): await obeyRefusal(reason)
        }
    }

    /// Ducks playback for other sessions, or ends the duck; not once it fades out for good.
    private func duck(by decibels: Double) async {
        guard !isFallingAsleep else { return }
        await player.setDuck(Gain(decibels: decibels), over: Self.fadeLength)
    }
}
