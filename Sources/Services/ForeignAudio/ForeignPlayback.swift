internal import AudioSessions
package import MPRIS

/// How another program's stream is silenced when its session is interrupted, and sounds again: a pure value.
///
/// A program cannot be told to pause, as a client can: its media player is asked, and where there is none, or the stream
/// plays on, it is muted.
package struct ForeignPlayback: Hashable {
    package enum Silence: Hashable {
        case none
        /// The program's media player is being asked to pause.
        case asking
        case paused(RemotePlayer)
        /// It plays on unheard.
        case muted
    }

    enum Step: Hashable {
        /// Activate the session, which plays.
        case activate
        /// Deactivate the session, which has stopped.
        case deactivate
        /// The user has paused an interrupted stream, so that it does not resume.
        case stayPaused
        /// Ask the program's media player to pause.
        case ask(attempt: Int)
        /// Have a media player play on, unless a user has changed its state since.
        case play(RemotePlayer)
        /// Leave a media player as it is.
        case leave(RemotePlayer)
        /// Set the level that belongs to the state.
        case settle
        /// The stream has ended, and its session with it.
        case close
    }

    /// Whether the stream exists and is not corked.
    private(set) var isPlaying = false
    private(set) var isGone = false
    private(set) var silence = Silence.none
    private var attempt = 0

    /// The stream has no session any more; what was asked for it is not waited for.
    mutating func reset() {
        let attempt = attempt
        self = ForeignPlayback()
        self.attempt = attempt
    }

    // MARK: The stream

    /// - Parameter isInterrupted: Whether its session is.
    mutating func streamChanged(isPlaying now: Bool, isInterrupted: Bool) -> [Step] {
        guard now != isPlaying else { return [] }
        isPlaying = now
        return now ? started() : stopped(isInterrupted)
    }

    private mutating func started() -> [Step] {
        defer { silence = .none }
        // A stream that plays again was started by the user, whatever interrupts it.
        if case .paused(let player) = silence { return [.leave(player), .activate, .settle] }
        return [.activate, .settle]
    }

    private func stopped(_ isInterrupted: Bool) -> [Step] {
        guard isInterrupted else { return [.deactivate] }
        return switch silence {
        case .asking, .paused: []
        case .none, .muted: [.stayPaused]
        }
    }

    /// The stream has ended.
    ///
    /// The session of a paused player stays until the interruption ends: many players end their streams when they pause.
    mutating func streamEnded(isInterrupted: Bool) -> [Step] {
        let wasPlaying = isPlaying
        (isPlaying, isGone) = (false, true)
        switch silence {
        case .asking where isInterrupted, .paused where isInterrupted: return []
        case .asking, .paused, .none, .muted: return (wasPlaying && !isInterrupted ? [.deactivate] : []) + [.close]
        }
    }

    // MARK: The session

    /// The session is interrupted.
    mutating func interrupted() -> [Step] {
        guard isPlaying else { return [] }
        attempt += 1
        silence = .asking
        return [.ask(attempt: attempt)]
    }

    /// The media player has paused, or there is none that would.
    mutating func answered(_ attempt: Int, by player: RemotePlayer?) -> [Step] {
        guard attempt == self.attempt, silence == .asking else {
            // It comes too late for what it was asked for.
            return player.map { [.play($0)] } ?? []
        }
        guard let player else { return isGone ? [.close] : mute() }
        silence = .paused(player)
        return []
    }

    /// The stream should have stopped by now.
    mutating func patienceEnded(_ attempt: Int) -> [Step] {
        guard attempt == self.attempt, isPlaying else { return [] }
        return switch silence {
        case .asking: mute()
        case .paused(let player): [.leave(player)] + mute()
        case .none, .muted: []
        }
    }

    /// The user has unmuted the stream, and so wants to hear it.
    mutating func unmuted() -> [Step] {
        guard silence == .muted else { return [] }
        silence = .none
        return [.activate]
    }

    private mutating func mute() -> [Step] {
        silence = .muted
        return [.settle]
    }

    /// Nothing interrupts the session any more.
    ///
    /// A muted stream has played on, so it is heard again and active even where others would not resume.
    mutating func released(shouldResume: Bool) -> [Step] {
        defer { silence = .none }
        switch silence {
        case .paused(let player):
            return [shouldResume ? .play(player) : .leave(player)] + (isGone ? [.close] : [])
        case .asking, .muted: return isGone ? [.close] : [.settle] + (isPlaying && !shouldResume ? [.activate] : [])
        case .none: return []
        }
    }

    // MARK: The level

    /// How the stream is to be held.
    ///
    /// - Parameters:
    ///   - session: Its session; `nil` where it has none.
    ///   - gain: The gain that others impose on it, in dB.
    /// - Returns: `nil` while that is not decided.
    func hold(_ session: AudioSession?, gain: Double) -> HeldLevel.Hold? {
        guard let session else { return HeldLevel.Hold.none }
        return switch silence {
        case .asking: nil
        case .muted: .muted
        case .none, .paused: session.isMuted ? .muted : session.isDucked ? .lowered(-gain) : HeldLevel.Hold.none
        }
    }
}
