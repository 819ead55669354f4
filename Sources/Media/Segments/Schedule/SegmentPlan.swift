/// The next segment, and its time in the presentation: a playlist and the position in it.
///
/// A presentation's time starts with its playlist; that of a live one whose segments are removed with the first segment
/// played, and runs on from there whatever happens to the playlist.
struct SegmentPlan: Sendable {
    /// A segment and its time.
    struct Place: Sendable, Hashable {
        var sequence: Int
        var segment: MediaSegment
        /// Seconds in the presentation.
        var start: Double
        /// Segments with the same number share a clock.
        var timeline: Int
        var end: Double { start + segment.duration }
    }

    enum Step: Sendable, Hashable {
        case segment(Place)
        /// The next segment is not in the playlist yet.
        case reload
        case end
    }

    /// The effect of a newer playlist.
    enum Change: Sendable, Hashable {
        /// No news, or fewer segments: an old copy.
        case none
        /// More segments, or the end.
        case more
        /// More segments, but the next one was already removed: some are missing.
        case missed
        /// Another stream has replaced the one being played.
        case restarted
    }

    private(set) var playlist: MediaPlaylist
    /// The number of the next segment.
    private(set) var next: Int
    /// The moment at which playback starts, by the author's choice.
    private(set) var firstSound: Double
    /// The start of each segment in the presentation, and the end of the last one, in seconds.
    private var starts: [Double]
    /// Counts the streams that have replaced each other.
    private var epoch = 0
    /// Added to the playlist's discontinuity numbers: some servers forget to count the removed ones.
    private var discontinuityOffset = 0
    /// The end of the last playlist received, if it had less than this one.
    private var behind: Int?

    init(_ playlist: MediaPlaylist) {
        self.playlist = playlist
        starts = Self.starts(of: playlist, from: 0)
        let (index, sound) = Self.beginning(playlist, starts)
        next = playlist.mediaSequence + index
        firstSound = sound
        // A playlist that has an end, or keeps all its segments, has times of its own.
        guard playlist.kind == .live else { return }
        firstSound -= starts[index]
        starts = Self.starts(of: playlist, from: -starts[index])
    }

    // MARK: Reading

    var step: Step {
        if next < playlist.endSequence, next >= playlist.mediaSequence { return .segment(place(next)) }
        return playlist.isLive ? .reload : .end
    }

    /// Moves on, after the current segment was played or left out.
    mutating func advance() { next += 1 }

    /// Goes back to a segment, if it is still available.
    mutating func goBack(to sequence: Int) {
        if sequence >= playlist.mediaSequence, sequence < next { next = sequence }
    }

    /// The segments after the next one that are listed already.
    func following(_ count: Int) -> [Place] {
        let first = max(next, playlist.mediaSequence).adding(saturating: 1)
        return (first..<max(first, min(playlist.endSequence, first.adding(saturating: count)))).map(place)
    }

    private func place(_ sequence: Int) -> Place {
        let index = sequence - playlist.mediaSequence
        let segment = playlist.segments[index]
        return Place(
            sequence: sequence,
            segment: segment,
            start: starts[index],
            timeline: segment.discontinuity &+ discontinuityOffset &+ epoch &* 1_000_000_007
        )
    }

    /// Seconds from the start of a segment to the end of the playlist.
    func rest(from sequence: Int) -> Double {
        (starts.last ?? 0) - starts[min(max(sequence - playlist.mediaSequence, 0), starts.count - 1)]
    }

    /// The start of the next segment, even if it is not available yet.
    var nextStart: Double { starts[min(max(next - playlist.mediaSequence, 0), starts.count - 1)] }

    // MARK: Seeking

    /// The moments of a live presentation that may be sought: from the first segment that the server still has, but not
    /// from before time zero, to the segment that is played live; `nil` without segments.
    var window: ClosedRange<Double>? {
        guard playlist.isLive, let first = starts.first, !playlist.segments.isEmpty else { return nil }
        let live = max(0, starts[Self.liveIndex(playlist, starts)])
        return min(max(0, first), live)...live
    }

    /// Moves to the segment that is played live.
    ///
    /// - Returns: Its start.
    @discardableResult
    mutating func seekLive() -> Double { seek(to: window?.upperBound ?? nextStart) }

    /// The time range of the playlist.
    var range: ClosedRange<Double> { (starts.first ?? 0)...(starts.last ?? 0) }

    /// Makes the segment at a moment the next one; moments outside of the range are clamped.
    ///
    /// - Returns: Its start.
    mutating func seek(to seconds: Double) -> Double {
        guard !playlist.segments.isEmpty else { return nextStart }
        let index = Self.index(at: seconds, in: starts)
        next = playlist.mediaSequence + index
        return starts[index]
    }

    /// The last segment that starts at `seconds` or before, else the first.
    private static func index(at seconds: Double, in starts: [Double]) -> Int {
        var (low, high) = (0, max(starts.count - 2, 0))
        while low < high {
            let middle = (low + high + 1) / 2
            if starts[middle] <= seconds { low = middle } else { high = middle - 1 }
        }
        return low
    }

    private static func starts(of playlist: MediaPlaylist, from first: Double) -> [Double] {
        var starts = [first]
        starts.reserveCapacity(playlist.segments.count + 1)
        var time = first
        for segment in playlist.segments {
            time += segment.duration
            starts.append(time)
        }
        return starts
    }
}

// MARK: - Start

extension SegmentPlan {
    /// The first segment to play, and the moment at which playback starts.
    private static func beginning(
        _ playlist: MediaPlaylist,
        _ starts: [Double]
    ) -> (index: Int, sound: Double) {
        guard let end = starts.last, !playlist.segments.isEmpty else { return (0, 0) }
        if let start = playlist.start {
            let wanted = start.offset < 0 ? end + start.offset : start.offset
            let moment = min(max(wanted, 0), end)
            let index = index(at: moment, in: starts)
            return (index, start.isPrecise ? moment : starts[index])
        }
        guard playlist.isLive else { return (0, 0) }
        let index = liveIndex(playlist, starts)
        return (index, starts[index])
    }

    /// Three target durations before the end (RFC 8216, section 6.3.3), or the server's preference.
    private static func liveIndex(_ playlist: MediaPlaylist, _ starts: [Double]) -> Int {
        let distance = max(playlist.holdBack ?? 0, 3 * playlist.targetDuration)
        return index(at: (starts.last ?? 0) - distance, in: starts)
    }
}

// MARK: - Newer playlists

extension SegmentPlan {
    /// Updates the plan with a newer state of the playlist.
    ///
    /// - Parameter isPersistent: Whether there has been no news for so long that a server that merely lags would have
    ///   caught up.
    mutating func update(_ newer: MediaPlaylist, isPersistent: Bool = false) -> Change {
        if playlist.segments.isEmpty, !newer.segments.isEmpty {
            // Nothing has been played, so playback starts now.
            self = SegmentPlan(newer)
            return .more
        }
        if newer.segments.isEmpty {
            // A server that restarts has no segments yet; a stream that has ended is marked so.
            guard !newer.isLive, playlist.isLive else { return .none }
            playlist.kind = newer.kind
            return .more
        }
        let goesOn = goesOnBehind(newer)
        if isRestart(newer, goesOn: goesOn) || isPersistent && goesOn {
            restart(newer)
            return .restarted
        }
        guard newer.endSequence > playlist.endSequence || newer.isLive != playlist.isLive else {
            // Segments removed from the playlist cannot be fetched for much longer; those added at its end matter.
            if newer.endSequence == playlist.endSequence { align(newer) }
            return .none
        }
        align(newer)
        guard next < newer.mediaSequence else { return .more }
        next = newer.isLive ? newer.mediaSequence + Self.liveIndex(newer, starts) : newer.mediaSequence
        return .missed
    }

    /// Whether it is behind for the second time, but has advanced since the first: an old copy would not.
    private mutating func goesOnBehind(_ newer: MediaPlaylist) -> Bool {
        let last = behind
        behind = newer.endSequence < playlist.endSequence ? newer.endSequence : nil
        guard let behind, let last else { return false }
        return behind > last
    }

    /// Whether its numbers have restarted: it has fewer segments, and none of the known ones.
    private func isRestart(_ newer: MediaPlaylist, goesOn: Bool) -> Bool {
        guard newer.endSequence < playlist.endSequence else { return false }
        if let old = playlist.segments.last?.date, let new = newer.segments.last?.date { return new > old }
        // No number in common: a very old copy, or the start of another stream.
        guard newer.endSequence > playlist.mediaSequence else { return goesOn || !newer.isLive }
        let shared = max(newer.mediaSequence, playlist.mediaSequence)..<newer.endSequence
        return shared.allSatisfy { sequence in
            let old = playlist.segments[sequence - playlist.mediaSequence]
            return !name(of: newer.segments[sequence - newer.mediaSequence].uri).elementsEqual(name(of: old.uri))
        }
    }

    /// Starts at the live edge of another stream; the time runs on.
    private mutating func restart(_ newer: MediaPlaylist) {
        let time = nextStart
        let relative = Self.starts(of: newer, from: 0)
        let index = newer.isLive ? Self.liveIndex(newer, relative) : 0
        epoch += 1
        playlist = newer
        discontinuityOffset = 0
        starts = Self.starts(of: newer, from: time - relative[index])
        next = newer.mediaSequence + index
    }

    /// Adopts a playlist of the same stream: its segments keep their times.
    private mutating func align(_ newer: MediaPlaylist) {
        let first: Double
        if newer.mediaSequence <= playlist.mediaSequence {
            let before = newer.segments.prefix(playlist.mediaSequence - newer.mediaSequence)
            first = (starts.first ?? 0) - before.reduce(0) { $0 + $1.duration }
        } else if newer.mediaSequence <= playlist.endSequence {
            first = starts[newer.mediaSequence - playlist.mediaSequence]
        } else {
            first = (starts.last ?? 0) + hole(before: newer)
        }
        let shared = max(newer.mediaSequence, playlist.mediaSequence)
        if shared < min(newer.endSequence, playlist.endSequence) {
            let old = playlist.segments[shared - playlist.mediaSequence].discontinuity
            discontinuityOffset &+= old &- newer.segments[shared - newer.mediaSequence].discontinuity
        }
        starts = Self.starts(of: newer, from: first)
        playlist = newer
    }

    /// Seconds between the end of this playlist and a newer one: by their dates, else by segments of the usual length.
    private func hole(before newer: MediaPlaylist) -> Double {
        if let last = playlist.segments.last, let end = last.date, let first = newer.segments.first?.date {
            let seconds = first - end - last.duration
            if seconds >= 0, seconds < 1e9 { return seconds }
        }
        let usual = newer.duration / Double(max(newer.segments.count, 1))
        return Double(min(newer.mediaSequence - playlist.endSequence, 1_000_000)) * usual
    }
}

/// The last component of a location's path, without the query, which may contain a temporary token.
private func name(of uri: String) -> String.UTF8View.SubSequence {
    let path = uri.utf8.prefix { $0 != 0x3f && $0 != 0x23 }
    let slash = path.lastIndex(of: 0x2f).map { path.index(after: $0) } ?? path.startIndex
    return path[slash...]
}

// MARK: - Other variants

extension SegmentPlan {
    /// Continues in another variant's playlist after `moment`, up to which all was played.
    ///
    /// - Returns: Whether nothing is missing in between.
    mutating func change(to other: MediaPlaylist, from moment: Double) -> Bool {
        guard !other.segments.isEmpty else { return true }
        if !other.isLive, !playlist.isLive {
            starts = Self.starts(of: other, from: 0)
            let isSameCut = other.segments.count == playlist.segments.count
            let index = isSameCut ? next - playlist.mediaSequence : Self.index(following: moment, in: starts)
            playlist = other
            next = other.mediaSequence + index
            return true
        }
        let (index, isKnown) = liveIndex(in: other)
        let relative = Self.starts(of: other, from: 0)
        let first = isKnown ? nextStart : moment
        playlist = other
        starts = Self.starts(of: other, from: first - relative[index])
        next = other.mediaSequence + index
        return isKnown
    }

    /// The other playlist's segment that lasts beyond a moment, apart from rounding errors.
    private static func index(following moment: Double, in starts: [Double]) -> Int {
        let index = index(at: moment, in: starts)
        guard index + 1 < starts.count else { return index }
        let length = starts[index + 1] - starts[index]
        return starts[index + 1] - moment < min(0.25, length / 2) ? index + 1 : index
    }

    /// The segment of another live variant that matches the next one; and whether it is available.
    ///
    /// Variants usually have the same numbers, but a date is more reliable if both have one.
    private func liveIndex(in other: MediaPlaylist) -> (index: Int, isKnown: Bool) {
        let ahead = next - playlist.mediaSequence
        if let last = playlist.segments.last, let date = last.date, other.segments.first?.date != nil {
            let isNew = ahead >= playlist.segments.count
            let wanted = isNew ? date + last.duration : playlist.segments[max(ahead, 0)].date ?? date
            let match = other.segments.firstIndex { ($0.date ?? 0) > wanted - min(0.25, $0.duration / 2) }
            if let match { return (match, true) }
            return (other.segments.count, isNew)
        }
        if next >= other.mediaSequence, next <= other.endSequence { return (next - other.mediaSequence, true) }
        return (Self.liveIndex(other, Self.starts(of: other, from: 0)), false)
    }
}
