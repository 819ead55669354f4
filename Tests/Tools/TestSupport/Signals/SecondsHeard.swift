private import AudioTypes

/// What was heard of `Signal.position`, second by second.
package struct SecondsHeard: Sendable {
    /// A stretch of one of the seconds, or of silence.
    package struct Stretch: Sendable, Hashable {
        /// `nil` is silence.
        package var second: Int?
        /// In seconds of what was recorded.
        package var start: Double
        package var duration: Double

        package var end: Double { start + duration }
    }

    /// In the order of hearing; what is shorter than 60 ms is left out, and so is silence before and after.
    package let stretches: [Stretch]

    /// - Parameter period: After how many seconds the tones begin again; `nil` is never.
    package init(_ samples: [Float], sampleRate: Int, period: Int? = nil) {
        let hop = sampleRate / 50
        var found: [Stretch] = []
        for start in stride(from: 0, to: samples.count - 3 * hop + 1, by: hop) {
            let window = samples[start..<start + 3 * hop]
            let second = Analysis.position(window, sampleRate: sampleRate)
            // A window that is neither the one nor the other belongs to none.
            if second == nil, Analysis.level(window) > -50 { continue }
            // It tells of its middle.
            let middle = Double(start + hop) / Double(sampleRate)
            if let last = found.last, last.second == second, middle - last.end < 0.1 {
                found[found.count - 1].duration = middle + 0.02 - last.start
            } else {
                found.append(Stretch(second: second, start: middle, duration: 0.02))
            }
        }
        var joined: [Stretch] = []
        for stretch in found where stretch.duration >= 0.06 {
            if let last = joined.last, last.second == stretch.second {
                joined[joined.count - 1].duration = stretch.end - last.start
            } else {
                joined.append(stretch)
            }
        }
        let first = joined.firstIndex { $0.second != nil } ?? joined.count
        let last = joined.lastIndex { $0.second != nil } ?? joined.count - 1
        stretches = first <= last ? Array(joined[first...last]) : []
        self.period = period
    }

    private let period: Int?

    package init(_ recording: Recording, from frame: Int = 0, period: Int? = nil) {
        self.init(
            recording.samples(in: frame..<max(frame, recording.frames)),
            sampleRate: recording.format.sampleRate,
            period: period
        )
    }

    // MARK: What it tells

    /// The seconds in the order of hearing; one that was interrupted by silence is there once.
    package var order: [Int] {
        var order: [Int] = []
        for second in stretches.compactMap(\.second) where order.last != second { order.append(second) }
        return order
    }

    /// Silences between sounds.
    package var silences: [Stretch] { stretches.filter { $0.second == nil } }

    /// How long each second was heard, with what was heard of it before and after a silence.
    package var durations: [(second: Int, duration: Double)] {
        var durations: [(second: Int, duration: Double)] = []
        for stretch in stretches {
            guard let second = stretch.second else { continue }
            if durations.last?.second == second {
                durations[durations.count - 1].duration += stretch.duration
            } else {
                durations.append((second, stretch.duration))
            }
        }
        return durations
    }

    /// What is not as it should be when every second is to be heard once and in order; empty when all is well.
    ///
    /// The first and the last one may be cut off.
    ///
    /// - Parameter tolerance: How much longer or shorter than a second a second may be.
    package func faults(tolerance: Double = 0.08) -> [String] {
        let heard = durations
        var faults: [String] = heard.isEmpty ? ["nothing was heard"] : []
        for (index, entry) in heard.enumerated() {
            if index > 0 {
                let before = heard[index - 1].second
                let expected = period.map { (before + 1) % $0 } ?? before + 1
                if entry.second != expected { faults.append("\(entry.second) after \(before)") }
            }
            let isWhole = index > 0 && index < heard.count - 1
            if entry.duration > 1 + tolerance || isWhole && entry.duration < 1 - tolerance {
                faults.append("\(entry.second) for \(entry.duration) s")
            }
        }
        return faults
    }

    /// A line for a failing test: seconds, and silences in parentheses.
    package var text: String {
        stretches.map { stretch in
            let length = (stretch.duration * 100).rounded() / 100
            return stretch.second.map { abs(length - 1) < 0.05 ? "\($0)" : "\($0):\(length)" } ?? "(\(length))"
        }.joined(separator: " ")
    }
}
