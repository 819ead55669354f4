internal import Segments

/// Segments of one length, one after the other.
struct SegmentRun: Sendable, Hashable {
    /// Where the first begins, in ticks of the media.
    var time: Int
    var duration: Int
    var count: Int
    /// The first one's number.
    var number: Int
}

/// What of a period there is to be had.
struct PeriodWindow: Sendable, Hashable {
    /// Seconds of the period; `nil` while nobody knows.
    var length: Double?
    /// Seconds since the period began, as far as it is there by now; `nil`: all of it is.
    var now: Double?
    /// Seconds for which it stays.
    var depth: Double?
}

extension Addressing {
    /// The segments of a period, by their times alone.
    func runs(in window: PeriodWindow) throws(SegmentError) -> [SegmentRun] {
        if let timeline { return try runs(timeline, window) }
        guard let duration else {
            // One segment that lasts as long as the period.
            let length = ticks(window.length ?? 0)
            return [SegmentRun(time: offset, duration: length, count: 1, number: startNumber)]
        }
        return try regular(duration, window).map { [$0] } ?? []
    }

    /// Segments that all have the same length.
    private func regular(_ duration: Int, _ window: PeriodWindow) throws(SegmentError) -> SegmentRun? {
        if kind == .list, window.now != nil {
            // What moves on is told by the first one's number.
            let time = try counted(duration)
            _ = try length(of: locations.count, duration)
            return SegmentRun(time: time, duration: duration, count: locations.count, number: startNumber)
        }
        let listed = kind == .list ? locations.count : endNumber.map { max(0, $0 - startNumber + 1) }
        let seconds = Double(duration) / Double(timescale)
        // A thousandth of a segment is a rounding error.
        let whole = window.length.map { Self.count($0 / seconds - 0.001, .up) }
        guard let end = [listed, whole, window.now.map { Self.count($0 / seconds, .down) }].compactMap(\.self).min()
        else { throw .badManifest("nothing says how many segments there are") }
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

    /// Where the first segment begins if all that have numbers before it were as long as it is.
    private func counted(_ duration: Int) throws(SegmentError) -> Int {
        offset + (try length(of: max(startNumber - 1, 0), duration))
    }

    /// The ticks of segments; so few that they can be added to others without overflow.
    private func length(of count: Int, _ duration: Int) throws(SegmentError) -> Int {
        let (length, isTooLong) = count.multipliedReportingOverflow(by: duration)
        guard !isTooLong, length < ManifestLimits.number else { throw Self.tooLong }
        return length
    }

    private static func count(_ value: Double, _ rule: FloatingPointRoundingRule) -> Int {
        Int(min(max(value.isNaN ? 0 : value.rounded(rule), 0), 1e15))
    }

    /// Segments whose lengths are listed.
    private func runs(_ timeline: [TimelineEntry], _ window: PeriodWindow) throws(SegmentError) -> [SegmentRun] {
        var runs: [SegmentRun] = []
        // Of a list that moves on and does not say where it is, the first one's number does.
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

    /// How many segments an entry stands for that says how long one is only.
    private func repetitions(of duration: Int, from time: Int, until next: Int?, _ window: PeriodWindow) -> Int {
        if let next { return (next - time + duration - 1) / duration }
        let seconds = [window.length, window.now].compactMap(\.self).min()
        guard let seconds else { return 1 }
        let rest = offset + ticks(seconds) - time
        // What is not there in full yet is not there.
        return window.now != nil && window.now == seconds ? rest / duration : (rest + duration - 1) / duration
    }

    private func ticks(_ seconds: Double) -> Int {
        Int(min(max((seconds * Double(timescale)).rounded(.down), 0), Double(ManifestLimits.number)))
    }

    private static var tooLong: SegmentError { .badManifest("its segments last for longer than can be counted") }
}

extension [SegmentRun] {
    /// The last segments of all, so many at most.
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

    /// How many segments they are; no more than a number that is too many.
    var segmentCount: Int { reduce(0) { Swift.min($0 + $1.count, ManifestLimits.number) } }
}
