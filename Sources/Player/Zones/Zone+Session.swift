internal import AudioTypes
internal import Playback

/// What the audio session has a zone do, as a well-behaved player would.
extension Zone {
    /// Asks for the right to play, unless the zone plays already; what it is told next waits until others are silent.
    func claim() throws(ZoneError) {
        guard state != .play else { return }
        let wait = try surroundings.claim(self)
        if wait > 0 { link?.hold(for: wait) }
    }

    /// Falls silent, and stays where it fell silent.
    ///
    /// - Parameters:
    ///   - interrupter: The session that the zone gives way to.
    ///   - fade: How long falling silent takes, in seconds.
    package func interrupt(by interrupter: Int, fadingOver fade: Double) {
        interruption = interrupter
        isToResume = isToResume || state == .play
        if state == .play { fallSilent(over: fade) } else { tell(.player) }
    }

    /// Nobody interrupts the zone any more.
    package func endInterruption() {
        isToResume = false
        guard interruption != nil else { return }
        interruption = nil
        tell(.player)
    }

    /// Goes on from the very sample where the zone fell silent.
    ///
    /// - Parameter fade: How long it takes until the zone is as loud as before, in seconds.
    package func resume(over fade: Double) {
        guard state == .pause else { return }
        state = .play
        told.transport = link?.send { $0.play(fadingOver: fade) } ?? 0
        tell(.player)
    }

    /// Pauses softly: what plays may not be heard any more.
    package func fallSilent(over fade: Double) {
        guard state == .play else { return }
        state = .pause
        told.transport = link?.send { $0.pause(fadingOver: fade) } ?? 0
        tell(.player)
    }

    /// Makes the zone quieter for others, or as loud as it was; its volume stays what it is.
    ///
    /// - Parameters:
    ///   - gain: In dB; 0 for as loud as it was.
    ///   - ramp: How long that takes, in seconds.
    package func duck(to gain: Double, over ramp: Double) {
        guard gain != duckGain else { return }
        duckGain = gain
        applyDuck(over: ramp)
    }

    func applyDuck(over ramp: Double = 0) {
        let gain = Gain(decibels: duckGain)
        link?.send { $0.setDuck(gain, over: ramp) }
    }
}
