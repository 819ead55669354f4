/// Which of a channel's frames is heard at which frame of the mixed stream: stretches of sound, and gaps.
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

    /// Whether the channel sounds from some frame on without an end.
    var isOpen: Bool { entries.last?.source != nil }

    /// Where the last stretch of sound begins.
    var lastSound: Entry? { entries.last { $0.source != nil } }

    /// Where sound ends; `nil` while that is open, and without any.
    var end: Int? { isOpen ? nil : entries.last?.start }

    /// Lets the channel sound from a frame on, beginning with one of its own.
    mutating func place(_ source: Int, at frame: Int) {
        drop(from: frame)
        entries.append(Entry(start: frame, source: source))
    }

    /// Silences the channel from a frame on.
    ///
    /// - Returns: The channel's frame that would have been next; `nil` without any sound.
    @discardableResult
    mutating func cut(at frame: Int) -> Int? {
        let next = source(at: frame) ?? entries.first { $0.start >= frame && $0.source != nil }?.source
        drop(from: frame)
        if isOpen { entries.append(Entry(start: frame, source: nil)) }
        return next
    }

    /// Takes back that sound ends.
    mutating func reopen() { if entries.last.map({ $0.source == nil }) == true { entries.removeLast() } }

    private mutating func drop(from frame: Int) {
        while let last = entries.last, last.start >= frame { entries.removeLast() }
    }

    /// Forgets what was before a frame, but for what it is there.
    mutating func forget(before frame: Int) {
        guard let index = entries.lastIndex(where: { $0.start <= frame }), index > 0 else { return }
        // A gap tells where it stands only with the sound before it.
        entries.removeFirst(entries[index].source == nil ? index - 1 : index)
    }

    /// The channel's frame that sounds at one of the mixed stream; `nil` in a gap.
    func source(at frame: Int) -> Int? {
        guard let entry = entries.last(where: { $0.start <= frame }), let source = entry.source else { return nil }
        return source + frame - entry.start
    }

    /// The first frame behind another at which something changes.
    func boundary(after frame: Int) -> Int? { entries.first { $0.start > frame }?.start }

    /// The frame at which one of the channel's sounds, if it is in the last stretch of sound.
    func frame(of source: Int) -> Int? {
        lastSound.flatMap { entry in entry.source.map { entry.start + max(0, source - $0) } }
    }

    /// Where the channel is when a frame of the mixed stream is heard.
    struct Place: Sendable, Hashable {
        var source: Double
        /// The frame of the mixed stream up to which the channel goes on from there; `nil` without an end.
        var end: Int?
        /// The frame at which it goes on, when it stands.
        var resumes: Int?
        var isMoving: Bool
    }

    /// Where the channel is at a frame; in a gap it stands where it goes on, or else where it ended.
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
