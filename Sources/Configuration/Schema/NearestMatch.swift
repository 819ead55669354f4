/// The known name that a mistyped one most likely stands for; `nil` when none is near.
func nearestMatch(to name: String, among known: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased().replacing("_", with: "-").unicodeScalars.prefix(80))
    let ranked = known.map { candidate in
        (distance: editDistance(wanted, Array(candidate.lowercased().unicodeScalars)), candidate)
    }
    guard let best = ranked.min(by: { ($0.distance, $0.1) < ($1.distance, $1.1) }) else { return nil }
    return best.distance <= max(1, min(wanted.count, best.1.count) / 3) ? best.1 : nil
}

/// How many letters must be put in, taken out or changed to get from one to the other (Levenshtein).
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var row = Array(0...right.count)
    for (i, letter) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, other) in right.enumerated() {
            let substituted = diagonal + (letter == other ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(substituted, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[right.count]
}
