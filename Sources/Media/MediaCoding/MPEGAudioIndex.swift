internal import AudioTypes
internal import FFmpegValues
internal import MediaHeaders

/// Finds the frames of an MP3 file, and how many of its samples are the encoder's padding.
///
/// MP3 has no timestamps, so exact positions come from counting frames. Walking the headers costs a fraction of parsing
/// the file, happens only as far as a seek reaches, and is cached. Over a slow network, positions far ahead are
/// estimated: exact to a frame where all frames have the same length, else as exact as the encoder's table.
final class MPEGAudioIndex {
    private let file: any ByteAccess
    private let first: MPEGAudioHeader
    /// The first header's bits, and the lengths in bytes of such frames by bit rate index; 0 if invalid.
    private let firstBits: UInt32
    private let lengths: [Int]
    /// The byte offset of every `stride`-th audio frame.
    private var marks: [Int]
    private var walked: Frame
    /// Frames whose number was estimated.
    private var estimates: [Frame] = []
    /// Where the frames lie, and how many the file says there are.
    private let sound: MPEGSound
    /// Whether frames without sound are looked for on a walk.
    let mayHaveParts: Bool
    private var buffer: [UInt8] = []
    private var bufferOffset = 0
    private var bufferCount = 0

    private static let stride = 32
    /// Bytes read at once on a walk: each read over the network is a request.
    private static let longRead = 1 << 20
    private static let shortRead = 65_536
    /// The longest expected walk to start, and the longest one to continue, in seconds.
    private static let longestWalk = 3.0
    private static let patience = 2.0

    /// The header bits shared by a stream: the sync word, version, layer and sample rate.
    private static let common: UInt32 = 0xfffe_0c00

    /// One frame: its number, from 0, and its offset.
    struct Frame: Equatable {
        var number: Int
        var offset: Int
    }

    /// Reads the start of the file; `nil` when it is not a plain layer III file.
    init?(_ file: any ByteAccess) {
        var start = 0
        for _ in 0..<ID3v2Header.mostInARow {
            let bytes = file.bytes(at: start, count: ID3v2Header.size)
            guard let tag = ID3v2Header(bytes[...], at: start) else { break }
            start = tag.end
        }
        // More is seldom needed, and may be slow over a network.
        var head = file.bytes(at: start, count: 4_096)
        if Self.firstFrame(in: head) == nil { head = file.bytes(at: start, count: 65_536) }
        guard let (offset, header) = Self.firstFrame(in: head), header.layer == 3 else { return nil }
        let sound = MPEGSound(of: file, at: start + offset, header, head: Array(head[offset...]))
        self.file = file
        self.sound = sound
        first = header
        let bits = UInt32(head.bigEndian(at: offset, count: 4))
        firstBits = bits
        // Without the bit rate, and without the padding bit.
        lengths = (0..<16).map { MPEGAudioHeader(bits: bits & ~0xf200 | $0 << 12)?.byteCount ?? 0 }
        mayHaveParts = sound.mayHaveParts
        marks = [sound.start]
        walked = Frame(number: 0, offset: sound.start)
    }

    /// Samples to drop at the start; 0 without a LAME tag.
    var startPadding: Int { sound.startPadding }
    /// Samples between the paddings; `nil` without a tag.
    var length: Int? { sound.length }
    /// Whether the file says a number of frames that it does not have.
    var isMisleading: Bool { sound.isMisleading }

    /// Whether the number of frames is neither said, nor told by the bytes because all have the same length.
    var lacksLength: Bool { sound.frameCount == nil && (isMisleading || hasChangingRate) }

    /// The length as the first frame's bit rate tells it.
    var estimatedDuration: MediaTime {
        duration(of: Double(sound.end - marks[0]) / max(1, frameLength))
    }

    /// The length of a medium on the network that was joined of several, as its first part tells it; `nil` for others.
    var joinedDuration: MediaTime? {
        sound.frameLength.map { duration(of: Double(sound.end - marks[0] - sound.gap) / max(1, $0)) }
    }

    /// Whether what comes behind the sound is a tag that reaches to the end; the bytes are its first ones.
    func isLastTag(_ bytes: UnsafeRawBufferPointer) -> Bool { unsafe sound.isLastTag(bytes) }

    private func duration(of frames: Double) -> MediaTime {
        MediaTime(seconds: frames * Double(samplesPerFrame) / Double(sampleRate))
    }

    /// Whether any of the first frames has another bit rate than the first one.
    private var hasChangingRate: Bool {
        var place = marks[0]
        for _ in 0..<24 {
            guard let length = length(at: place) else { return false }
            if abs(length - lengths[Int(firstBits >> 12) & 15]) > 1 { return true }
            place += length
        }
        return false
    }

    var samplesPerFrame: Int { first.sampleCount }
    var sampleRate: Int { first.sampleRate }

    /// The last existing frame at or before `number`, or an approximation where walking takes long.
    func frame(_ number: Int) -> Frame {
        var frame = nearestMark { $0 * Self.stride <= number }
        let seconds = file.seconds(toRead: Int(saturating: max(0, Double(number - frame.number) * frameLength)))
        if seconds > Self.longestWalk, let estimate = estimate(number) { return estimate }
        let deadline = HostTime.now + Self.patience
        while frame.number < number, let next = next(after: frame) {
            frame = next
            // The speed of a network is known only on the way; the frames walked so far are remembered.
            if seconds > 0, frame.number % Self.stride == 0, deadline < .now {
                return estimate(number) ?? frame
            }
        }
        return frame
    }

    /// The average length of a frame in bytes.
    private var frameLength: Double {
        if let frameCount = sound.frameCount, frameCount > 0 {
            return Double(sound.end - marks[0]) / Double(frameCount)
        }
        return Double(first.sampleCount) / 8 * Double(first.bitRate) / Double(first.sampleRate)
    }

    /// A frame near the estimated offset of a number; `nil` when there is none.
    private func estimate(_ number: Int) -> Frame? {
        var place = Double(number) * frameLength
        if let table = sound.seekTable, let frameCount = sound.frameCount, frameCount > 0 {
            let percent = min(max(100 * Double(number) / Double(frameCount), 0), 99.999)
            let low = Int(saturating: percent)
            let next = low == 99 ? 256 : Double(table[low + 1])
            let share = Double(table[low]) + (next - Double(table[low])) * (percent - Double(low))
            place = share / 256 * Double(sound.end - marks[0])
        }
        let start = marks[0] + Int(sample: place)
        guard start < sound.end,
            let (offset, _) = Self.firstFrame(in: file.bytes(at: start, count: 16_384), like: first)
        else { return nil }
        var frame = Frame(number: number, offset: start + offset)
        if sound.seekTable == nil {
            frame.number = Int(saturating: (Double(frame.offset - marks[0]) / frameLength).rounded())
        }
        estimates.append(frame)
        return frame
    }

    /// The number of the frame at a byte offset; `nil` when none starts there.
    func number(atOffset offset: Int) -> Int? {
        if let estimate = estimates.last(where: { $0.offset == offset }) { return estimate.number }
        var frame = nearestMark { marks[$0] <= offset }
        while frame.offset < offset, let next = next(after: frame) { frame = next }
        return frame.offset == offset ? frame.number : nil
    }

    private func nearestMark(where isReached: (Int) -> Bool) -> Frame {
        var low = 0
        var high = marks.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if isReached(middle) { low = middle } else { high = middle }
        }
        return Frame(number: low * Self.stride, offset: marks[low])
    }

    private func next(after frame: Frame) -> Frame? {
        guard let length = length(at: frame.offset) else { return nil }
        var offset = frame.offset + length
        // There may be junk between frames; look for the next matching header. Of a joined file, each part has a frame
        // without sound.
        var junk = 0
        while true {
            if let length = self.length(at: offset) {
                if !mayHaveParts || !isInfo(at: offset) { break }
                offset += length
            } else if let end = endOfTag(at: offset) {
                offset = end
            } else {
                (offset, junk) = (offset + 1, junk + 1)
            }
            if offset >= sound.end || junk > 1 << 20 { return nil }
        }
        let next = Frame(number: frame.number + 1, offset: offset)
        if next.number > walked.number {
            walked = next
            if next.number % Self.stride == 0 { marks.append(offset) }
        }
        return next
    }

    /// The length in bytes of the frame at an offset; `nil` when none starts there.
    private func length(at offset: Int) -> Int? {
        guard load(offset, 4) else { return nil }
        let place = offset - bufferOffset
        let bits =
            UInt32(buffer[place]) << 24 | UInt32(buffer[place + 1]) << 16 | UInt32(buffer[place + 2]) << 8
            | UInt32(buffer[place + 3])
        guard (bits ^ firstBits) & Self.common == 0 else { return nil }
        let length = lengths[Int(bits >> 12) & 15]
        return length > 0 ? length + (Int(bits >> 9) & 1) : nil
    }

    /// The end of an ID3v2 tag that starts at an offset, which may have a picture of any size in it.
    private func endOfTag(at offset: Int) -> Int? {
        guard load(offset, ID3v2Header.size), buffer[offset - bufferOffset] == 0x49 else { return nil }
        let place = offset - bufferOffset
        return ID3v2Header(buffer[place..<place + ID3v2Header.size], at: offset)?.end
    }

    /// Whether the frame at an offset, whose length is known, has no sound.
    private func isInfo(at offset: Int) -> Bool {
        let count = MPEGInfoFrame.namedWithin
        guard load(offset, count) else { return false }
        let place = offset - bufferOffset
        return unsafe buffer.withUnsafeBytes { bytes in
            unsafe MPEGInfoFrame.isOne(UnsafeRawBufferPointer(rebasing: bytes[place..<place + count]))
        }
    }

    /// Makes bytes available; false if the file ends before.
    private func load(_ offset: Int, _ needed: Int) -> Bool {
        if offset >= bufferOffset, offset + needed <= bufferOffset + bufferCount { return true }
        let isFast = !file.isLocal && file.seconds(toRead: Self.longRead) < 0.25
        let count = isFast ? Self.longRead : Self.shortRead
        if buffer.count < count { buffer = [UInt8](repeating: 0, count: count) }
        bufferCount = file.read(into: &buffer, count: count, at: offset)
        bufferOffset = offset
        return bufferCount >= needed
    }

    /// Whether there are two consecutive layer III frames in some bytes.
    static func hasFrames(in bytes: [UInt8]) -> Bool {
        bytes.indices.dropLast(4).contains { offset in
            guard bytes[offset] == 0xff,
                let header = MPEGAudioHeader(bits: UInt32(bytes.bigEndian(at: offset, count: 4))), header.layer == 3,
                let next = MPEGAudioHeader(bits: UInt32(bytes.bigEndian(at: offset + header.byteCount, count: 4)))
            else { return false }
            return next.belongsWith(header)
        }
    }

    /// - Parameter model: A frame that it has to match.
    private static func firstFrame(in head: [UInt8], like model: MPEGAudioHeader? = nil) -> (Int, MPEGAudioHeader)? {
        for offset in 0..<max(0, head.count - 4) where head[offset] == 0xff {
            guard let header = MPEGAudioHeader(bits: UInt32(head.bigEndian(at: offset, count: 4))),
                model.map(header.belongsWith) ?? true
            else { continue }
            let follower = offset + header.byteCount
            guard follower + 4 <= head.count else { return (offset, header) }
            if let next = MPEGAudioHeader(bits: UInt32(head.bigEndian(at: follower, count: 4))),
                next.belongsWith(header)
            {
                return (offset, header)
            }
        }
        return nil
    }
}
