import TestSupport

/// How loud each of two codes is in their sum, over a few dozen samples.
struct LevelPair {
    let music: Double
    let voice: Double

    static let window = 64

    /// - Parameters:
    ///   - first: A code of full scale and where it is in what was heard: the place of the sample heard first.
    ///   - second: The one over it; only where that sounds there are pairs.
    static func pairs(
        in heard: [Int32],
        _ first: (code: SignCode, shift: Int),
        _ second: (code: SignCode, shift: Int)
    ) -> [LevelPair] {
        let (music, voice) = (first.code.samples, second.code.samples)
        let start = max(0, -second.shift)
        let end = min(heard.count, voice.count - second.shift)
        return stride(from: start, to: end - window + 1, by: window).compactMap { begin in
            // Where their signs agree their levels add up, elsewhere they are subtracted.
            var (equal, opposite): ([Double], [Double]) = ([], [])
            for index in begin..<begin + window {
                let (one, other) = (music[index + first.shift], voice[index + second.shift])
                let sample = Double(heard[index]) / Double(other)
                if (one > 0) == (other > 0) { equal.append(sample) } else { opposite.append(sample) }
            }
            guard let sum = equal.mean, let difference = opposite.mean else { return nil }
            return LevelPair(music: (sum - difference) / 2, voice: (sum + difference) / 2)
        }
    }
}

extension [Double] {
    fileprivate var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }
}
