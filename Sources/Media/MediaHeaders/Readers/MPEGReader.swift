internal import AudioTypes

/// MPEG audio, layer III: MP3.
extension HeaderReader {
    /// Finds the audio after the tags, then reads the tags at the end.
    ///
    /// - Parameter start: The end of an ID3v2 tag.
    mutating func readMPEG(at start: Int, into file: inout ScannedFile) -> Bool {
        // Audio in other containers may look like this too, so junk is skipped only for a file that declares no other
        // format.
        let mayBeBehindJunk =
            start > 0 || file.uri.utf8.suffix(4).elementsEqual(".mp3".utf8, by: { $0 | 0x20 == $1 | 0x20 })
        guard let (first, header) = firstFrame(from: start, within: mayBeBehindJunk ? 65_536 : 4) else { return false }
        var info = MPEGInfoFrame(at: first, header, &window)
        let audioStart = info == nil ? first : first + header.byteCount
        info?.check(header, window.size - audioStart)
        var sampled = BitRates(header)
        if info?.frameCount == nil { sampled.add(from: audioStart, header, &window) }
        let head = head(of: audioStart)
        let tail = TailTags(&window)
        let isTagged = !file.tags.isEmpty
        let payload = audioStart..<max(audioStart, tail.audioEnd)
        if payload.count > 0, head.count > 0 {
            // The last piece first: it is in the buffer.
            let piece = min(PortableID.piece, payload.count)
            guard window.load(payload.upperBound - piece, piece) else { return false }
            let end = Array(window[payload.upperBound - piece..<payload.upperBound])
            tail.read(&window, &tags, isOnlyGain: isTagged, into: &file)
            let middle = payload.lowerBound + (payload.count - piece) / 2
            guard window.load(middle, piece) else { return false }
            var id = PortableID("mpeg")
            id.combine(payload.count)
            id.combine(head[...])
            id.combine(window[middle..<middle + piece])
            id.combine(end[...])
            file.portableID = id.text
            if info?.frameCount == nil { sampled.add(near: middle, header, &window) }
        } else {
            tail.read(&window, &tags, isOnlyGain: isTagged, into: &file)
        }
        file.codec = "mp3"
        file.format = "\(header.sampleRate):24:\(header.isMono ? 1 : 2)"
        if let frames = info?.frameCount {
            let samples = max(0, frames * header.sampleCount - (info?.padding ?? 0))
            file.duration = Double(samples) / Double(header.sampleRate)
        } else if sampled.average > 0 {
            file.duration = Double(payload.count) * 8 / sampled.average
            file.isExactlyTimed = sampled.isConstant
        }
        file.setBitRate(ofBytes: payload.count)
        return !window.isExhausted
    }

    private mutating func head(of start: Int) -> [UInt8] {
        let count = max(0, min(PortableID.piece, window.size - start))
        return window.load(start, count) ? Array(window[start..<start + count]) : []
    }

    /// The first frame that is followed by another one, after limited junk.
    mutating func firstFrame(from start: Int, within reach: Int) -> (Int, MPEGAudioHeader)? {
        guard start <= window.size else { return nil }
        let end = min(window.size, start + reach)
        var place = start
        while place + 4 <= end {
            if window.load(place, 1), window[place] != 0xff {
                place += 1
                continue
            }
            if let header = frame(at: place), header.layer == 3 {
                let follower = place + header.byteCount
                if let next = frame(at: follower), next.belongsWith(header) { return (place, header) }
            }
            place += 1
        }
        return nil
    }

    private mutating func frame(at place: Int) -> MPEGAudioHeader? {
        window.bigEndian(place, 4).flatMap { MPEGAudioHeader(bits: UInt32($0)) }
    }
}

/// A frame without audio that has the number of frames: Xing's or LAME's, or Fraunhofer's.
struct MPEGInfoFrame {
    private(set) var frameCount: Int?
    /// The encoder's padding at both ends, in samples.
    private(set) var padding: Int?

    init?(at place: Int, _ header: MPEGAudioHeader, _ window: inout ByteWindow) {
        guard window.load(place, min(256, window.size - place)) else { return nil }
        let tag = place + header.tagOffset
        if window.has("Xing", at: tag) || window.has("Info", at: tag) {
            guard let flags = window.bigEndian(tag + 4, 4) else { return }
            var next = tag + 8
            if flags & 1 != 0 {
                frameCount = window.bigEndian(next, 4)
                next += 4
            }
            next += (flags & 2 != 0 ? 4 : 0) + (flags & 4 != 0 ? 100 : 0) + (flags & 8 != 0 ? 4 : 0)
            guard window.has("LAME", at: next) || window.has("Lav", at: next),
                let paddings = window.bigEndian(next + 21, 3)
            else { return }
            padding = paddings >> 12 + paddings & 0xfff
        } else if window.has("VBRI", at: place + 36) {
            frameCount = window.bigEndian(place + 36 + 14, 4)
        } else {
            return nil
        }
    }

    /// Forgets a number of frames that so many bytes cannot be; some writers leave it at zero.
    mutating func check(_ header: MPEGAudioHeader, _ count: Int) {
        if let frameCount, !header.mayHave(frames: frameCount, inBytes: count) { self.frameCount = nil }
    }
}

/// Samples the bit rates of some frames, for files without a declared length.
private struct BitRates {
    private var total: Double = 0
    private var count = 0
    private(set) var isConstant = true
    private let first: MPEGAudioHeader

    /// Frames sampled in one place.
    private static let sample = 24

    init(_ header: MPEGAudioHeader) { first = header }

    /// Bits per second.
    var average: Double { count == 0 ? 0 : total / Double(count) }

    mutating func add(from start: Int, _ header: MPEGAudioHeader, _ window: inout ByteWindow) {
        var place = start
        for _ in 0..<Self.sample {
            guard let bits = window.bigEndian(place, 4), let frame = MPEGAudioHeader(bits: UInt32(bits)),
                frame.belongsWith(header)
            else { return }
            add(frame)
            place += frame.byteCount
        }
    }

    /// Adds the frames in the buffer from a position on.
    mutating func add(near place: Int, _ header: MPEGAudioHeader, _ window: inout ByteWindow) {
        for start in place..<place + 2048 {
            guard let bits = window.bigEndian(start, 4), let frame = MPEGAudioHeader(bits: UInt32(bits)),
                frame.belongsWith(header), let next = window.bigEndian(start + frame.byteCount, 4),
                MPEGAudioHeader(bits: UInt32(next))?.belongsWith(header) == true
            else { continue }
            return add(from: start, header, &window)
        }
    }

    private mutating func add(_ frame: MPEGAudioHeader) {
        if frame.bitRate != first.bitRate { isConstant = false }
        total += Double(frame.bitRate)
        count += 1
    }
}
