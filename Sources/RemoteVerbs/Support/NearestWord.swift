/// What somebody meant who mistyped a word.
enum NearestWord {
    /// The words that the fewest insertions, deletions and changes of a character, or swaps of two, lead to.
    ///
    /// If there are none, those that begin with it.
    ///
    /// - Returns: None when every word is too far away to be meant, or too many are equally near.
    static func find(_ word: String, in words: Set<String>) -> [String] {
        let limit = max(1, word.count / 3)
        let distances = words.map { (word: $0, distance: distance(Array(word), Array($0))) }
        guard let least = distances.map(\.distance).min(), least <= limit else {
            let longer = words.filter { !word.isEmpty && $0.hasPrefix(word) }.sorted()
            return longer.count > 3 ? [] : longer
        }
        let nearest = distances.filter { $0.distance == least }.map(\.word).sorted()
        return nearest.count > 3 ? [] : nearest
    }

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
