/// Maps frames of the mixed stream to a channel's own: stretches of sound, and gaps.
///
/// A pure value.
struct SegmentMap: Sendable, Hashable {
    /// From a frame of the mixed stream on, until the next entry.
    struct Entry: Sendable, Hashable {
        var start: Int
        /// The channel's frame there; `nil` is a gap.
        var source: Int?
    }

    private(set) var entries: [Entry] = []

    /// Whether the channel sounds from some frame on without end.
    var isOpen: Bool { entries.last?.source != nil }

    /// Where the last stretch of sound begins.
    var lastSound: Entry? { entries.last { $0.source != nil } }

    /// Where the sound ends; `nil` while it is open, or when there is none.
    var end: Int? { isOpen ? nil : entries.last?.start }

    /// Makes the channel sound from a frame of the mixed stream on, starting at one of its own.
    mutating func place(_ source: Int, at frame: Int) {
        drop(from: frame)
        entries.append(Entry(start: frame, source: source))
    }

    /// Silences the channel from a frame on.
    ///
    /// - Returns: The channel's frame that would have come next; `nil` without any sound.
    @discardableResult
    mutating func cut(at frame: Int) -> Int? {
        let next = source(at: frame) ?? entries.first { $0.start >= frame && $0.source != nil }?.source
        drop(from: frame)
        if isOpen { entries.append(Entry(start: frame, source: nil)) }
        return next
    }

    /// Undoes the end of the sound.
    mutating func reopen() { if entries.last.map({ $0.source == nil }) == true { entries.removeLast() } }

    private mutating func drop(from frame: Int) {
        while let last = entries.last, last.start >= frame { entries.removeLast() }
    }

    /// Forgets the entries before a frame, except the one in effect there.
    mutating func forget(before frame: Int) {
        guard let index = entries.lastIndex(where: { $0.start <= frame }), index > 0 else { return }
        // The position in a gap is known only from the sound before it.
        entries.removeFirst(entries[index].source == nil ? index - 1 : index)
    }

    /// The channel's frame at a frame of the mixed stream; `nil` in a gap.
    func source(at frame: Int) -> Int? {
        guard let entry = entries.last(where: { $0.start <= frame }), let source = entry.source else { return nil }
        return source + frame - entry.start
    }

    /// The next frame after this one at which something changes.
    func boundary(after frame: Int) -> Int? { entries.first { $0.start > frame }?.start }

    /// The frame of the mixed stream for one of the channel's, if it is in the last stretch of sound.
    func frame(of source: Int) -> Int? {
        lastSound.flatMap { entry in entry.source.map { entry.start + max(0, source - $0) } }
    }

    /// The channel's position at a frame of the mixed stream.
    struct Place: Sendable, Hashable {
        var source: Double
        /// The frame of the mixed stream up to which the channel continues from there; `nil` without an end.
        var end: Int?
        /// The frame at which it continues, if it is in a gap.
        var resumes: Int?
        var isMoving: Bool
    }

    /// The channel's position at a frame; in a gap, where it continues, or else where it ended.
    func place(at frame: Double) -> Place? {
        let index = entries.lastIndex { Double($0.start) <= frame }
        if let index, let source = entries[index].source {
            let end = index + 1 < entries.count ? entries[index + 1].start : nil
            return Place(source: Double(source) + frame - Double(entries[index].start), end: end, isMoving: true)
        }
        if let next = entries.first(where: { Double($0.start) > frame && $0.source != nil }), let source = next.source {
            return Place(source: Double(source), resumes: next.start, isMoving: false)
        }
        guard let index, index > 0, let source = entries[index - 1].source else { return nil }
        let length = entries[index].start - entries[index - 1].start
        return Place(source: Double(source + length), isMoving: false)
    }
}
