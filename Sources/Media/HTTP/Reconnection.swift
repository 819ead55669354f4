package import AudioTypes

/// When a lost stream is tried again, and when no more.
///
/// The first attempt follows almost at once: most losses are a connection that somebody closed. Then the pauses double,
/// up to a bound that depends on what an attempt costs others and us, and on what it may find: where a near host breaks
/// off, 0.8 s at most lie between two, so that music is back within a second of the server; a name server is asked every
/// 2 s, so that radio at boot begins soon after the network; whoever takes his time or answers with an error is left alone
/// for up to 5 s, a broadcast's server for 1.5 s, for there each second is lost; and so is a host whose port is watched,
/// for then a wait ends as soon as that is open. Each pause is shortened by up to a half at random, so that a server that
/// comes back does not meet all its listeners at once.
package struct Reconnection: Sendable {
    package enum Decision: Sendable, Hashable {
        case retry(at: HostTime)
        case giveUp
    }

    private static let firstPause = 0.1
    /// Seconds that media with an end are tried again, and media of which nothing has come yet.
    private static let usualLimit = 600.0
    /// An attempt that fails sooner was refused by a near host.
    private static let nearby = 0.05

    /// Seconds; `nil`: 600 for media with an end, for ever for live ones.
    ///
    /// Infinity is for ever.
    package var limit: Double?
    /// The number of the attempt that follows, from 1; 0 while all is well.
    package private(set) var attempt = 0
    /// When it was lost; `nil` while it is there.
    package private(set) var since: HostTime?
    /// Whether bytes have come at any time.
    package private(set) var hasSucceeded = false
    private var attemptBegan: HostTime?

    package init(limit: Double?) { self.limit = limit }

    /// An attempt begins.
    package mutating func began(now: HostTime) { attemptBegan = now }

    /// An attempt, or what it had brought, has failed.
    ///
    /// - Parameter random: From 0 to 1.
    package mutating func failed(_ error: HTTPError, isLive: Bool, now: HostTime, random: Double) -> Decision {
        guard isWorthwhile(error, isLive: isLive) else { return .giveUp }
        let lost = since ?? now
        since = lost
        let last = lost + min(limit ?? (isLive ? .infinity : Self.usualLimit), 1e9)
        guard now < last else { return .giveUp }
        attempt += 1
        let bound = bound(error, isLive: isLive, elapsed: attemptBegan.map { now - $0 } ?? .infinity)
        attemptBegan = nil
        if let wanted = error.retryAfter {
            let time = now + wanted
            return time <= last ? .retry(at: time) : .giveUp
        }
        let pause = min(Self.firstPause * pow2(attempt - 1), bound) * (1 - random / 2)
        return .retry(at: min(now + pause, last))
    }

    /// Bytes have come that are worth it.
    package mutating func succeeded() {
        hasSucceeded = true
        attempt = 0
        since = nil
        attemptBegan = nil
    }

    /// Whether it may be otherwise later.
    ///
    /// A broadcast that has been on is not found, or is forbidden, for as long as its studio is away.
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
