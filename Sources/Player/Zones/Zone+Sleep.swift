internal import AudioTypes
package import Playlists

/// The sleep timer's effects on a zone.
extension Zone {
    /// Fades out evenly in dB; the volume, the state and what clients see stay as they are.
    package func fadeForSleep(over seconds: Double) {
        sleepFade = SleepFade(start: .now, seconds: max(0.01, seconds))
        applyDuck()
    }

    /// Returns to the usual level.
    package func endSleepFade(over seconds: Double) {
        guard sleepFade != nil else { return }
        sleepFade = nil
        applyDuck(over: seconds)
    }

    /// Ends playback once after the song or the queue; `nil`: no longer does.
    package func setRest(_ rest: QueueModes.Rest?) {
        guard queue.setRest(rest) else { return }
        updateFollowing()
    }
}

/// A fade-out that shares the player's ramp with ducking.
struct SleepFade {
    let start: HostTime
    let seconds: Double

    /// In dB, at the end.
    static let depth = -60.0

    /// The gain to go to while others duck the zone by `duck` dB, and the length of the ramp in seconds.
    ///
    /// A ducked zone stays where the fade is, and goes on from there after the duck.
    func applied(to duck: Double, over ramp: Double, now: HostTime = .now) -> (gain: Double, ramp: Double) {
        let elapsed = min(max(0, now - start), seconds)
        guard duck < 0 else { return (Self.depth, seconds - elapsed) }
        return (duck + Self.depth * elapsed / seconds, ramp)
    }
}
