/// A loudness profile of a medium's start or end, from the tags MIXRAMP_START and MIXRAMP_END: pairs of a level in dB
/// and the seconds from the medium's edge at which it is reached, as in `-60.0 0.4;-30.0 1.2;`.
package struct MixRamp: Sendable, Hashable {
    private struct Point: Sendable, Hashable {
        var level: Double
        var seconds: Double
    }

    /// In ascending order of levels.
    private var points: [Point] = []

    /// - Returns: `nil` when the text holds no pair of numbers.
    package init?(_ text: String) {
        for pair in text.split(separator: ";") {
            let numbers = pair.split(separator: " ").compactMap { Double($0) }
            guard numbers.count == 2, numbers.allSatisfy(\.isFinite), numbers[1] >= 0 else { break }
            guard points.last.map({ $0.level < numbers[0] }) ?? true else { break }
            points.append(Point(level: numbers[0], seconds: numbers[1]))
        }
        if points.isEmpty { return nil }
    }

    /// How far from the edge a level in dB is reached, in seconds; `nil` when the medium is never so loud.
    package func seconds(to level: Double) -> Double? {
        guard let upper = points.firstIndex(where: { $0.level >= level }) else { return nil }
        guard upper > 0, points[upper].level > level else { return points[upper].seconds }
        let (below, above) = (points[upper - 1], points[upper])
        let share = (level - below.level) / (above.level - below.level)
        return below.seconds + share * (above.seconds - below.seconds)
    }
}
