internal import Authorization

/// How much was sent to the principals that are sent only so much within an hour.
///
/// A value without a clock.
struct ByteQuotas: Sendable {
    private var counts = RateCounts(span: 3_600)
    /// Those that were sent as much as they may be, or more by the end of what was on its way.
    private(set) var exhausted: Set<PrincipalID> = []

    /// - Parameter now: In seconds, of a clock that always goes on.
    /// - Returns: Whether that was the rest of what it may be sent.
    mutating func sent(_ bytes: Int, to id: PrincipalID, of megabytes: Int, at now: Double) -> Bool {
        counts.add(bytes, of: id.description, at: now)
        guard counts.count(of: id.description, at: now) >= megabytes * Self.megabyte else { return false }
        return exhausted.insert(id).inserted
    }

    /// Looks which principals were sent as much as they may be, after a change or some time.
    ///
    /// - Parameter megabytes: How many each is sent within an hour.
    /// - Returns: In how many seconds to look again; `nil` when there is no need to.
    mutating func renew(_ megabytes: [PrincipalID: Int], at now: Double) -> Double? {
        exhausted = []
        var next: Double?
        for (id, most) in megabytes {
            let wait = counts.wait(until: most * Self.megabyte, of: id.description, at: now)
            guard wait > 0 else { continue }
            exhausted.insert(id)
            next = min(next ?? wait, wait)
        }
        return next
    }

    /// In bytes.
    private static let megabyte = 1_000_000
}
