package import AudioTypes

/// Recorded frames, and when they arrived.
package struct Recording: Sendable {
    /// A piece as it arrived.
    private struct Piece: Sendable {
        /// The frames recorded when it had been added.
        var end: Int
        var arrival: ContinuousClock.Instant
        /// Its first frame above the threshold.
        var firstSound: Int?
    }

    package let format: AudioFormat
    package private(set) var bytes: [UInt8] = []
    /// The end of the last sound so far.
    package private(set) var soundEnd = 0
    private var pieces: [Piece] = []
    /// A thousandth of full scale, −60 dB.
    private static let threshold: Float = 0.001

    package init(format: AudioFormat) { self.format = format }

    package var frames: Int { bytes.count / format.bytesPerFrame }

    mutating func append(_ new: [UInt8], at arrival: ContinuousClock.Instant) {
        let start = frames
        bytes += new
        let end = frames
        var first: Int?
        for frame in start..<end where isLoud(frame) {
            if first == nil { first = frame }
            soundEnd = frame + 1
        }
        pieces.append(Piece(end: end, arrival: arrival, firstSound: first))
    }

    /// The first frame with sound at or after `frame`.
    package func firstSound(after frame: Int) -> Int? {
        // Pieces are sorted by their ends.
        var low = 0
        var high = pieces.count
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].end > frame { high = middle } else { low = middle + 1 }
        }
        for piece in pieces[low...] {
            guard let first = piece.firstSound else { continue }
            if first >= frame { return first }
            if let found = (frame..<piece.end).first(where: isLoud) { return found }
        }
        return nil
    }

    /// When a frame was played, as far as arrivals tell: never too early, and at most about 5 ms too late.
    ///
    /// Frames are played evenly while their arrivals jitter, so the promptest arrival within half a second decides.
    package func time(of frame: Int) -> ContinuousClock.Instant {
        let reach = format.sampleRate / 2
        let near = pieces.filter { abs($0.end - frame) <= reach }
        let candidates = (near.isEmpty ? pieces : near).map { piece in
            piece.arrival - .seconds(format.seconds(for: piece.end - frame))
        }
        return candidates.min() ?? .now
    }

    // MARK: Samples

    private func isLoud(_ frame: Int) -> Bool {
        let channels = format.channels.count
        return (frame * channels..<(frame + 1) * channels).contains { abs(sample($0)) > Self.threshold }
    }

    /// One interleaved sample; full scale is ±1.
    private func sample(_ index: Int) -> Float {
        let offset = index * format.sampleFormat.bytesPerSample
        switch format.sampleFormat {
        case .s16: return Float(Int16(truncatingIfNeeded: word(offset, 2))) / 32768
        case .s32: return Float(Int32(truncatingIfNeeded: word(offset, 4))) / 2_147_483_648
        case .f32: return Float(bitPattern: UInt32(truncatingIfNeeded: word(offset, 4)))
        }
    }

    private func word(_ offset: Int, _ count: Int) -> Int {
        var value = 0
        for index in 0..<count { value |= Int(bytes[offset + index]) << (8 * index) }
        return value
    }

    /// One channel's samples in `range`; full scale is ±1.
    package func samples(channel: Int = 0, in range: Range<Int>? = nil) -> [Float] {
        let count = format.channels.count
        return (range ?? 0..<frames).clamped(to: 0..<frames).map { sample($0 * count + channel) }
    }

    /// All channels' samples as they were sent, interleaved; for comparing bit by bit.
    package func integers(in range: Range<Int>? = nil) -> [Int32] {
        let count = format.channels.count
        let range = (range ?? 0..<frames).clamped(to: 0..<frames)
        let size = format.sampleFormat.bytesPerSample
        return (range.lowerBound * count..<range.upperBound * count).map { index in
            let value = word(index * size, size)
            return size == 2 ? Int32(Int16(truncatingIfNeeded: value)) : Int32(truncatingIfNeeded: value)
        }
    }
}
