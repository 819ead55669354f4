private import Glibc

/// How loud something is, sample by sample: 1 is unchanged.
package struct GainCurve: Sendable {
    package let gains: [Double]
    package let sampleRate: Int
    /// What a sample of 16 bits cannot tell, as a part of 1.
    private let grain: Double

    package init(_ code: SignCode, _ heard: some Collection<Int32>, sampleRate: Int = 44_100) {
        gains = code.gains(of: heard)
        grain = 1.5 / Double(code.amplitude)
        self.sampleRate = sampleRate
    }

    /// A part that is quieter than the rest.
    package struct Dip: Sendable {
        /// The last sample before it that is unchanged, and the first one after it.
        package var range: ClosedRange<Int>
        /// In dB; where it is deepest.
        package var depth: Double
        /// In seconds.
        package var fall: Double
        package var rise: Double
    }

    /// The parts that are quieter than `level`.
    package func dips(below level: Double = 1) -> [Dip] {
        var dips: [Dip] = []
        var index = 0
        while let start = gains[index...].firstIndex(where: { $0 < level - grain }) {
            let end = gains[start...].firstIndex { $0 >= level - grain } ?? gains.count
            dips.append(dip(start, end))
            index = end
        }
        return dips
    }

    private func dip(_ start: Int, _ end: Int) -> Dip {
        let part = gains[start..<end]
        let lowest = part.min() ?? 0
        let isLow = { (gain: Double) in gain <= lowest + grain }
        let bottom = (part.firstIndex(where: isLow) ?? start, part.lastIndex(where: isLow) ?? end)
        return Dip(
            range: start - 1...end,
            depth: -20 * log10(max(lowest, 1e-9)),
            fall: Double(bottom.0 - start) / Double(sampleRate),
            rise: Double(end - bottom.1) / Double(sampleRate)
        )
    }

    /// The largest change from one sample to the next, relative to their loudness; what rounding makes of it is left out.
    package var largestStep: Double {
        zip(gains, gains.dropFirst()).reduce(0) { largest, pair in
            max(largest, (abs(pair.0 - pair.1) - grain) / max(pair.0, pair.1, grain))
        }
    }
}
