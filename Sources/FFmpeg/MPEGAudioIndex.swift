internal import AudioTypes

/// Where the frames of a local MP3 file begin, and how many of its samples are the encoder's padding.
///
/// MP3 has no timestamps, so exact positions come from counting frames. Walking the headers costs a fraction of parsing
/// the file, happens only as far as a seek reaches, and is remembered.
final class MPEGAudioIndex {
    private let file: RandomAccessFile
    private let first: MPEGAudioHeader
    /// The byte offset of every `stride`-th audio frame.
    private var marks: [Int]
    private var walked: Frame
    private var buffer: [UInt8]
    private var bufferOffset = 0
    private var bufferCount = 0

    private static let stride = 32

    /// One frame: its number, from 0, and its place.
    struct Frame: Equatable {
        var number: Int
        var offset: Int
    }

    /// The decoder's own delay in samples, which LAME's delay does not include.
    private static let decoderDelay = 529

    /// Samples to drop at the start; 0 without a LAME tag.
    let startPadding: Int
    /// Samples between the paddings; `nil` without a tag that tells.
    let length: Int?

    /// Reads the beginning of the file; `nil` when it is not a plain layer III file.
    init?(path: FilePath) {
        guard let file = RandomAccessFile(path: path) else { return nil }
        var start = 0
        while true {
            let tag = file.bytes(at: start, count: 10)
            guard tag.count == 10, tag.starts(with: [0x49, 0x44, 0x33]) else { break }
            let size = tag[6...9].reduce(0) { $0 << 7 | Int($1 & 0x7f) }
            start += 10 + size + (tag[5] & 0x10 != 0 ? 10 : 0)
        }
        let head = file.bytes(at: start, count: 65_536)
        guard let (offset, header) = Self.firstFrame(in: head), header.layer == 3 else { return nil }
        var delay: Int?
        var samples: Int?
        var audioOffset = start + offset
        let tagPlace = offset + header.tagOffset
        let name = head.bigEndian(at: tagPlace, count: 4)
        if name == 0x5869_6e67 || name == 0x496e_666f {  // "Xing", "Info"
            audioOffset += header.byteCount
            let flags = head.bigEndian(at: tagPlace + 4, count: 4)
            var place = tagPlace + 8
            var frames: Int?
            if flags & 1 != 0 {
                frames = Int(head.bigEndian(at: place, count: 4))
                place += 4
            }
            if flags & 2 != 0 { place += 4 }
            if flags & 4 != 0 { place += 100 }
            if flags & 8 != 0 { place += 4 }
            let encoder = head.bigEndian(at: place, count: 4)
            if encoder == 0x4c41_4d45 || encoder >> 8 == 0x4c_6176 {  // "LAME", "Lav"
                let paddings = Int(head.bigEndian(at: place + 21, count: 3))
                delay = paddings >> 12
                if let frames {
                    samples = max(0, frames * header.sampleCount - (paddings >> 12) - (paddings & 0xfff))
                }
            }
        } else if head.bigEndian(at: offset + 36, count: 4) == 0x5642_5249 {  // "VBRI"
            audioOffset += header.byteCount
        }
        self.file = file
        first = header
        marks = [audioOffset]
        walked = Frame(number: 0, offset: audioOffset)
        buffer = [UInt8](repeating: 0, count: 65_536)
        startPadding = delay.map { $0 + Self.decoderDelay } ?? 0
        length = samples
    }

    /// The paddings as they are, for trimming.
    var timing: (startPadding: Int, length: Int?) { (startPadding, length) }

    var samplesPerFrame: Int { first.sampleCount }
    var sampleRate: Int { first.sampleRate }

    /// The frame with the number nearest to `number` from below that exists.
    func frame(_ number: Int) -> Frame {
        var frame = nearestMark { $0 * Self.stride <= number }
        while frame.number < number, let next = next(after: frame) { frame = next }
        return frame
    }

    /// The number of the frame that begins at a byte offset; `nil` when none does.
    func number(atOffset offset: Int) -> Int? {
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
        guard let header = header(at: frame.offset) else { return nil }
        var offset = frame.offset + header.byteCount
        // Between frames there may be junk; look for the next header that fits.
        while true {
            if let following = self.header(at: offset), following.belongsWith(first) { break }
            offset += 1
            if offset >= file.size || offset - frame.offset > 1 << 20 { return nil }
        }
        let next = Frame(number: frame.number + 1, offset: offset)
        if next.number > walked.number {
            walked = next
            if next.number % Self.stride == 0 { marks.append(offset) }
        }
        return next
    }

    private func header(at offset: Int) -> MPEGAudioHeader? {
        if offset < bufferOffset || offset + 4 > bufferOffset + bufferCount {
            bufferCount = file.read(into: &buffer, count: buffer.count, at: offset)
            bufferOffset = offset
            guard bufferCount >= 4 else { return nil }
        }
        return MPEGAudioHeader(bits: UInt32(buffer.bigEndian(at: offset - bufferOffset, count: 4)))
    }

    private static func firstFrame(in head: [UInt8]) -> (Int, MPEGAudioHeader)? {
        for offset in 0..<max(0, head.count - 4) where head[offset] == 0xff {
            guard let header = MPEGAudioHeader(bits: UInt32(head.bigEndian(at: offset, count: 4))) else { continue }
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
