package import AudioTypes

/// Cues in the order of their times, which can be asked what is shown when.
package struct TextTrack: Sendable, Hashable {
    /// By their starts; those that start together in the order in which they were given.
    package let cues: [Cue]
    /// Where what is shown changes, by time.
    private let changes: [Change]

    /// The most cues of one track; what exceeds them is left out.
    package static let cueLimit = 100_000
    /// The most cues that are shown at once; others that start meanwhile are left out.
    package static let shownLimit = 8

    /// The text that is shown from a time on, up to the next change's.
    private struct Change: Sendable, Hashable {
        let time: MediaTime
        /// Indices of cues.
        let shown: [Int]
    }

    /// The text that is shown at a time.
    package struct Shown: Sendable, Hashable {
        /// In the order of their starts.
        package let cues: [Cue]
        /// When that changes next; `nil` when it does not change any more.
        package let nextChange: MediaTime?

        /// The lines of all cues, in order.
        package var lines: [String] { cues.flatMap(\.lines) }
    }

    package init(_ cues: some Sequence<Cue>) {
        self.cues = cues.prefix(Self.cueLimit).enumerated()
            .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
        changes = Self.changes(self.cues)
    }

    package var isEmpty: Bool { cues.isEmpty }

    /// The cues at `time`, found in O(log n).
    package func shown(at time: MediaTime) -> Shown {
        let next = changes.partitionPoint { $0.time > time }
        let indices = next > 0 ? changes[next - 1].shown : []
        return Shown(
            cues: indices.map { cues[$0] },
            nextChange: next < changes.count ? changes[next].time : nil
        )
    }

    private static func changes(_ cues: [Cue]) -> [Change] {
        var changes: [Change] = []
        var shown: [Int] = []
        /// Ends what ends until `time`, in order.
        func end(until time: MediaTime) {
            while let first = shown.map({ cues[$0].end }).min(), first <= time {
                shown.removeAll { cues[$0].end == first }
                changes.append(Change(time: first, shown: shown))
            }
        }
        for (index, cue) in cues.enumerated() {
            end(until: cue.start)
            guard shown.count < shownLimit else { continue }
            shown.append(index)
            if changes.last?.time == cue.start { changes.removeLast() }
            changes.append(Change(time: cue.start, shown: shown))
        }
        end(until: MediaTime(seconds: MediaTime.limit))
        return changes
    }
}

extension Array {
    /// The index of the first element that fulfils the condition; those that do are all behind those that do not.
    fileprivate func partitionPoint(_ condition: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
