/// FLAC (RFC 9639).
extension HeaderReader {
    /// - Parameter start: The position of `fLaC`.
    mutating func readFLAC(at start: Int, into file: inout ScannedFile) -> Bool {
        var blocks = FLACBlocks(at: start)
        guard let first = blocks.next(&window), first.kind == .streamInfo,
            let info = FLACStreamInfo(at: first.content.lowerBound, &window)
        else { return false }
        info.use(for: &file)
        var hasComments = false
        var sheet: FLACCueSheet?
        // Large blocks, such as a picture or padding, are skipped without being read.
        while let block = blocks.next(&window) {
            switch block.kind {
            case .comments where !hasComments:
                hasComments = true
                var stream = CommentStream(block.content)
                readVorbisComments(&stream, into: &file)
            case .cueSheet: sheet = FLACCueSheet(block.content, sampleRate: info.sampleRate, &window)
            case .picture: file.cover = .embedded
            case .comments, .streamInfo, nil: break
            }
        }
        let place = blocks.place
        guard !blocks.isBroken, place < window.size else { return false }
        tags.recordEnd()
        // A CUE sheet among the comments also has texts.
        if file.cueSheet == nil { file.cueSheet = sheet?.text }
        if file.duration == nil {
            let end = SoundEnd(flacAfter: place, &window, tags: TailTags(&window)).offset
            guard let count = FLACFrames(info).sampleCount(in: place..<end, &window) else { return false }
            file.duration = Double(count) / Double(info.sampleRate)
        }
        file.setBitRate(ofBytes: window.size - place)
        // libavformat decides about the others, as it does when they are played.
        let isPlain = first.content.count == FLACStreamInfo.byteCount && info.isDecodedEverywhere
        if info.hasDigest {
            var id = PortableID("flac")
            info.identify(&id)
            file.portableID = id.text
            return isPlain && window.hasFrames(at: place, of: info)
        }
        var end = window.size
        if window.has("TAG", at: end - 128) { end -= 128 }
        var id = PortableID("flac-frames")
        guard id.combine(payload: place..<max(place, end), &window) else { return false }
        file.portableID = id.text
        return isPlain && window.hasFrames(at: place, of: info)
    }
}

extension ByteWindow {
    /// Bytes of all frames so few that also a whole one is looked for.
    private static let fewBytes = 32_768

    /// Whether a FLAC stream's frames begin at an offset, as far as what was read with the head tells: behind a picture that
    /// would be one more read for each file.
    fileprivate mutating func hasFrames(at place: Int, of info: FLACStreamInfo) -> Bool {
        let count = min(FLACFrameHeader.longest, size - place)
        guard place + count <= Self.usualHead || size - place < Self.fewBytes else { return true }
        guard load(place, count), FLACFrameHeader(self[place..<place + count], info) != nil else { return false }
        guard size - place < Self.fewBytes else { return true }
        let end = SoundEnd(flacAfter: place, &self, tags: TailTags(&self)).offset
        return FLACFrames(info).sampleCount(in: place..<max(place, end), &self) != nil
    }
}

/// FLAC's first block, also in Ogg.
struct FLACStreamInfo {
    let sampleRate: Int
    let channels: Int
    let bits: Int
    /// 0 when unknown.
    let sampleCount: Int
    /// Samples in each frame but the last one, if all others have the same number; else the most in one.
    let blockSize: Int
    /// MD5 of all samples.
    private let digest: [UInt8]

    /// In bytes.
    static let byteCount = 34

    /// - Parameter place: The position after the block's header.
    init?(at place: Int, _ window: inout ByteWindow) {
        guard window.load(place, Self.byteCount), let word = window.bigEndian(place + 10, 3),
            let low = window.bigEndian(place + 14, 4), let longest = window.bigEndian(place + 2, 2)
        else { return nil }
        blockSize = longest
        sampleRate = word >> 4
        channels = (word >> 1 & 7) + 1
        bits = ((word & 1) << 4 | Int(window[place + 13] >> 4)) + 1
        sampleCount = Int(window[place + 13] & 15) << 32 | low
        digest = Array(window[place + 18..<place + 34])
        guard sampleRate > 0, bits >= 4 else { return nil }
    }

    /// Whether also FFmpeg before version 6 decodes it, which drops samples of 32 bits.
    var isDecodedEverywhere: Bool { bits <= 24 }

    /// Whether the encoder wrote a digest.
    var hasDigest: Bool { digest.contains { $0 != 0 } }

    /// The samples' own digest is the best identity: it stays when the file is recompressed.
    func identify(_ id: inout PortableID) {
        for number in [sampleRate, channels, bits, sampleCount] { id.combine(number) }
        id.combine(digest[...])
    }

    func use(for file: inout ScannedFile) {
        file.codec = "flac"
        file.format = "\(sampleRate):\(bits):\(channels)"
        if sampleCount > 0 { file.duration = Double(sampleCount) / Double(sampleRate) }
    }
}

extension ScannedFile {
    /// Sets the bit rate from the size of the audio and the duration.
    mutating func setBitRate(ofBytes count: Int) {
        guard let duration, duration > 0, count > 0 else { return }
        let rate = Double(count) * 8 / duration
        if (1..<1e10).contains(rate) { bitRate = Int(saturating: rate.rounded()) }
    }
}
