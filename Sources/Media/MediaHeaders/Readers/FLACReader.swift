/// FLAC (RFC 9639).
extension HeaderReader {
    /// - Parameter start: Where `fLaC` is.
    mutating func readFLAC(at start: Int, into file: inout ScannedFile) -> Bool {
        var place = start + 4
        guard let info = FLACStreamInfo(at: place + 4, &window), window[place] & 0x7f == 0 else { return false }
        guard info.use(for: &file) else { return false }
        var hasComments = false
        var sheet: FLACCueSheet?
        // More blocks than any file has that is as it should be.
        for _ in 0..<1024 {
            guard window.load(place, 4), let length = window.bigEndian(place + 1, 3) else { return false }
            let kind = window[place]
            switch kind & 0x7f {
            case 4 where !hasComments:
                hasComments = true
                var stream = CommentStream(place + 4..<place + 4 + length)
                VorbisCommentReader.read(&stream, &window, &tags, into: &file)
            case 5:
                sheet = FLACCueSheet(place + 4..<place + 4 + length, sampleRate: info.sampleRate, &window)
            case 6: file.cover = .embedded
            default: break
            }
            // What is large, a picture or padding, is passed over without being read.
            place += 4 + length
            if kind & 0x80 != 0 { break }
        }
        guard place < window.size else { return false }
        tags.noteEnd()
        // The one among the comments has words.
        if file.cueSheet == nil { file.cueSheet = sheet?.text }
        file.setBitRate(ofBytes: window.size - place)
        if info.hasDigest {
            var id = PortableID("flac")
            info.identify(&id)
            file.portableID = id.text
            return true
        }
        var end = window.size
        if window.has("TAG", at: end - 128) { end -= 128 }
        var id = PortableID("flac-frames")
        guard id.combine(payload: place..<max(place, end), &window) else { return false }
        file.portableID = id.text
        return true
    }
}

/// FLAC's first block, also where it stands in Ogg.
struct FLACStreamInfo {
    let sampleRate: Int
    let channels: Int
    let bits: Int
    /// 0 when not known.
    let sampleCount: Int
    /// MD5 of all samples.
    private let digest: [UInt8]

    /// - Parameter place: Behind the block's header.
    init?(at place: Int, _ window: inout ByteWindow) {
        guard window.load(place, 34), let word = window.bigEndian(place + 10, 3),
            let low = window.bigEndian(place + 14, 4)
        else { return nil }
        sampleRate = word >> 4
        channels = (word >> 1 & 7) + 1
        bits = ((word & 1) << 4 | Int(window[place + 13] >> 4)) + 1
        sampleCount = Int(window[place + 13] & 15) << 32 | low
        digest = Array(window[place + 18..<place + 34])
        guard sampleRate > 0, bits >= 4 else { return nil }
    }

    /// Whether the encoder wrote one.
    var hasDigest: Bool { digest.contains { $0 != 0 } }

    /// The samples' own digest is the best identity that there is: it stays when the file is compressed anew.
    func identify(_ id: inout PortableID) {
        for number in [sampleRate, channels, bits, sampleCount] { id.combine(number) }
        id.combine(digest[...])
    }

    /// - Returns: Whether the length is known.
    func use(for file: inout ScannedFile) -> Bool {
        file.codec = "flac"
        file.format = "\(sampleRate):\(bits):\(channels)"
        guard sampleCount > 0 else { return false }
        file.duration = Double(sampleCount) / Double(sampleRate)
        return true
    }
}

extension ScannedFile {
    /// The rate from the size of what is heard and the duration.
    mutating func setBitRate(ofBytes count: Int) {
        guard let duration, duration > 0, count > 0 else { return }
        let rate = Double(count) * 8 / duration
        if (1..<1e10).contains(rate) { bitRate = Int(rate.rounded()) }
    }
}
