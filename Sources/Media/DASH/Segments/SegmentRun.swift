internal import Segments

/// Consecutive segments of equal length.
struct SegmentRun: Sendable, Hashable {
    /// The start of the first one, in ticks of the media.
    var time: Int
    var duration: Int
    var count: Int
    /// The number of the first one.
    var number: Int
}

/// The available part of a period.
struct PeriodWindow: Sendable, Hashable {
    /// Seconds of the period; `nil` when unknown.
    var length: Double?
    /// Seconds of the period that are available by now; `nil`: all.
    var now: Double?
    /// Seconds for which segments stay available.
    var depth: Double?
}

extension Addressing {
    /// The segments of a period, calculated from times alone.
    func runs(in window: PeriodWindow) throws(SegmentError) -> [SegmentRun] {
        if let timeline { return try runs(timeline, window) }
        guard let duration else {
            // One segment as long as the period.
            let length = ticks(window.length ?? 0)
            return [SegmentRun(time: offset, duration: length, count: 1, number: startNumber)]
        }
        return try regular(duration, window).map { [$0] } ?? []
    }

    /// Segments that all have the same length.
    private func regular(_ duration: Int, _ window: PeriodWindow) throws(SegmentError) -> SegmentRun? {
        if kind == .list, window.now != nil {
            // In a sliding list, the first one's number gives the position.
            let time = try counted(duration)
            _ = try length(of: locations.count, duration)
            return SegmentRun(time: time, duration: duration, count: locations.count, number: startNumber)
        }
        let listed = kind == .list ? locations.count : endNumber.map { max(0, $0 - startNumber + 1) }
        let seconds = Double(duration) / Double(timescale)
        // A thousandth of a segment is a rounding error.
        let whole = window.length.map { Self.count($0 / seconds - 0.001, .up) }
        guard let end = [listed, whole, window.now.map { Self.count($0 / seconds, .down) }].compactMap(\.self).min()
        else { throw .badManifest("the number of its segments is unknown") }
        var first = 0
        if let now = window.now, let depth = window.depth { first = Self.count((now - depth) / seconds, .down) }
        guard first < end else { return nil }
        _ = try length(of: end, duration)
        return SegmentRun(
            time: offset + first * duration,
            duration: duration,
            count: end - first,
            number: startNumber + first
        )
    }

    /// The start of the first segment, assuming that all before it had the same length.
    private func counted(_ duration: Int) throws(SegmentError) -> Int {
        offset + (try length(of: max(startNumber - 1, 0), duration))
    }

    /// The ticks of segments; limited so that sums do not overflow.
    private func length(of count: Int, _ duration: Int) throws(SegmentError) -> Int {
        let (length, isTooLong) = count.multipliedReportingOverflow(by: duration)
        guard !isTooLong, length < ManifestLimits.number else { throw Self.tooLong }
        return length
    }

    private static func count(_ value: Double, _ rule: FloatingPointRoundingRule) -> Int {
        Int(saturating: min(max(value.isNaN ? 0 : value.rounded(rule), 0), 1e15))
    }

    /// Segments listed with their lengths.
    private func runs(_ timeline: [TimelineEntry], _ window: PeriodWindow) throws(SegmentError) -> [SegmentRun] {
        var runs: [SegmentRun] = []
        // In a sliding list without a start time, the first one's number gives the position.
        let isMoving = window.now != nil && timeline.first?.time == nil
        var time = isMoving ? try counted(timeline.first?.duration ?? 0) : 0
        var number = startNumber
        for (index, entry) in timeline.enumerated() {
            time = entry.time ?? time
            guard entry.duration > 0 else { continue }
            var count = min(entry.repetitions, ManifestLimits.number) + 1
            if entry.repetitions < 0 {
                let next = index + 1 < timeline.count ? timeline[index + 1].time : nil
                count = max(0, repetitions(of: entry.duration, from: time, until: next, window))
            }
            let length = try length(of: count, entry.duration)
            guard time < 2 * ManifestLimits.number, number < 2 * ManifestLimits.number else { throw Self.tooLong }
            if count > 0 {
                runs.append(SegmentRun(time: time, duration: entry.duration, count: count, number: number))
            }
            time += length
            number += count
        }
        return runs
    }

    /// The number of segments of an entry that gives only their length.
    private func repetitions(of duration: Int, from time: Int, until next: Int?, _ window: PeriodWindow) -> Int {
        if let next { return (next - time + duration - 1) / duration }
        let seconds = [window.length, window.now].compactMap(\.self).min()
        guard let seconds else { return 1 }
        let rest = offset + ticks(seconds) - time
        // An incomplete segment is not available yet.
        return window.now != nil && window.now == seconds ? rest / duration : (rest + duration - 1) / duration
    }

    private func ticks(_ seconds: Double) -> Int {
        Int(saturating: min(max((seconds * Double(timescale)).rounded(.down), 0), Double(ManifestLimits.number)))
    }

    private static var tooLong: SegmentError { .badManifest("its segments last for longer than can be counted") }
}

extension [SegmentRun] {
    /// The last segments, at most `limit`.
    func newest(_ limit: Int) -> [SegmentRun] {
        var rest = limit
        var result: [SegmentRun] = []
        for run in reversed() where rest > 0 {
            let count = Swift.min(run.count, rest)
            var part = run
            part.time += (run.count - count) * run.duration
            part.number += run.count - count
            part.count = count
            result.append(part)
            rest -= count
        }
        return result.reversed()
    }

    /// The number of segments, up to a limit that is too many anyway.
    var segmentCount: Int { reduce(0) { Swift.min($0 + $1.count, ManifestLimits.number) } }
}
