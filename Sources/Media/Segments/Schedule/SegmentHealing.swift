internal import AudioTypes
internal import HTTP

/// What is done about segments that cannot be fetched.
///
/// One that the server does not have, or that breaks every time, is tried for as long as it lasts and then left out, so
/// that the others are heard. A server that cannot be reached, or has no segment at all any more, is waited for; where a
/// presentation has an end, so is one that does not have several in a row, and they are not left out after all.
struct SegmentHealing: Sendable {
    enum Decision: Sendable, Hashable {
        case retry(at: HostTime)
        /// It is left out.
        case skip
        /// It was not the segment's fault: the one that was left out is tried again.
        case goBack(to: Int, at: HostTime)
        case giveUp
    }

    /// As many missing segments in a row are an outage, where the presentation has an end.
    private static let longestGap = 3
    /// Seconds for which the last segments of all are waited for, of which nothing but themselves depends.
    private static let patienceAtEnd = 30.0

    private(set) var reconnection: Reconnection
    let isLive: Bool
    /// When the segment that is tried first failed.
    private var failingSince: HostTime?
    /// Segments that were not there, one after the other, and since when.
    private var missing = 0
    private var missingSince: HostTime?
    /// The first of them of which nothing was heard.
    private var firstMissing: Int?
    /// Whether that is waited for, with all that follow.
    private var awaitsMissing = false
    /// Whether nothing follows those that are waited for.
    private var isAtEnd = false
    /// A segment that was left out because it broke, while nothing has come since that proves that others come.
    private var doubtful: Int?
    /// Whether nothing comes at all, so that nothing is left out.
    private var isOutage = false

    init(limit: Double?, isLive: Bool) {
        reconnection = Reconnection(limit: limit)
        self.isLive = isLive
    }

    /// A segment is asked for; also again.
    mutating func began(now: HostTime) { reconnection.began(now: now) }

    /// Bytes of a segment have come.
    mutating func succeeded() {
        reconnection.succeeded()
        forget()
    }

    /// What failed says nothing of what is tried from now on, as after a seek.
    mutating func forget() {
        isOutage = false
        doubtful = nil
        missing = 0
        missingSince = nil
        firstMissing = nil
        awaitsMissing = false
        isAtEnd = false
        failingSince = nil
    }

    /// Another segment is tried.
    mutating func moved() { failingSince = nil }

    /// A request for a segment, or its body, has failed.
    ///
    /// - Parameters:
    ///   - duration: Of the segment, in seconds.
    ///   - isNewest: Whether a live playlist has no later one, so that it may still be on its way to the server.
    ///   - isBegun: Whether some of it was given, which must not be given again.
    mutating func failed(
        _ error: HTTPError,
        sequence: Int,
        duration: Double,
        isNewest: Bool,
        isBegun: Bool = false,
        now: HostTime,
        random: Double
    ) -> Decision {
        let since = failingSince ?? now
        failingSince = since
        let patience = min(max(duration, 0.5), 30)
        switch error.trouble {
        case .final:
            return .giveUp
        case .missing:
            if hasMissedTooLong(duration, now) { return .giveUp }
            if awaitsMissing {
                if isAtEnd, now - since > Self.patienceAtEnd { return .giveUp }
                return wait(error, now, random) { .retry(at: $0) }
            }
            // Where one was missing already, the next is not waited for: a whole folder may be.
            let isHopeless = missing > 0 && !isNewest
            guard isHopeless || now - since >= (isNewest ? patience : min(patience, 1)) else {
                return .retry(at: now + min(max(patience / 4, 0.1), 0.5))
            }
            skipMissing(isBegun ? sequence + 1 : sequence)
            if missing >= Self.longestGap, let first = awaitMissing() {
                return wait(error, now, random) { .goBack(to: first, at: $0) }
            }
            return .skip
        case .broken, .unreachable:
            missingSince = nil
            // Only what the server itself breaks counts against a segment.
            if error.trouble == .unreachable { failingSince = nil }
            if let doubtful, doubtful != sequence {
                isOutage = true
                self.doubtful = nil
                failingSince = now
                return wait(error, now, random) { .goBack(to: doubtful, at: $0) }
            }
            if error.trouble == .broken, !isOutage, now - since >= patience {
                doubtful = sequence
                failingSince = nil
                return .skip
            }
            return wait(error, now, random) { .retry(at: $0) }
        }
    }

    /// Whether nothing of a live presentation has come for as long as one waits for a server that is away.
    private mutating func hasMissedTooLong(_ duration: Double, _ now: HostTime) -> Bool {
        let since = missingSince ?? now
        missingSince = since
        guard isLive, let limit = reconnection.limit else { return false }
        return now - since > max(limit, 3 * duration)
    }

    private mutating func skipMissing(_ sequence: Int) {
        missing += 1
        firstMissing = firstMissing ?? sequence
        failingSince = nil
    }

    /// Has what was missing last be waited for.
    ///
    /// - Returns: The segment to go back to; `nil` where nothing is to be waited for: nothing of it was ever there, or
    ///   it goes on without it.
    private mutating func awaitMissing() -> Int? {
        guard !isLive, reconnection.hasSucceeded, let firstMissing else { return nil }
        awaitsMissing = true
        isOutage = true
        doubtful = nil
        return firstMissing
    }

    /// The first of the segments that were left out since anything came; `nil` when none was.
    var leftOut: Int? { firstMissing ?? doubtful }

    /// No segment follows those that were left out.
    ///
    /// - Returns: The segment to go back to; `nil` when they have been given up.
    mutating func reachedEnd() -> Int? {
        isAtEnd = true
        return awaitMissing()
    }

    private mutating func wait(
        _ error: HTTPError,
        _ now: HostTime,
        _ random: Double,
        then decision: (HostTime) -> Decision
    ) -> Decision {
        switch reconnection.failed(error.asOutage, isLive: isLive, now: now, random: random) {
        case .retry(let time): decision(time)
        case .giveUp: .giveUp
        }
    }
}

extension HTTPError {
    enum Trouble { case missing, broken, unreachable, final }

    /// Whose fault it is.
    var trouble: Trouble {
        switch kind {
        case .resolving, .connecting, .unanswered, .tls, .reset, .silent: .unreachable
        case .closedEarly, .slow, .malformed, .tooLarge, .changed, .redirects, .other: .broken
        case .status: isTemporary ? .broken : .missing
        case .certificate, .refused, .interrupted: .final
        }
    }

    /// The same, of a server that is known to have what it does not give: one that is busy.
    fileprivate var asOutage: HTTPError {
        guard trouble == .missing else { return asTemporary }
        return HTTPError(.status(503, ""), retryAfter: retryAfter, serverAddress: serverAddress)
    }

    /// The same, where it has to be tried again though it would be final elsewhere.
    ///
    /// In live playing a playlist that is not found is one that is being written.
    var asTemporary: HTTPError {
        isTemporary ? self : HTTPError(.reset(code: 0), retryAfter: retryAfter, serverAddress: serverAddress)
    }
}
