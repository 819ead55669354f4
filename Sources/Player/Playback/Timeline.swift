package import AudioTypes

/// Which part of which item each frame of the player's endless stream belongs to.
///
/// A pure value: the pipeline adds to its end as it writes frames, the player reads it at the frame that is heard.
package struct Timeline: Sendable, Hashable {
    /// A stretch of frames that plays one item on without a jump.
    ///
    /// It ends where the next segment begins.
    package struct Segment: Sendable, Hashable {
        package var start: FramePosition
        /// `nil`: nothing follows; the item before has been played to its end.
        package var item: PlayerItem.ID?
        /// The item's time at `start`.
        package var time: MediaTime
        /// Seconds of the item that pass in one second.
        package var rate: Double
        package var origin: Origin
        /// The number of frames from `start` on in which the item before is still heard.
        package var overlap = 0

        package init(start: FramePosition, item: PlayerItem.ID?, time: MediaTime, rate: Double, origin: Origin) {
            self.start = start
            self.item = item
            self.time = time
            self.rate = rate
            self.origin = origin
        }
    }

    /// Why a segment begins.
    package enum Origin: Sendable, Hashable {
        /// Somebody asked for this place.
        case jump
        /// The item before came to its end.
        case end
        /// The same item came to its end and is played again.
        case loop
        /// The item came to its end, and its time runs on in silence.
        case silence
        /// The speed changed.
        case adjustment

        /// Whether an item has been played to its end where such a segment begins.
        package var endsItem: Bool { self == .end || self == .loop || self == .silence }
    }

    package private(set) var segments: [Segment] = []
    /// In the order of their starts.
    package internal(set) var marks: [Mark] = []
    /// `nil` while frames are there or soon will be.
    package var dryEnd: DryEnd?
    package let sampleRate: Int
    /// Where the last end lies that the player has noticed: what was heard then is not changed any more.
    package var noticed = FramePosition.zero

    package init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// Adds a segment; what lies at or behind its start is replaced.
    package mutating func append(_ segment: Segment) {
        dropSegments(from: segment.start)
        segments.append(segment)
    }

    package mutating func append(_ mark: Mark) { marks.append(mark) }

    /// Forgets what begins at or behind a frame.
    package mutating func truncate(to position: FramePosition) {
        dropSegments(from: position)
        while let last = marks.last, last.start >= position { marks.removeLast() }
        if let dry = dryEnd { dryEnd?.start = min(dry.start, position) }
    }

    private mutating func dropSegments(from position: FramePosition) {
        while let last = segments.last, last.start >= position { segments.removeLast() }
    }

    /// Forgets everything.
    package mutating func removeAll() {
        segments.removeAll(keepingCapacity: true)
        marks.removeAll()
        dryEnd = nil
    }

    /// Forgets the segments that end before a frame.
    package mutating func drop(before position: FramePosition) {
        let passed = segments.dropFirst().prefix { $0.start <= position }.count
        segments.removeFirst(passed)
    }

    /// The segment a frame belongs to; `nil` before the first one.
    package func segment(at frame: Double) -> Segment? {
        segments.last { Double($0.start.index) <= frame } ?? segments.first
    }

    /// The item's time at a frame.
    package func time(at frame: Double) -> MediaTime? {
        segment(at: frame).map { time(at: frame, in: $0) }
    }

    package func time(at frame: Double, in segment: Segment) -> MediaTime {
        let seconds = max(0, frame - Double(segment.start.index)) / Double(sampleRate)
        return segment.time + MediaTime(seconds: seconds * segment.rate)
    }

    /// The time that an item has reached at a frame: its end, where that lies before.
    ///
    /// - Returns: `nil` when something else is heard.
    package func time(of item: PlayerItem.ID, at frame: Double) -> MediaTime? {
        guard let segment = segment(at: frame) else { return nil }
        if segment.item == item { return time(at: frame, in: segment) }
        guard let last = segments.last(where: { $0.start < segment.start }), last.item == item else { return nil }
        return endTime(before: segment)
    }

    /// The segments before which an item ends, and whose start lies behind one frame and not behind another, in order.
    ///
    /// Others are no news: where a jump lands, the end of an item may still come to lie at the same frame.
    package func ends(after frame: Double, through end: Double) -> [Segment] {
        segments.filter { $0.origin.endsItem && Double($0.start.index) > frame && Double($0.start.index) <= end }
    }

    /// A segment that begins where an item ends, and that item.
    package struct Ending: Sendable, Hashable {
        package var segment: Segment
        /// `nil` when it was forgotten already.
        package var ended: PlayerItem.ID?
    }

    /// The ends behind a frame, in order.
    package func endings(after frame: Double) -> [Ending] {
        segments.indices
            .filter { segments[$0].origin.endsItem && Double(segments[$0].start.index) > frame }
            .map { Ending(segment: segments[$0], ended: $0 > 0 ? segments[$0 - 1].item : nil) }
    }

    /// The first segment behind a frame before which an item ends.
    package func nextEnd(after frame: Double) -> Segment? {
        segments.first { $0.origin.endsItem && Double($0.start.index) > frame }
    }

    /// The frame at which an item reaches a time, within the segment heard at `frame`; `nil` when it does not.
    package func frame(of time: MediaTime, from frame: Double) -> Double? {
        guard let segment = segment(at: frame), segment.rate > 0 else { return nil }
        let seconds = (time - segment.time).seconds / segment.rate
        return Double(segment.start.index) + seconds * Double(sampleRate)
    }

    /// The time that has been reached where a segment begins, by the one before it.
    package func endTime(before segment: Segment) -> MediaTime? {
        segments.last { $0.start < segment.start }.map { time(at: Double(segment.start.index), in: $0) }
    }
}
