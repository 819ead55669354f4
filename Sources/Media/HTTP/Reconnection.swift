package import AudioTypes

/// When a lost stream is retried, and when it fails for good.
///
/// The first attempt follows almost at once: in most cases a connection was merely closed. Then the pauses double, up
/// to a bound that depends on the cost of an attempt and its chance of success: 0.8 s where a local host disconnects,
/// so that music is back within a second of the server; 2 s for a name server, so that radio at boot starts soon after
/// the network; 5 s for a server that is slow or answers with an error; 1.5 s for a broadcast's, where each second is
/// lost, and for a host whose port is watched, because then a wait ends as soon as that is open. Each pause is
/// shortened by up to a half at random, so that a server that comes back does not meet all its listeners at once.
package struct Reconnection: Sendable {
    package enum Decision: Sendable, Hashable {
        case retry(at: HostTime)
        case giveUp
    }

    /// For how long an address is tried that has never answered.
    package enum FirstContact: Sendable, Hashable {
        /// It has answered before.
        case made
        /// Seconds; `nil`: 15, and two tries where the host refuses to connect or its name does not exist.
        case awaited(within: Double?)
    }

    private static let firstPause = 0.1
    /// Before the last try of an address that has refused the first one.
    private static let pauseAfterRefusal = 1.0
    private static let usualPatience = 15.0
    /// Seconds of retries for media with an end, and media without any data yet.
    private static let usualLimit = 600.0
    /// An attempt that fails sooner was refused by a local host.
    private static let nearby = 0.05

    /// Seconds; `nil`: 600 for media with an end, no limit for live ones.
    ///
    /// Infinity is no limit.
    package var limit: Double?
    /// The number of the next attempt, from 1; 0 while connected.
    package private(set) var attempt = 0
    /// When the connection was lost; `nil` while connected.
    package private(set) var since: HostTime?
    /// Whether bytes have ever arrived.
    package private(set) var hasSucceeded = false
    private var attemptBegan: HostTime?
    private var firstContact: FirstContact
    /// When an address that has never answered was first tried over a working network.
    private var contactBegan: HostTime?
    private var refusals = 0

    package init(limit: Double?, firstContact: FirstContact = .made) {
        self.limit = limit
        self.firstContact = firstContact
    }

    /// Starts an attempt.
    package mutating func began(now: HostTime) {
        attemptBegan = now
        if contactBegan == nil { contactBegan = now }
    }

    /// Seconds that the current attempt has taken.
    func elapsed(now: HostTime) -> Double { attemptBegan.map { now - $0 } ?? .infinity }

    /// When an address that has never answered is given up; `nil` for others.
    package var contactDeadline: HostTime? {
        guard case .awaited(let limit) = firstContact, let contactBegan else { return nil }
        return contactBegan + min(limit ?? Self.usualPatience, 1e9)
    }

    /// Handles the failure of an attempt, or of the connection that it established.
    ///
    /// - Parameter random: From 0 to 1.
    package mutating func failed(_ error: HTTPError, isLive: Bool, now: HostTime, random: Double) -> Decision {
        guard isWorthwhile(error, isLive: isLive) else { return .giveUp }
        let lost = since ?? now
        since = lost
        recordContact(error, now: now)
        var last = lost + min(limit ?? (isLive ? .infinity : Self.usualLimit), 1e9)
        if let contactDeadline { last = min(last, contactDeadline) }
        guard now < last, !isRefusedForGood else { return .giveUp }
        attempt += 1
        let bound = bound(error, isLive: isLive, elapsed: elapsed(now: now))
        attemptBegan = nil
        if let wanted = error.retryAfter {
            let time = now + wanted
            return time <= last ? .retry(at: time) : .giveUp
        }
        let usual = min(Self.firstPause * pow2(attempt - 1), bound) * (1 - random / 2)
        let pause = isRefusedAtFirst ? Self.pauseAfterRefusal : usual
        return .retry(at: min(now + pause, last))
    }

    /// Handles the arrival of enough bytes.
    package mutating func succeeded() {
        hasSucceeded = true
        firstContact = .made
        attempt = 0
        since = nil
        attemptBegan = nil
    }

    // MARK: The first contact

    /// Handles what an error tells of an address that has never answered: a status is an answer, and time without a
    /// network does not count.
    private mutating func recordContact(_ error: HTTPError, now: HostTime) {
        if error.status != nil { firstContact = .made }
        if error.isOffline {
            contactBegan = nil
        } else {
            contactBegan = contactBegan ?? now
            if error.isRefusal { refusals += 1 }
        }
    }

    private var isRefusedAtFirst: Bool { firstContact == .awaited(within: nil) && refusals == 1 }
    private var isRefusedForGood: Bool { firstContact == .awaited(within: nil) && refusals > 1 }

    /// Whether a later attempt may succeed.
    ///
    /// A live broadcast is not found, or forbidden, while its studio is away.
    private func isWorthwhile(_ error: HTTPError, isLive: Bool) -> Bool {
        if error.kind == .slow && !hasSucceeded { return false }
        if isLive, hasSucceeded, let status = error.status { return ![401, 407, 451].contains(status) }
        return error.isTemporary
    }

    /// The longest pause in seconds.
    private func bound(_ error: HTTPError, isLive: Bool, elapsed: Double) -> Double {
        switch error.kind {
        case .resolving: 2
        case .connecting where error.isWatched: 5
        case .status: isLive ? 1.5 : 5
        case _ where elapsed < Self.nearby: 0.8
        default: isLive ? 1.5 : 5
        }
    }

    private func pow2(_ exponent: Int) -> Double { Double(sign: .plus, exponent: min(exponent, 20), significand: 1) }
}
