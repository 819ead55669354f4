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
        guard let (first, header) = window.firstFrame(from: start, within: mayBeBehindJunk ? 65_536 : 4) else {
            return false
        }
        let info = MPEGInfoFrame(at: first, header, &window)
        let audioStart = info == nil ? first : first + header.byteCount
        var sampled = BitRates(header)
        if info?.frameCount == nil { sampled.add(from: audioStart, header, &window) }
        let head = head(of: audioStart)
        let tail = TailTags(&window)
        let isWhole = window.endsFrame(at: tail.audioEnd, like: header)
        let isTagged = !file.tags.isEmpty
        let payload = audioStart..<max(audioStart, tail.audioEnd)
        let piece = min(PortableID.piece, payload.count)
        let middle = payload.lowerBound + (payload.count - piece) / 2
        if payload.count > 0, head.count > 0 {
            // The last piece first: it is in the buffer.
            guard window.load(payload.upperBound - piece, piece) else { return false }
            let end = Array(window[payload.upperBound - piece..<payload.upperBound])
            tail.read(&window, &tags, isOnlyGain: isTagged, into: &file)
            guard window.load(middle, piece) else { return false }
            var id = PortableID("mpeg")
            id.combine(payload.count)
            id.combine(head[...])
            id.combine(window[middle..<middle + piece])
            id.combine(end[...])
            file.portableID = id.text
        } else {
            tail.read(&window, &tags, isOnlyGain: isTagged, into: &file)
        }
        let sound = MPEGSound(at: first, header, info, &window, tags: tail, isWhole: isWhole)
        if sound.isMisleading { sampled.add(from: audioStart, header, &window) }
        if sound.frameCount == nil { sampled.add(near: middle, header, &window) }
        file.codec = "mp3"
        file.format = "\(header.sampleRate):24:\(header.isMono ? 1 : 2)"
        let byteCount = max(0, sound.end - audioStart)
        if let samples = sound.countedSamples {
            file.duration = Double(samples) / Double(header.sampleRate)
        } else if sampled.average > 0 {
            file.duration = Double(byteCount) * 8 / sampled.average
            file.isExactlyTimed = sampled.isConstant && !sound.isMisleading
        }
        file.setBitRate(ofBytes: byteCount)
        // In so few frames libavformat may see no MP3, and then nothing plays them.
        return !window.isExhausted && sound.end - first >= Self.fewFrames * header.byteCount
    }

    private static let fewFrames = 4

    private mutating func head(of start: Int) -> [UInt8] {
        let count = max(0, min(PortableID.piece, window.size - start))
        return window.load(start, count) ? Array(window[start..<start + count]) : []
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
