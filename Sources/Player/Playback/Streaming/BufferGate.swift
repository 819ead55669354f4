package import AudioTypes

/// Decides when data of a network medium is released to the output: at once if it arrives faster than it is played,
/// otherwise once it lasts for a while.
///
/// Closed at an item's start and whenever frames have run out; open from a decision until the next time. A pure value.
package struct BufferGate: Sendable, Hashable {
    /// The buffered data at one moment; seconds are those of playing time.
    package struct Supply: Sendable, Hashable {
        /// Seconds received and not decoded.
        package var queued: Double
        /// Seconds decoded and not heard.
        package var ahead: Double = 0
        /// Whether waiting brings no more: all is here, or the buffer is full.
        package var isAll = false
        /// Whether the connection is currently lost, so that nothing arrives.
        package var isAway = false
        /// Whether it is live, so that it arrives no faster than it is played.
        package var isLive = false
        /// Seconds received per second, measured for longer than the gate has watched; `nil` when unknown.
        package var rate: Double?

        package init(queued: Double) { self.queued = queued }

        fileprivate var total: Double { queued + ahead }
    }

    package enum Decision: Sendable, Hashable {
        case open
        /// Look again then, or when the first data arrives.
        case wait(until: HostTime)
    }

    package private(set) var isOpen = true
    /// Seconds that the output takes before it plays anything.
    private var lead = 0.0
    private var burst = Self.shortestBurst
    /// When it opened because enough was buffered.
    private var opened: HostTime?
    /// Whether frames have run out since the item began.
    private var hasStalled = false
    /// The supply when there first was any.
    private var first: Look?
    /// When it was first looked at.
    private var watched: HostTime?

    /// Whether to wait no longer than the output needs.
    private var isHurried = false

    private struct Look: Sendable, Hashable {
        var time: HostTime
        var queued: Double
    }

    package init() {}

    /// Seconds for which the buffer has to last: more than the fifteen promised, because no throughput is even.
    private static let horizon = 18.0
    /// Seconds that may arrive at once and say nothing about the rate: servers that throttle often do so second by
    /// second, and after a stall the gate is more careful.
    private static let shortestBurst = 1.0
    private static let longestBurst = 8.0
    /// Seconds over which a rate must be measured to be trusted, also of live media.
    private static let fairTime = 3.0
    private static let fairLiveTime = 1.0
    /// Least and most to wait for, in seconds.
    private static let least = 1.0
    private static let most = 15.0
    /// Seconds beyond what an output takes at once, for the decoder's delay, and after a stall.
    private static let margin = 0.15
    private static let caution = 1.0
    /// Seconds between two looks, and while nothing has arrived.
    private static let nextLook = 0.002
    private static let latestLook = 0.25
    private static let emptyLook = 1.0

    /// Closes the gate: an item begins, or frames have run out.
    ///
    /// - Parameter lead: Seconds that the output takes before it plays anything.
    package mutating func close(lead: Double, afterStall: Bool = false) {
        isOpen = false
        first = nil
        watched = nil
        isHurried = false
        self.lead = lead
        if !afterStall {
            burst = Self.shortestBurst
            opened = nil
        }
        hasStalled = afterStall
    }

    /// Opens the gate for good, as for a file.
    package mutating func open() { isOpen = true }

    /// Opens the gate as soon as the output can play; holds until it is closed again.
    package mutating func hurry() { isHurried = true }

    /// Seconds since it was first looked at after it was closed.
    package func age(at now: HostTime) -> Double { watched.map { now - $0 } ?? 0 }

    /// Decides, while the gate is closed.
    package mutating func look(_ supply: Supply, at now: HostTime) -> Decision {
        if isOpen { return .open }
        watch(at: now)
        if supply.isAll || isEnough(supply, at: now) {
            isOpen = true
            opened = supply.isAll || isHurried ? nil : now
            return .open
        }
        // The longer it takes, the less a moment matters.
        let age = first.map { now - $0.time } ?? age(at: now)
        let latest = first == nil ? Self.emptyLook : Self.latestLook
        return .wait(until: now + min(max(Self.nextLook, age / 8), latest))
    }

    private mutating func watch(at now: HostTime) {
        guard watched == nil else { return }
        watched = now
        if let opened, now - opened < Self.most { burst = min(2 * burst, Self.longestBurst) }
        opened = nil
    }

    private mutating func isEnough(_ supply: Supply, at now: HostTime) -> Bool {
        if supply.isAway {
            // Only the data that follows shows how fast it arrives.
            first = nil
            return isHurried ? isPlayable(supply) : supply.total >= max(Self.most, least)
        }
        guard supply.queued > 0 else { return false }
        let first = first ?? Look(time: now, queued: supply.queued)
        self.first = first
        if isHurried { return isPlayable(supply) }
        let missing = max(0, 1 - rate(supply, since: first, at: now))
        return supply.total >= min(max(Self.horizon * missing, least), max(Self.most, least))
    }

    private func isPlayable(_ supply: Supply) -> Bool {
        supply.queued > 0 && supply.total >= (lead > 0 ? lead + Self.margin : 0)
    }

    /// The least the output needs to play, and enough to make starting worthwhile.
    private var least: Double {
        guard lead > 0 else { return Self.least }
        return max(Self.least, lead + (hasStalled ? Self.caution : Self.margin))
    }

    /// Seconds received per second, as far as known already.
    private func rate(_ supply: Supply, since first: Look, at now: HostTime) -> Double {
        let time = max(now - first.time, 0.001)
        var certain = max(0, supply.queued - burst) / time
        // Data received while the item was opened is there all at once, however long it took.
        if !hasStalled, let rate = supply.rate { certain = min(certain, rate) }
        guard time >= (supply.isLive ? Self.fairLiveTime : Self.fairTime) else { return certain }
        let seen = (supply.queued - first.queued) / time
        return max(certain, min(seen, supply.rate ?? seen))
    }
}

extension BufferGate {
    /// Whether the buffer will probably last, however long it is played (`isPlaybackLikelyToKeepUp`).
    package static func keepsUp(_ supply: Supply) -> Bool {
        if supply.isAll { return true }
        let missing = supply.isAway ? 1 : max(0, 1 - (supply.rate ?? 1))
        return supply.total >= min(max(most * missing, least), most)
    }
}
