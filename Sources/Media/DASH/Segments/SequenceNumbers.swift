/// Assigns numbers to segments that stay the same while a manifest is updated.
///
/// A manifest's own numbers may restart with every period or update; a segment's time does not.
struct SequenceNumbers {
    private struct Known {
        var first: Int
        /// The starts of its segments, and the end of the last one, in seconds.
        var starts: [Double]
    }

    private var known: [String: Known] = [:]
    private var periods: [String: Int] = [:]
    private var periodCount = 0

    /// The number of the first of some segments.
    ///
    /// - Parameters:
    ///   - starts: Their starts, and the end of the last one.
    ///   - name: The name of the list that they are an update of.
    ///   - isLive: Whether updates will follow.
    mutating func first(_ starts: [Double], of name: String, isLive: Bool) -> Int {
        guard let start = starts.first, starts.count > 1 else {
            return known[name].map { $0.first + $0.starts.count - 1 } ?? 0
        }
        guard let old = known[name], let oldEnd = old.starts.last else {
            if isLive { remember(starts, 0, name) }
            return 0
        }
        let number: Int
        if start >= oldEnd - Self.tolerance(old.starts) {
            let usual = max(((starts.last ?? start) - start) / Double(starts.count - 1), 0.001)
            let missing = min(max(((start - oldEnd) / usual).rounded(), 0), 1e9)
            let isHole = start - oldEnd > Self.tolerance(starts)
            number = old.first + old.starts.count - 1 + max(Int(saturating: missing), isHole ? 1 : 0)
        } else if start >= (old.starts.first ?? start) {
            number = old.first + Self.nearest(start, in: old.starts)
        } else {
            number = old.first - Self.nearest(old.starts.first ?? start, in: starts)
        }
        remember(starts, number, name)
        return number
    }

    private mutating func remember(_ starts: [Double], _ first: Int, _ name: String) {
        if known.count >= 64 { known = [:] }
        known[name] = Known(first: first, starts: starts)
    }

    /// Half a segment: smaller differences are ignored.
    private static func tolerance(_ starts: [Double]) -> Double {
        starts.count > 1 ? abs(starts[1] - starts[0]) / 2 : 0.1
    }

    private static func nearest(_ value: Double, in sorted: [Double]) -> Int {
        var (low, high) = (0, sorted.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low > 0 && value - sorted[low - 1] < sorted[low] - value ? low - 1 : low
    }

    /// The number of a period's clock.
    mutating func clock(ofPeriod id: String) -> Int {
        if let number = periods[id] { return number }
        if periods.count >= 4_096 { periods = [:] }
        periodCount += 1
        periods[id] = periodCount
        return periodCount
    }
}
