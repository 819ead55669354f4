private import Glibc

/// Test signals: mono, full scale ±1, the same in every run.
package enum Signal {
    /// A steady tone.
    package static func tone(_ frequency: Double, seconds: Double, sampleRate: Int, amplitude: Double = 0.5) -> [Float]
    {
        (0..<Int(seconds * Double(sampleRate))).map { frame in
            Float(amplitude * sin(2 * .pi * frequency * Double(frame) / Double(sampleRate)))
        }
    }

    /// A tone that tells the time: second *k* is at 400 + 25 *k* Hz.
    package static func position(seconds: Int, sampleRate: Int, amplitude: Double = 0.5) -> [Float] {
        var phase = 0.0
        var samples: [Float] = []
        samples.reserveCapacity(seconds * sampleRate)
        for second in 0..<seconds {
            let step = 2 * .pi * positionFrequency(second) / Double(sampleRate)
            for _ in 0..<sampleRate {
                samples.append(Float(amplitude * sin(phase)))
                phase = (phase + step).truncatingRemainder(dividingBy: 2 * .pi)
            }
        }
        return samples
    }

    package static func positionFrequency(_ second: Int) -> Double { 400 + 25 * Double(second) }

    /// A tone that rises evenly in octaves.
    package static func chirp(
        seconds: Double,
        sampleRate: Int,
        from start: Double = 100,
        to end: Double = 8000,
        amplitude: Double = 0.5
    ) -> [Float] {
        let growth = log(end / start) / seconds
        return (0..<Int(seconds * Double(sampleRate))).map { frame in
            let time = Double(frame) / Double(sampleRate)
            return Float(amplitude * sin(2 * .pi * start * (exp(growth * time) - 1) / growth))
        }
    }

    /// White noise.
    package static func noise(frames: Int, seed: UInt64 = 1, amplitude: Float = 0.5) -> [Float] {
        var generator = SplitMix(state: seed)
        return (0..<frames).map { _ in amplitude * (Float(generator.next() >> 40) / Float(1 << 23) - 1) }
    }

    /// Noise with little above 4 kHz, which lossy codecs keep well enough for its samples to be found again.
    package static func softNoise(frames: Int, sampleRate: Int, seed: UInt64 = 1, amplitude: Float = 0.5) -> [Float] {
        let share = Float(1 - exp(-2 * .pi * 2000 / Double(sampleRate)))
        var first: Float = 0
        var second: Float = 0
        let samples = noise(frames: frames, seed: seed, amplitude: 1).map { sample in
            first += share * (sample - first)
            second += share * (first - second)
            return second
        }
        let peak = samples.reduce(0) { max($0, abs($1)) }
        return samples.map { $0 * amplitude / max(peak, .leastNonzeroMagnitude) }
    }

    /// A hundred tones between 100 and 6,000 Hz: as irregular as noise, but the same sound at every sample rate.
    ///
    /// So what a resampler makes of it can be compared sample by sample.
    package static func chorus(seconds: Double, sampleRate: Int, seed: UInt64 = 1, amplitude: Double = 0.5) -> [Float] {
        var generator = SplitMix(state: seed)
        let count = Int((seconds * Double(sampleRate)).rounded())
        var sums = [Double](repeating: 0, count: count)
        for _ in 0..<100 {
            let step = 2 * .pi * Double.random(in: 100...6000, using: &generator) / Double(sampleRate)
            let phase = Double.random(in: 0..<2 * .pi, using: &generator)
            let (turnX, turnY) = (cos(step), sin(step))
            var (x, y) = (cos(phase), sin(phase))
            for index in 0..<count {
                sums[index] += y
                (x, y) = (x * turnX - y * turnY, x * turnY + y * turnX)
            }
        }
        // Their sum is about as loud as noise of √50; 4 times that is hardly ever passed.
        return sums.map { Float(min(max($0 / 28.3, -1), 1) * amplitude) }
    }

    /// Samples as 16-bit integers, rounded, as test files hold them.
    package static func integers(_ samples: [Float]) -> [Int16] {
        samples.map { Int16(min(max(($0 * 32768).rounded(), -32768), 32767)) }
    }
}
