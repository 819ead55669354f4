internal import Authorization

/// How much was sent to the principals that are sent only so much within an hour.
///
/// A value without a clock.
struct ByteQuotas: Sendable {
    private var counts = RateCounts(span: 3_600)
    /// The principals that have reached their quota.
    private(set) var exhausted: Set<PrincipalID> = []

    /// - Parameter now: In seconds, of a clock that always goes on.
    /// - Returns: Whether the principal has reached its quota with these bytes.
    mutating func sent(_ bytes: Int, to id: PrincipalID, of megabytes: Int, at now: Double) -> Bool {
        counts.add(bytes, of: id.description, at: now)
        guard counts.count(of: id.description, at: now) >= megabytes * Self.megabyte else { return false }
        return exhausted.insert(id).inserted
    }

    /// Recomputes which principals have reached their quota; called when quotas have changed or time has passed.
    ///
    /// - Parameter megabytes: The quota of each principal, for an hour.
    /// - Returns: In how many seconds the first of them may be sent more; `nil` when none has reached its quota.
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
