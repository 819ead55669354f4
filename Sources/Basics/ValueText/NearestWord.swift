/// Finds the known words that a mistyped one may stand for.
package enum NearestWord {
    /// The words at the smallest edit distance (insertions, deletions, substitutions and swaps of two characters); if
    /// there are none, those with it as a prefix.
    ///
    /// - Returns: Nothing when no word is near enough, or more than three are equally near.
    package static func find(_ word: String, in words: Set<String>) -> [String] {
        let (least, nearest) = nearest(to: word, among: words)
        guard let least, least <= max(1, word.count / 3) else {
            let longer = words.filter { !word.isEmpty && $0.hasPrefix(word) }.sorted()
            return longer.count > 3 ? [] : longer
        }
        return nearest.count > 3 ? [] : nearest
    }

    /// The word that a mistyped one most likely stands for, ignoring case; `_` counts as `-`.
    ///
    /// When none is near, it is the only one that begins with it.
    ///
    /// - Returns: `nil` when there is none.
    package static func best(for word: String, among words: some Sequence<String>) -> String? {
        let wanted = word.lowercased().replacing("_", with: "-")
        let (least, nearest) = nearest(to: wanted, among: words) { $0.lowercased() }
        guard let least, let best = nearest.first else { return nil }
        if least <= max(1, min(wanted.count, best.count) / 3) { return best }
        let longer = words.filter { wanted.count >= leastPrefix && $0.lowercased().hasPrefix(wanted) }
        return longer.count == 1 ? longer[0] : nil
    }

    private static func nearest(
        to word: String,
        among words: some Sequence<String>,
        folded: (String) -> String = { $0 }
    ) -> (distance: Int?, words: [String]) {
        let wanted = Array(word.prefix(limit))
        let distances = words.map { (word: $0, distance: distance(wanted, Array(folded($0)))) }
        let least = distances.map(\.distance).min()
        return (least, distances.filter { $0.distance == least }.map(\.word).sorted())
    }

    /// The fewest characters that stand for a longer word.
    private static let leastPrefix = 4

    /// Longest input considered, in characters; no known word is that long.
    private static let limit = 80

    /// The edit distance with swaps of neighbours (optimal string alignment).
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var rows = [Array(0...right.count)]
        for (i, character) in left.enumerated() {
            var row = [i + 1]
            for (j, other) in right.enumerated() {
                var least = min(rows[i][j] + (character == other ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, character == right[j - 1], left[i - 1] == other {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
