package import AudioTypes

/// Decides when what has come of a network medium goes on to the output: at once when it comes faster than it is used,
/// otherwise not before it lasts for a while.
///
/// Closed at an item's beginning and whenever frames have run out; open from a decision to the next time. A pure value.
package struct BufferGate: Sendable, Hashable {
    /// What there is at one moment; seconds are those in which it is heard.
    package struct Supply: Sendable, Hashable {
        /// Seconds that have come and are not decoded.
        package var queued: Double
        /// Seconds that are decoded and not heard.
        package var ahead: Double = 0
        /// Whether waiting brings no more: all is there, or no more fits.
        package var isAll = false
        /// Whether the connection is lost at the moment, so that nothing comes.
        package var isAway = false
        /// Whether it comes no faster than it is used, because it is made just now.
        package var isLive = false
        /// Seconds that come in a second, measured over longer than the gate has seen; `nil` when unknown.
        package var rate: Double?

        package init(queued: Double) { self.queued = queued }

        fileprivate var total: Double { queued + ahead }
    }

    package enum Decision: Sendable, Hashable {
        case open
        /// Look again then; something that comes where there was nothing is looked at as well.
        case wait(until: HostTime)
    }

    package private(set) var isOpen = true
    /// Seconds that the output takes before it plays anything.
    private var lead = 0.0
    private var burst = Self.shortestBurst
    /// When it was opened because enough had come.
    private var opened: HostTime?
    /// Whether frames have run out since the item began.
    private var hasStalled = false
    /// What was there when it was looked at first, once there was anything.
    private var first: Look?
    /// When it was looked at for the first time.
    private var watched: HostTime?

    /// Whether nobody wants to wait for longer than the output needs.
    private var isHurried = false

    private struct Look: Sendable, Hashable {
        var time: HostTime
        var queued: Double
    }

    package init() {}

    /// Seconds for which what is there has to last: some more than the fifteen that are promised, for no throughput is even.
    private static let horizon = 18.0
    /// Seconds that may have come at once and say nothing of what follows: servers that are slow on purpose often are so
    /// second by second, and who was deceived is more careful the next time.
    private static let shortestBurst = 1.0
    private static let longestBurst = 8.0
    /// Seconds over which a rate has to be measured that is believed as it is, also of live media.
    private static let fairTime = 3.0
    private static let fairLiveTime = 1.0
    /// What is waited for at least and at most, in seconds.
    private static let least = 1.0
    private static let most = 15.0
    /// Seconds more than an output takes at once, for what the decoder keeps back, and after it has run dry.
    private static let margin = 0.15
    private static let caution = 1.0
    /// Seconds between two looks, and while there is nothing.
    private static let nextLook = 0.002
    private static let latestLook = 0.25
    private static let emptyLook = 1.0

    /// An item begins, or frames have run out.
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

    /// What comes is not held back, as that of a file is not.
    package mutating func open() { isOpen = true }

    /// What there is goes on as soon as the output can play it; holds until the gate is closed again.
    package mutating func hurry() { isHurried = true }

    /// Seconds since it was looked at for the first time after it was closed.
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
            // How fast it comes, only what follows can tell.
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

    /// What the output needs to play at all, and what makes starting worth while.
    private var least: Double {
        guard lead > 0 else { return Self.least }
        return max(Self.least, lead + (hasStalled ? Self.caution : Self.margin))
    }

    /// Seconds that come in a second, as far as can be said already.
    private func rate(_ supply: Supply, since first: Look, at now: HostTime) -> Double {
        let time = max(now - first.time, 0.001)
        var certain = max(0, supply.queued - burst) / time
        // What came while the item was opened is there all at once, however long it took.
        if !hasStalled, let rate = supply.rate { certain = min(certain, rate) }
        guard time >= (supply.isLive ? Self.fairLiveTime : Self.fairTime) else { return certain }
        let seen = (supply.queued - first.queued) / time
        return max(certain, min(seen, supply.rate ?? seen))
    }
}

extension BufferGate {
    /// Whether what is there will probably last, however long it is listened to (`isPlaybackLikelyToKeepUp`).
    package static func keepsUp(_ supply: Supply) -> Bool {
        if supply.isAll { return true }
        let missing = supply.isAway ? 1 : max(0, 1 - (supply.rate ?? 1))
        return supply.total >= min(max(most * missing, least), most)
    }
}
