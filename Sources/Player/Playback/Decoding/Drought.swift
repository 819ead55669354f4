internal import AudioTypes

/// Decides how the decode thread waits for a network medium whose data has not arrived: the decoded frames are played
/// meanwhile, and after them the item waits.
///
/// A pure value.
struct Drought: Hashable {
    /// The output at one moment.
    struct Output: Hashable {
        /// Whether it plays in real time; one that takes frames as fast as they come always runs dry.
        var keepsTime = true
        /// Seconds that it takes before anything is heard.
        var lead: Double
        /// Seconds until the end of the written frames is heard.
        var ahead: Double
        /// Whether its clock runs.
        var isMoving: Bool
    }

    struct Decision: Hashable {
        /// Whether the written frames are the last for now, so that the player is to know where they end.
        var marksEnd = false
        /// Whether the output stands before that end, so that the medium waits until enough is buffered.
        var stands = false
        var wait: Wait
    }

    enum Wait: Hashable {
        /// Not at all.
        case none
        /// Until a moment or an order, whatever arrives; `nil` for an order alone.
        case sleep(until: HostTime?)
        /// Until there is data to read, a moment, or an order.
        case awaitData(until: HostTime?)
    }

    /// Since when no data has arrived.
    private var since: HostTime?
    /// Since when the output's clock has stood although it has frames.
    private var standsSince: HostTime?

    /// Seconds that count as nothing.
    static let nothing = 0.001
    /// Seconds beyond what the output takes at once that are decoded before the thread sleeps without watching the
    /// network.
    private static let reserve = 0.75
    /// Seconds between two looks while there is less.
    private static let look = 0.2
    /// Seconds after which an output that stands counts as having run dry; for one that takes frames as fast as they
    /// come, seconds without data.
    private static let patience = 0.3
    /// Seconds beyond what an output takes before it plays with which it certainly plays.
    private static let margin = 0.1

    /// Whether the last read found no data.
    var isOn: Bool { since != nil }

    /// Marks that data has arrived, or that another medium is read.
    mutating func end() { since = nil }

    /// Decides what to do about missing data.
    ///
    /// - Parameter isWanted: Whether the player is to play.
    mutating func look(at output: Output, isWanted: Bool, now: HostTime) -> Decision {
        guard isWanted else {
            standsSince = nil
            return Decision(wait: .sleep(until: nil))
        }
        let start = since ?? now
        since = start
        guard output.keepsTime else {
            guard now - start < Self.patience else { return Decision(marksEnd: true, wait: .awaitData(until: nil)) }
            return Decision(wait: .awaitData(until: start + Self.patience))
        }
        standsSince = output.isMoving ? nil : standsSince ?? now
        let spare = output.ahead - (output.lead + Self.reserve)
        if output.isMoving, spare > Self.look { return Decision(wait: .sleep(until: now + spare)) }
        // An output that has enough to play, and stands all the same, is only slow to start.
        let isShort = output.ahead < output.lead + Self.margin
        let stands = isShort && standsSince.map { now - $0 >= Self.patience } ?? false
        return Decision(marksEnd: true, stands: stands, wait: stands ? .none : wait(for: output, now))
    }

    /// The wait while the decoded frames are played.
    private func wait(for output: Output, _ now: HostTime) -> Wait {
        if output.ahead < Self.nothing { return .none }
        guard output.isMoving else { return .awaitData(until: now + Self.patience) }
        // Not woken for every packet.
        if output.ahead > Self.look + Self.nothing { return .sleep(until: now + Self.look) }
        return .awaitData(until: now + output.ahead + Self.nothing)
    }
}
