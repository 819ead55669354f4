private import Glibc

/// How loud a medium is, by EBU R 128 (ITU-R BS.1770-4).
package struct Loudness: Sendable, Hashable {
    /// The blocks of which the loudness is the mean; those of several media together are an album's.
    package var blocks: LoudnessBlocks
    /// The largest magnitude of the signal between and at its samples; full scale is 1.
    package var truePeak: Double

    package init(blocks: LoudnessBlocks, truePeak: Double) {
        (self.blocks, self.truePeak) = (blocks, truePeak)
    }

    /// Adds another medium, as to an album.
    package mutating func add(_ other: Loudness) {
        blocks.add(other.blocks)
        truePeak = max(truePeak, other.truePeak)
    }

    /// ReplayGain 2.0's reference, in LUFS.
    package static let reference = -18.0
    /// In dB: what is hardly more than noise is not brought to the loudness of music.
    package static let largestGain = 18.0

    /// The gain that brings a loudness in LUFS to the reference, in dB, at most ``largestGain``.
    package static func gain(_ integrated: Double) -> Double { min(largestGain, reference - integrated) }
}

/// The loudness of a medium's overlapping blocks of 400 ms, counted by tenths of an LU.
///
/// Blocks at −70 LUFS and below, the absolute gate, are not counted.
package struct LoudnessBlocks: Sendable, Hashable {
    /// In LUFS: the absolute gate, and what no real signal exceeds.
    private static let (quietest, loudest) = (-70.0, 30.0)
    private static let perUnit = 10.0
    private static let binCount = 1_000

    private var counts: [UInt32]
    /// The sums of the blocks' energies, on a scale on which 0 LUFS is 1.
    private var energies: [Double]

    package init() {
        counts = Array(repeating: 0, count: Self.binCount)
        energies = Array(repeating: 0, count: Self.binCount)
    }

    /// Counts a block; one that is below the gate, or not a number, is left out.
    ///
    /// - Parameter loudness: In LUFS.
    package mutating func add(_ loudness: Double) {
        guard loudness > Self.quietest, loudness < Self.loudest else { return }
        let bin = min(Self.binCount - 1, Int(saturating: (loudness - Self.quietest) * Self.perUnit))
        counts[bin] = counts[bin].addingReportingOverflow(1).partialValue
        energies[bin] += Self.energy(loudness)
    }

    /// Adds the blocks of another medium.
    package mutating func add(_ other: LoudnessBlocks) {
        for bin in 0..<Self.binCount where other.counts[bin] > 0 {
            counts[bin] = counts[bin] &+ other.counts[bin]
            energies[bin] += other.energies[bin]
        }
    }

    /// The integrated loudness in LUFS, after both gates; `nil` for silence, and for what is shorter than a block.
    package var integrated: Double? {
        guard let mean = mean(from: 0) else { return nil }
        // The relative gate: 10 LU below the mean of what passes the absolute one.
        let gate = mean / 10
        let first = (0..<Self.binCount).first { counts[$0] > 0 && energies[$0] / Double(counts[$0]) >= gate }
        return first.flatMap(self.mean).map { 10 * log10($0) }
    }

    private func mean(from first: Int) -> Double? {
        var (count, energy) = (0.0, 0.0)
        for bin in first..<Self.binCount where counts[bin] > 0 {
            count += Double(counts[bin])
            energy += energies[bin]
        }
        return count > 0 ? energy / count : nil
    }

    private static func energy(_ loudness: Double) -> Double { pow(10, loudness / 10) }

    // MARK: - As bytes

    /// The first counted tenth, then the counts from it on, each in groups of 7 bits, the lowest first.
    package var bytes: [UInt8] {
        guard let first = counts.firstIndex(where: { $0 > 0 }), let last = counts.lastIndex(where: { $0 > 0 }) else {
            return []
        }
        var bytes: [UInt8] = []
        for number in [UInt32(first)] + counts[first...last] {
            var rest = number
            while rest > 0x7f {
                bytes.append(UInt8(rest & 0x7f) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        return bytes
    }

    /// Blocks as they were stored: each counts as the middle of its tenth.
    ///
    /// - Returns: `nil` unless the bytes are such.
    package init?(bytes: [UInt8]) {
        self.init()
        var numbers: [UInt32] = []
        var (number, shift) = (UInt64(0), UInt64(0))
        for byte in bytes {
            number |= UInt64(byte & 0x7f) << shift
            shift += 7
            guard shift <= 35 else { return nil }
            if byte & 0x80 == 0 {
                guard let checked = UInt32(exactly: number), numbers.count <= Self.binCount else { return nil }
                numbers.append(checked)
                (number, shift) = (0, 0)
            }
        }
        guard shift == 0 else { return nil }
        guard let first = numbers.first else { return }
        guard Int(first) + numbers.count - 1 <= Self.binCount else { return nil }
        for (index, count) in numbers.dropFirst().enumerated() {
            let bin = Int(first) + index
            counts[bin] = count
            let middle = Self.quietest + (Double(bin) + 0.5) / Self.perUnit
            energies[bin] = Double(count) * Self.energy(middle)
        }
    }
}

extension ReplayGain {
    /// The gains that bring a track and its album to ReplayGain's reference, and their peaks; none for silence.
    package init(track: Loudness?, album: Loudness?) {
        let track = track?.blocks.integrated.map { ($0, track?.truePeak) }
        let album = album?.blocks.integrated.map { ($0, album?.truePeak) }
        self.init(
            trackGain: track.map { Loudness.gain($0.0) },
            trackPeak: track?.1,
            albumGain: album.map { Loudness.gain($0.0) },
            albumPeak: album?.1
        )
    }
}
