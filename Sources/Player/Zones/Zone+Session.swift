internal import AudioTypes
internal import Playback

/// A zone's reactions to its audio session, like those of a well-behaved player.
extension Zone {
    /// Requests the right to play, unless the zone plays already; the player's next order waits until others are
    /// silent.
    func claim() throws(ZoneError) {
        guard state != .play else { return }
        let wait = try dependencies.claim(self)
        if wait > 0 { link?.hold(for: wait) }
    }

    /// Falls silent, and keeps the position.
    ///
    /// - Parameters:
    ///   - interrupter: The session that the zone gives way to.
    ///   - fade: Length of the fade-out, in seconds.
    package func interrupt(by interrupter: Int, fadingOver fade: Double) {
        interruption = interrupter
        isToResume = isToResume || state == .play
        if state == .play { fallSilent(over: fade) } else { tell(.player) }
    }

    /// Falls silent because the sink is gone; only a client's command makes the zone play again.
    ///
    /// - Parameter interrupter: The zone's own session.
    package func interruptForRoute(_ interrupter: Int) {
        interruption = interrupter
        isToResume = false
        isInterruptedByRoute = true
        if state == .play { fallSilent(over: 0) } else { tell(.player) }
    }

    /// Ends the interruption, without resuming.
    package func endInterruption() {
        isToResume = false
        guard interruption != nil else { return }
        interruption = nil
        tell(.player)
    }

    /// Decides whether an interrupted zone is to resume when the interruption ends.
    func setToResume(_ isToResume: Bool) {
        guard interruption != nil else { return }
        self.isToResume = isToResume
        dependencies.willResume(self, isToResume)
    }

    /// Resumes at the very sample where the zone fell silent.
    ///
    /// - Parameter fade: Length of the fade-in, in seconds.
    package func resume(over fade: Double) {
        guard state == .pause else { return }
        state = .play
        told.transport = link?.send { $0.play(fadingOver: fade) } ?? 0
        tell(.player)
    }

    /// Pauses with a fade, because the zone may not play any more.
    package func fallSilent(over fade: Double) {
        guard state == .play else { return }
        state = .pause
        told.transport = link?.send { $0.pause(fadingOver: fade) } ?? 0
        tell(.player)
    }

    /// Ducks the zone for others, or ends the duck; its volume stays unchanged.
    ///
    /// - Parameters:
    ///   - gain: In dB; 0 ends the duck.
    ///   - ramp: Length of the ramp, in seconds.
    package func duck(to gain: Double, over ramp: Double) {
        guard gain != duckGain else { return }
        duckGain = gain
        applyDuck(over: ramp)
    }

    func applyDuck(over ramp: Double = 0) {
        let (gain, ramp) = sleepFade?.applied(to: duckGain, over: ramp) ?? (duckGain, ramp)
        link?.send { $0.setDuck(Gain(decibels: gain), over: ramp) }
    }
}
