package import AudioTypes

/// The target of a chapter key.
package enum ChapterStep: Sendable, Hashable {
    /// A time in the medium.
    case seek(MediaTime)
    /// The next item: this is the last chapter, or there are none.
    case nextItem
    case none

    /// Seconds after a chapter's start within which a step back leads to the chapter before.
    private static let threshold = 5.0

    package static func step(by count: Int, from position: MediaTime, in chapters: [Chapter]) -> ChapterStep {
        let starts = chapters.map(\.start).sorted()
        guard !starts.isEmpty else { return count > 0 ? .nextItem : .none }
        // A small tolerance, so that a chapter that was sought exactly counts as reached.
        let current = starts.lastIndex { $0.seconds <= position.seconds + 0.01 } ?? -1
        var target = current + count
        if count < 0, current >= 0, position.seconds - starts[current].seconds > threshold { target += 1 }
        if target >= starts.count { return .nextItem }
        return .seek(target < 0 ? .zero : starts[target])
    }
}
