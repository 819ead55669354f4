package import AudioTypes

/// Where a player is, as of a moment, and how it goes on: told at discontinuities only.
package struct PlayerPosition: Sendable, Hashable {
    /// In seconds.
    package var elapsed: Double
    package var moment: HostTime
    /// Seconds of the track in a second; 0 while it does not play.
    package var rate: Double
    /// Changes with each jump, to a time that the player was told.
    package var jump: Jump

    /// Identifies the jump that led to the current time of the current track.
    package struct Jump: Sendable, Hashable {
        private let number: Int
        private let item: Int

        package init(_ number: Int, item: Int = 0) {
            self.number = number
            self.item = item
        }
    }

    package init(elapsed: Double = 0, at moment: HostTime, rate: Double = 0, jump: Jump = Jump(0)) {
        self.elapsed = elapsed
        self.moment = moment
        self.rate = rate
        self.jump = jump
    }

    /// The seconds at a later moment, if nothing happens until then.
    package func elapsed(at now: HostTime) -> Double { max(0, elapsed + (now - moment) * rate) }

    /// Smaller differences are not heard as jumps, in seconds.
    private static let smallestJump = 0.05
    /// Without a jump of which the player was told, a greater difference is one, in seconds: it stood still, or began
    /// again.
    private static let greatestDrift = 2.0

    /// Whether clients that go on from `old` would be wrong now.
    package func isJump(from old: PlayerPosition) -> Bool {
        let difference = abs(elapsed - old.elapsed(at: moment))
        return difference > (jump == old.jump ? Self.greatestDrift : Self.smallestJump)
    }
}

/// The target of a seek by some seconds (MPRIS, `Seek`).
package enum SeekTarget: Sendable, Hashable {
    case time(Double)
    case nextTrack

    /// - Parameters:
    ///   - offset: In seconds; may be negative.
    ///   - duration: `nil` when unknown.
    package init(by offset: Double, from elapsed: Double, duration: Double?) {
        let time = elapsed + offset
        if let duration, offset > 0, time > duration { self = .nextTrack } else { self = .time(max(0, time)) }
    }
}
