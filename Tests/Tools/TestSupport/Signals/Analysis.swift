private import Glibc

/// What can be read from sound; full scale is ±1.
package enum Analysis {
    /// The level of samples in dB below full scale; −200 for digital silence.
    package static func level(_ samples: some Collection<Float>) -> Double {
        let power = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(samples.count, 1))
        return power > 0 ? max(10 * log10(power), -200) : -200
    }

    /// The levels of consecutive windows, of 10 ms unless told.
    package static func levels(_ samples: [Float], sampleRate: Int, window: Double = 0.01) -> [Double] {
        let size = max(1, Int(window * Double(sampleRate)))
        return stride(from: 0, to: samples.count - size + 1, by: size).map { level(samples[$0..<$0 + size]) }
    }

    /// The strongest frequency, in Hz; some 50 ms or more of sound are needed.
    package static func frequency(_ samples: some Collection<Float>, sampleRate: Int) -> Double {
        let count = samples.count
        guard count > 2 else { return 0 }
        let windowed = samples.enumerated().map { index, sample in
            sample * Float(0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(count)))
        }
        // Padded fourfold, so that a parabola through the peak's neighbours is close.
        let size = Spectrum.size(for: 4 * count)
        let spectrum = Spectrum(of: windowed, count: size)
        let peak = (1..<size / 2).max { spectrum.power($0) < spectrum.power($1) } ?? 1
        let (left, middle, right) = (spectrum.power(peak - 1), spectrum.power(peak), spectrum.power(peak + 1))
        let curve = left - 2 * middle + right
        let shift = curve == 0 ? 0 : Double((left - right) / (2 * curve))
        return (Double(peak) + shift) * Double(sampleRate) / Double(size)
    }

    /// The second of `Signal.position` that is heard in the first 60 ms of `samples`; `nil` for anything else.
    ///
    /// A window across a second's end tells one of the two seconds.
    package static func position(_ samples: some Collection<Float>, sampleRate: Int, speed: Double = 1) -> Int? {
        let window = Array(samples.prefix(sampleRate * 60 / 1000))
        guard level(window) > -50 else { return nil }
        let second = (frequency(window, sampleRate: sampleRate) / speed - 400) / 25
        guard abs(second - second.rounded()) < 0.4, second > -0.5 else { return nil }
        return Int(second.rounded())
    }

    /// Where `pattern` is found in `signal`, and how like it that is: 1 the same but for its loudness, 0 nothing alike.
    package static func find(
        _ pattern: some Collection<Float>,
        in signal: some Collection<Float>
    ) -> (offset: Int, likeness: Double)? {
        guard pattern.count > 0, signal.count >= pattern.count else { return nil }
        let products = Spectrum.correlation(of: signal, with: pattern)
        let patternPower = pattern.reduce(0.0) { $0 + Double($1) * Double($1) }
        let samples = Array(signal)
        var power = samples.prefix(pattern.count).reduce(0.0) { $0 + Double($1) * Double($1) }
        var best = (offset: 0, likeness: -1.0)
        for (offset, product) in products.enumerated() {
            // Quieter than −80 dB is no likeness to be measured.
            if power > 1e-8 * Double(pattern.count) {
                let likeness = Double(product) / (power * patternPower).squareRoot()
                if likeness > best.likeness { best = (offset, likeness) }
            }
            let next = offset + pattern.count
            guard next < samples.count else { break }
            power += Double(samples[next]) * Double(samples[next]) - Double(samples[offset]) * Double(samples[offset])
        }
        return best.likeness < 0 ? nil : best
    }

    /// How many samples were added (positive) or lost (negative) at each joint of a signal that was cut and played.
    ///
    /// The signal has to be one whose parts are all different: noise, or a fast chirp.
    ///
    /// - Parameters:
    ///   - joints: The places in `reference` where it was cut.
    ///   - heard: What was recorded of it.
    ///   - reach: The largest change per joint that is looked for.
    /// - Returns: `nil` for a joint whose surroundings were not found.
    package static func changes(
        at joints: [Int],
        of reference: [Float],
        in heard: [Float],
        window: Int = 8192,
        reach: Int = 8192
    ) -> [Int?] {
        guard let joint = joints.first else { return [] }
        let pattern = reference[max(0, joint - window - 512)..<max(0, joint - 512)]
        guard let first = find(pattern, in: heard), first.likeness > 0.5 else { return joints.map { _ in nil } }
        var offset = first.offset - pattern.startIndex
        return joints.map { joint in
            // A little beside the joint, where a codec's blocks are not yet mixed with silence.
            let before = lag(of: reference, at: joint - window - 512, window, in: heard, near: offset, reach: reach)
            guard let before else { return nil }
            offset = before
            let after = lag(of: reference, at: joint + 512, window, in: heard, near: offset, reach: reach)
            guard let after else { return nil }
            offset = after
            return after - before
        }
    }

    /// How much later than in `reference` a window of it is in `heard`.
    private static func lag(
        of reference: [Float],
        at start: Int,
        _ window: Int,
        in heard: [Float],
        near offset: Int,
        reach: Int
    ) -> Int? {
        let pattern = max(0, start)..<min(start + window, reference.count)
        let low = max(0, pattern.lowerBound + offset - reach)
        let high = min(heard.count, pattern.upperBound + offset + reach)
        guard pattern.count >= 256, low < high else { return nil }
        guard let found = find(reference[pattern], in: heard[low..<high]), found.likeness > 0.5 else { return nil }
        return low + found.offset - pattern.lowerBound
    }

    /// How far the difference of two signals lies below the first, in dB; infinite when they are the same.
    package static func signalToNoise(_ reference: some Collection<Float>, _ test: some Collection<Float>) -> Double {
        var signal = 0.0
        var noise = 0.0
        for (expected, sample) in zip(reference, test) {
            signal += Double(expected) * Double(expected)
            noise += Double(sample - expected) * Double(sample - expected)
        }
        return noise == 0 ? .infinity : 10 * log10(signal / noise)
    }
}
