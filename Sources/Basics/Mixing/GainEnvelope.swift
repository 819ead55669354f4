package import AudioTypes
private import Glibc

/// A gain for each frame of a stream: constant or ramping linearly in dB, and readable for past frames.
///
/// A pure value.
package struct GainEnvelope: Sendable, Hashable {
    /// A ramp from one level to another, in dB; `floor` is silence.
    private struct Ramp: Sendable, Hashable {
        var start: Int
        var length: Int
        var from: Double
        var to: Double

        func isOver(at frame: Int) -> Bool { frame - start >= length }

        func level(at frame: Int) -> Double {
            isOver(at: frame) ? to : from + (to - from) * Double(frame - start) / Double(length)
        }
    }

    private var base: Double
    /// In order of their starts; each holds until the next one starts.
    private var ramps: [Ramp] = []
    /// The level that counts as silence, in dB: less than 16-bit samples can represent.
    private static let floor = -90.0

    package init(_ gain: Gain = .unity) { base = Self.level(gain) }

    /// The final gain.
    package var target: Gain { Self.gain(ramps.last?.to ?? base) }

    package func gain(at frame: Int) -> Gain { Self.gain(level(at: frame)) }

    /// Ramps to a gain from a frame on, starting at the gain in effect there; later ramps are removed.
    package mutating func move(to gain: Gain, at frame: Int, over length: Int) {
        let from = level(at: frame)
        while let last = ramps.last, last.start >= frame { ramps.removeLast() }
        ramps.append(Ramp(start: frame, length: max(0, length), from: from, to: Self.level(gain)))
    }

    /// Whether the gain is 1 throughout a range.
    package func isUnity(in range: Range<Int>) -> Bool {
        guard level(at: range.lowerBound) == 0 else { return false }
        let current = ramps.lastIndex { $0.start <= range.lowerBound }
        let first = current.map { ramps[$0].isOver(at: range.lowerBound) ? $0 + 1 : $0 } ?? 0
        return ramps[first...].allSatisfy { $0.start >= range.upperBound || ($0.from == 0 && $0.to == 0) }
    }

    /// Forgets the ramps before a frame.
    package mutating func forget(before frame: Int) {
        guard let index = ramps.lastIndex(where: { $0.start <= frame && $0.isOver(at: frame) }) else { return }
        base = ramps[index].to
        ramps.removeFirst(index + 1)
    }

    /// Multiplies gains in place by those of the frames from number `first` on.
    package func multiply(_ gains: UnsafeMutableBufferPointer<Float>, from first: Int) {
        var index = 0
        var current = ramps.lastIndex { $0.start <= first }
        while index < gains.count {
            let next = current.map { $0 + 1 } ?? 0
            let end = next < ramps.count ? min(gains.count, ramps[next].start - first) : gains.count
            if let current {
                index = unsafe follow(ramps[current], gains, index, end, first)
            } else {
                index = unsafe scale(gains, index..<end, by: base)
            }
            current = next
        }
    }

    /// Multiplies by a ramp, and then by its final gain.
    private func follow(
        _ ramp: Ramp,
        _ gains: UnsafeMutableBufferPointer<Float>,
        _ start: Int,
        _ end: Int,
        _ first: Int
    ) -> Int {
        var index = start
        let rampEnd = min(end, ramp.start + ramp.length - first)
        if index < rampEnd, ramp.from != ramp.to {
            var value = pow(10, ramp.level(at: first + index) / 20)
            let step = pow(10, (ramp.to - ramp.from) / Double(ramp.length) / 20)
            while index < rampEnd {
                unsafe gains[index] *= Float(value)
                value *= step
                index += 1
            }
        }
        return unsafe scale(gains, index..<max(index, end), by: ramp.to)
    }

    private func scale(_ gains: UnsafeMutableBufferPointer<Float>, _ range: Range<Int>, by level: Double) -> Int {
        let gain = Self.gain(level).linear
        if gain != 1 { for index in range { unsafe gains[index] *= gain } }
        return range.upperBound
    }

    // MARK: Levels

    private func level(at frame: Int) -> Double { ramps.last { $0.start <= frame }?.level(at: frame) ?? base }

    private static func level(_ gain: Gain) -> Double { gain.linear == 1 ? 0 : max(floor, gain.decibels) }

    private static func gain(_ level: Double) -> Gain { level <= floor ? .silence : Gain(decibels: level) }
}
