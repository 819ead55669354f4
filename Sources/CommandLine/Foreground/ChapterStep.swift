package import AudioTypes

/// Where the keys for chapters lead.
package enum ChapterStep: Sendable, Hashable {
    /// To a time in the medium.
    case seek(MediaTime)
    /// Behind the last chapter, or there are none.
    case nextItem
    case none

    /// A step back within this time of a chapter's beginning leads to the chapter before.
    private static let threshold = 5.0

    package static func step(by count: Int, from position: MediaTime, in chapters: [Chapter]) -> ChapterStep {
        let starts = chapters.map(\.start).sorted()
        guard !starts.isEmpty else { return count > 0 ? .nextItem : .none }
        // A hair of slack, so that a chapter sought to exactly counts as reached.
        let current = starts.lastIndex { $0.seconds <= position.seconds + 0.01 } ?? -1
        var target = current + count
        if count < 0, current >= 0, position.seconds - starts[current].seconds > threshold { target += 1 }
        if target >= starts.count { return .nextItem }
        return .seek(target < 0 ? .zero : starts[target])
    }
}
