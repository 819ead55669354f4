internal import AudioSessions
package import MPRIS

/// How another program's stream is silenced when its session is interrupted, and sounds again: a pure value.
///
/// A program cannot be told to pause, as a client can: its media player is asked, and where there is none, or the stream
/// plays on, it is muted.
package struct ForeignPlayback: Hashable {
    package enum Silence: Hashable {
        case none
        /// The program's media player is being asked to pause; the stream is muted once that takes long.
        case asking(isMuted: Bool)
        /// The media player has agreed to pause; a stream that was muted before stays so until it stops.
        case paused(RemotePlayer, isMuted: Bool)
        /// It plays on unheard.
        case muted

        /// Whether the stream is held muted.
        package var isMuted: Bool {
            switch self {
            case .asking(let isMuted), .paused(_, let isMuted): isMuted
            case .muted: true
            case .none: false
            }
        }
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
        if case .paused(let player, _) = silence { return [.leave(player), .activate, .settle] }
        return [.activate, .settle]
    }

    private mutating func stopped(_ isInterrupted: Bool) -> [Step] {
        guard isInterrupted else { return [.deactivate] }
        switch silence {
        case .paused(let player, isMuted: true):
            silence = .paused(player, isMuted: false)
            return [.settle]
        case .asking, .paused: return []
        case .none, .muted: return [.stayPaused]
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
        silence = .asking(isMuted: false)
        return [.ask(attempt: attempt)]
    }

    /// The media player has paused, or there is none that would.
    mutating func answered(_ attempt: Int, by player: RemotePlayer?) -> [Step] {
        guard attempt == self.attempt, case .asking(let isMuted) = silence else {
            // It comes too late for what it was asked for.
            return player.map { [.play($0)] } ?? []
        }
        if let player {
            silence = .paused(player, isMuted: isMuted && isPlaying)
            return isMuted && !isPlaying ? [.settle] : []
        }
        if isGone { return [.close] }
        guard isPlaying else {
            // The user has paused it.
            silence = isMuted ? .muted : .none
            return [.stayPaused]
        }
        silence = .muted
        return isMuted ? [] : [.settle]
    }

    /// The stream should have stopped by now.
    mutating func patienceEnded(_ attempt: Int) -> [Step] {
        guard attempt == self.attempt, isPlaying else { return [] }
        switch silence {
        case .asking(isMuted: false):
            silence = .asking(isMuted: true)
            return [.settle]
        case .paused(let player, isMuted: false):
            silence = .muted
            return [.leave(player), .settle]
        case .none, .muted, .asking, .paused: return []
        }
    }

    /// The user has unmuted the stream, and so wants to hear it.
    mutating func unmuted() -> [Step] {
        guard silence.isMuted else { return [] }
        defer { silence = .none }
        if case .paused(let player, _) = silence { return [.leave(player), .activate] }
        return [.activate]
    }

    /// Nothing interrupts the session any more.
    ///
    /// A muted stream has played on, so it is heard again and active even where others would not resume.
    mutating func released(shouldResume: Bool) -> [Step] {
        defer { silence = .none }
        switch silence {
        case .paused(let player, let isMuted):
            let end = isGone ? [.close] : isMuted ? unmutedSteps(shouldResume) : []
            return [shouldResume ? .play(player) : .leave(player)] + end
        case .asking, .muted: return isGone ? [.close] : unmutedSteps(shouldResume)
        case .none: return []
        }
    }

    private func unmutedSteps(_ shouldResume: Bool) -> [Step] {
        [.settle] + (isPlaying && !shouldResume ? [.activate] : [])
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
        case .asking(isMuted: false): nil
        case .muted, .asking, .paused(_, isMuted: true): .muted
        case .none, .paused: session.isMuted ? .muted : session.isDucked ? .lowered(-gain) : HeldLevel.Hold.none
        }
    }
}
