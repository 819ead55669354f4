internal import AudioTypes
internal import HTTP

/// Decides what to do about segments that cannot be fetched.
///
/// One that the server lacks, or that fails every time, is retried for as long as it lasts and then left out, so that
/// the others are played. A server that is unreachable, or lacks all segments, is waited for; a presentation with an
/// end also waits when several in a row are missing, which are then not left out after all.
struct SegmentHealing: Sendable {
    enum Decision: Sendable, Hashable {
        case retry(at: HostTime)
        /// The segment is left out.
        case skip
        /// The segment was not the cause: the one left out is retried.
        case goBack(to: Int, at: HostTime)
        case giveUp
    }

    /// So many missing segments in a row are an outage, if the presentation has an end.
    private static let longestGap = 3
    /// Seconds to wait for the last segments, on which no others depend.
    private static let patienceAtEnd = 30.0

    private(set) var reconnection: Reconnection
    let isLive: Bool
    /// When the current segment first failed.
    private var failingSince: HostTime?
    /// The number of missing segments in a row, and since when.
    private var missing = 0
    private var missingSince: HostTime?
    /// The first of them that was not played.
    private var firstMissing: Int?
    /// Whether to wait for it, and for all that follow.
    private var awaitsMissing = false
    /// Whether no segment follows the missing ones.
    private var isAtEnd = false
    /// A segment left out because it failed, before any later one has proved the server to work.
    private var doubtful: Int?
    /// Whether no segment arrives at all, so that none is left out.
    private var isOutage = false

    init(limit: Double?, isLive: Bool) {
        reconnection = Reconnection(limit: limit)
        self.isLive = isLive
    }

    /// Starts a request for a segment, also a repeated one.
    mutating func began(now: HostTime) { reconnection.began(now: now) }

    /// Handles the arrival of a segment's bytes.
    mutating func succeeded() {
        reconnection.succeeded()
        forget()
    }

    /// Forgets the failures, which say nothing about the next requests, for example after a seek.
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

    /// Moves on to another segment.
    mutating func moved() { failingSince = nil }

    /// Handles the failure of a request for a segment, or of its body.
    ///
    /// - Parameters:
    ///   - duration: The segment's, in seconds.
    ///   - isNewest: Whether it is the last of a live playlist, so that it may not have reached the server yet.
    ///   - isBegun: Whether part of it was returned, which must not be repeated.
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
            // After one missing segment, the next is not waited for: a whole folder may be missing.
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
            // Only failures of the server itself count against a segment.
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

    /// Whether no data of a live presentation has arrived for as long as the limit for an absent server.
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

    /// Starts to wait for the missing segments.
    ///
    /// - Returns: The segment to go back to; `nil` if there is no point in waiting: no data ever arrived, or the
    ///   presentation is live.
    private mutating func awaitMissing() -> Int? {
        guard !isLive, reconnection.hasSucceeded, let firstMissing else { return nil }
        awaitsMissing = true
        isOutage = true
        doubtful = nil
        return firstMissing
    }

    /// The first segment left out since data last arrived; `nil` when there is none.
    var leftOut: Int? { firstMissing ?? doubtful }

    /// Handles that no segment follows those left out.
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

    /// The cause of the failure.
    var trouble: Trouble {
        switch kind {
        case .resolving, .connecting, .unanswered, .tls, .reset, .silent: .unreachable
        case .closedEarly, .slow, .malformed, .tooLarge, .changed, .redirects, .other: .broken
        case .status: isTemporary ? .broken : .missing
        case .certificate, .refused, .interrupted: .final
        }
    }

    /// The same error as one of a busy server, which is known to have the segment.
    fileprivate var asOutage: HTTPError {
        guard trouble == .missing else { return asTemporary }
        return HTTPError(.status(503, ""), retryAfter: retryAfter, serverAddress: serverAddress)
    }

    /// The same error as a temporary one, although it would be final elsewhere.
    ///
    /// In live playback a playlist that is not found may be being rewritten.
    var asTemporary: HTTPError {
        isTemporary ? self : HTTPError(.reset(code: 0), retryAfter: retryAfter, serverAddress: serverAddress)
    }
}
