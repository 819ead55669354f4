internal import AudioTypes

/// The segments of subtitles that are fetched, and the times when those that have failed are tried again.
///
/// A failing one keeps no other from being fetched. A pure value.
struct SubtitleSchedule {
    /// Tries of one segment, of which the last comes half a minute after the first: by then its place has mostly been shown.
    static let mostTries = 5

    /// The numbers of segments that need not be fetched any more.
    private var finished: Set<Int> = []
    private var retries: [Int: SubtitleRetry] = [:]

    func isDue(_ number: Int, now: HostTime) -> Bool {
        !finished.contains(number) && (retries[number]?.next ?? now) <= now
    }

    mutating func done(_ number: Int) {
        finished.insert(number)
        retries[number] = nil
    }

    mutating func failed(_ number: Int, isFinal: Bool, now: HostTime) {
        var retry = retries[number] ?? SubtitleRetry()
        retry.failed(now: now)
        if isFinal || retry.failures >= Self.mostTries { done(number) } else { retries[number] = retry }
    }

    /// When the first of some segments that have failed is tried again.
    func next(of numbers: [Int]) -> HostTime? { numbers.compactMap { retries[$0]?.next }.min() }

    /// Forgets segments that have left the playlist.
    mutating func forget(before number: Int) {
        finished = finished.filter { $0 >= number }
        retries = retries.filter { $0.key >= number }
    }
}

/// When something that has failed is tried again: more and more rarely.
struct SubtitleRetry {
    /// Seconds at most.
    private static let longest = 64.0

    private(set) var failures = 0
    /// `nil` before anything has failed.
    private(set) var next: HostTime?

    /// - Returns: When it is tried again.
    @discardableResult
    mutating func failed(now: HostTime) -> HostTime {
        failures += 1
        let time = now + min(Double(1 << min(failures, 10)), Self.longest)
        next = time
        return time
    }
}
