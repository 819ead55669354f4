package import AudioTypes

/// Maps each frame of the player's endless stream to an item and its time.
///
/// A pure value: the pipeline appends to it as it writes frames, the player reads it at the heard frame.
package struct Timeline: Sendable, Hashable {
    /// A stretch of frames that plays one item without a jump.
    ///
    /// It ends where the next segment begins.
    package struct Segment: Sendable, Hashable {
        package var start: FramePosition
        /// `nil`: nothing follows; the item before has been played to its end.
        package var item: PlayerItem.ID?
        /// The item's time at `start`.
        package var time: MediaTime
        /// Seconds of the item per second of playback.
        package var rate: Double
        package var origin: Origin
        /// The number of frames from `start` on during which the item before is still heard.
        package var overlap = 0

        package init(start: FramePosition, item: PlayerItem.ID?, time: MediaTime, rate: Double, origin: Origin) {
            self.start = start
            self.item = item
            self.time = time
            self.rate = rate
            self.origin = origin
        }

        /// The frame at which the player notices the segment's start: when nothing follows, everything stops then, so
        /// the last listener must have heard the end.
        package func noticeFrame(spread: Double) -> Double {
            Double(start.index) + (item == nil ? spread : 0)
        }
    }

    /// Why a segment begins.
    package enum Origin: Sendable, Hashable {
        /// A jump to this position was requested.
        case jump
        /// The item before reached its end.
        case end
        /// The same item reached its end and is played again.
        case loop
        /// The item reached its end, and its time runs on in silence.
        case silence
        /// The speed changed.
        case adjustment

        /// Whether an item has been played to its end where such a segment begins.
        package var endsItem: Bool { self == .end || self == .loop || self == .silence }
    }

    package private(set) var segments: [Segment] = []
    /// In the order of their starts.
    package internal(set) var marks: [Mark] = []
    /// `nil` while frames are available or soon will be.
    package var dryEnd: DryEnd?
    package private(set) var sampleRate: Int
    /// The last end that the player has noticed; frames heard by then do not change any more.
    package var noticed = FramePosition.zero

    package init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// Appends a segment, replacing those at or after its start.
    package mutating func append(_ segment: Segment) {
        dropSegments(from: segment.start)
        segments.append(segment)
    }

    package mutating func append(_ mark: Mark) { marks.append(mark) }

    /// Removes the segments that start at or after a frame.
    package mutating func truncate(to position: FramePosition) {
        dropSegments(from: position)
        while let last = marks.last, last.start >= position { marks.removeLast() }
        if let dry = dryEnd { dryEnd?.start = min(dry.start, position) }
    }

    private mutating func dropSegments(from position: FramePosition) {
        while let last = segments.last, last.start >= position { segments.removeLast() }
    }

    /// Removes all segments.
    package mutating func removeAll() {
        segments.removeAll(keepingCapacity: true)
        marks.removeAll()
        dryEnd = nil
    }

    /// Counts frames at another rate from now on.
    package mutating func restart(sampleRate: Int) {
        removeAll()
        self.sampleRate = sampleRate
    }

    /// Removes the segments that end before a frame.
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

    /// The time that an item has reached at a frame; its end time after it has ended.
    ///
    /// - Returns: `nil` when another item is heard.
    package func time(of item: PlayerItem.ID, at frame: Double) -> MediaTime? {
        guard let segment = segment(at: frame) else { return nil }
        if segment.item == item { return time(at: frame, in: segment) }
        guard let last = segments.last(where: { $0.start < segment.start }), last.item == item else { return nil }
        return endTime(before: segment)
    }

    /// The segments at which an item ends, with a start after `frame` and not after `end`, in order.
    ///
    /// Others are skipped: an item may also end at the very frame of a jump's target.
    package func ends(after frame: Double, through end: Double) -> [Segment] {
        segments.filter { $0.origin.endsItem && Double($0.start.index) > frame && Double($0.start.index) <= end }
    }

    /// A segment at which an item ends, and that item.
    package struct Ending: Sendable, Hashable {
        package var segment: Segment
        /// `nil` when its segment was removed already.
        package var ended: PlayerItem.ID?
    }

    /// The endings after a frame, in order.
    package func endings(after frame: Double) -> [Ending] {
        segments.indices
            .filter { segments[$0].origin.endsItem && Double(segments[$0].start.index) > frame }
            .map { Ending(segment: segments[$0], ended: $0 > 0 ? segments[$0 - 1].item : nil) }
    }

    /// The frame that counts as heard when the last listener hears it `spread` frames late: the frame itself, but not
    /// the end of the last item before all listeners have heard that.
    package func heardByAll(_ frame: Double, spread: Double) -> Double {
        guard let end = segments.last, end.item == nil else { return frame }
        let start = Double(end.start.index)
        return frame >= start && frame < end.noticeFrame(spread: spread) ? start - 1 : frame
    }

    /// The first segment after a frame at which an item ends.
    package func nextEnd(after frame: Double) -> Segment? {
        segments.first { $0.origin.endsItem && Double($0.start.index) > frame }
    }

    /// The frame at which an item reaches a time, within the segment heard at `frame`; `nil` when it does not.
    package func frame(of time: MediaTime, from frame: Double) -> Double? {
        guard let segment = segment(at: frame), segment.rate > 0 else { return nil }
        let seconds = (time - segment.time).seconds / segment.rate
        return Double(segment.start.index) + seconds * Double(sampleRate)
    }

    /// The time reached where a segment begins, in the one before it.
    package func endTime(before segment: Segment) -> MediaTime? {
        segments.last { $0.start < segment.start }.map { time(at: Double(segment.start.index), in: $0) }
    }
}
