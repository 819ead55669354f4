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
        guard !exhausted.contains(id), counts.count(of: id.description, at: now) >= megabytes * Self.megabyte else {
            return false
        }
        exhausted.insert(id)
        return true
    }

    /// Looks which principals may be sent more again.
    ///
    /// - Parameter megabytes: How many each is sent within an hour; `nil` for any number.
    /// - Returns: In how many seconds to look again; `nil` when there is no need to.
    mutating func renew(at now: Double, _ megabytes: (PrincipalID) -> Int?) -> Double? {
        var next: Double?
        for id in exhausted {
            let wait = megabytes(id).map { counts.wait(until: $0 * Self.megabyte, of: id.description, at: now) } ?? 0
            if wait > 0 { next = min(next ?? wait, wait) } else { exhausted.remove(id) }
        }
        return next
    }

    /// In bytes.
    private static let megabyte = 1_000_000
}
