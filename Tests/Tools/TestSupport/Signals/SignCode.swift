/// Noise of one loudness: every sample is `amplitude` or its negative, so that each tells how loud it is heard, and a few
/// dozen of them where they come from.
///
/// Ramps, steps, gaps, and samples that are lost or repeated can thus be read off what was recorded, sample by sample.
package struct SignCode: Sendable {
    package let amplitude: Int
    private let signs: [Bool]
    /// Where each pattern of `width` signs is, for the places that are multiples of `width`.
    private let places: [UInt64: Int]
    private static let width = 48

    package init(seconds: Double, sampleRate: Int = 44_100, seed: UInt64 = 1, amplitude: Int = 32_000) {
        self.amplitude = amplitude
        var generator = SplitMix(state: seed)
        let signs = (0..<Int(seconds * Double(sampleRate))).map { _ in generator.next() & 1 == 1 }
        var places: [UInt64: Int] = [:]
        for place in stride(from: 0, to: signs.count - Self.width + 1, by: Self.width) {
            places[Self.pattern(signs[place..<place + Self.width])] = place
        }
        self.signs = signs
        self.places = places
    }

    package var count: Int { signs.count }

    package var samples: [Int16] { signs.map { Int16($0 ? amplitude : -amplitude) } }

    /// The code itself; full scale is ±1.
    package var floats: [Float] { samples.map { Float($0) / 32_768 } }

    private static func pattern(_ signs: some Sequence<Bool>) -> UInt64 { signs.reduce(0) { $0 << 1 | ($1 ? 1 : 0) } }

    // MARK: What is heard of it

    /// Samples that were heard in a row.
    package struct Stretch: Sendable, Hashable {
        /// Where in the recording.
        package var heard: Range<Int>
        /// Which sample of the code is the first of them.
        package var place: Int

        package var placeEnd: Int { place + heard.count }
    }

    /// All that was heard of the code, in order; what is of something else is left out.
    ///
    /// A sample that was lost or repeated ends one stretch and begins another.
    package func stretches(in heard: [Int32]) -> [Stretch] {
        var stretches: [Stretch] = []
        var index = 0
        var end = 0
        while index + 2 * Self.width <= heard.count {
            guard let place = place(at: index, in: heard) else {
                index += 1
                continue
            }
            // Its beginning is before what told where it is.
            var (start, first) = (index, place)
            while start > end, first > 0, matches(heard[start - 1], first - 1) {
                start -= 1
                first -= 1
            }
            end = index
            while end < heard.count, matches(heard[end], first + end - start) { end += 1 }
            stretches.append(Stretch(heard: start..<end, place: first))
            index = max(end, index + 1)
        }
        return stretches
    }

    private func matches(_ sample: Int32, _ place: Int) -> Bool {
        place < signs.count && sample != 0 && (sample > 0) == signs[place]
    }

    /// Which sample of the code is heard at an index, by the samples that follow.
    private func place(at index: Int, in heard: [Int32]) -> Int? {
        guard heard[index] != 0 else { return nil }
        for shift in 0..<Self.width {
            let window = heard[index + shift..<index + shift + Self.width]
            guard !window.contains(0) else { return nil }
            guard let found = places[Self.pattern(window.lazy.map { $0 > 0 })], found >= shift else { continue }
            if (0..<shift).allSatisfy({ matches(heard[index + $0], found - shift + $0) }) { return found - shift }
        }
        return nil
    }

    /// How loud each sample is, where 1 is as it is in the code.
    package func gains(of heard: some Collection<Int32>) -> [Double] {
        heard.map { abs(Double($0)) / Double(amplitude) }
    }
}
