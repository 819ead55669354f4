/// What the first packet of a stream in Ogg says.
struct OggStream {
    enum Kind {
        case vorbis
        case opus
        case flac

        var name: StaticString {
            switch self {
            case .vorbis: "ogg-vorbis"
            case .opus: "ogg-opus"
            case .flac: "ogg-flac"
            }
        }
    }

    let kind: Kind
    /// Of the stream's positions, per second.
    let rate: Int
    let channels: Int
    /// Samples at the beginning that are not heard.
    let delay: Int
    /// Header packets behind the comments.
    let furtherHeaders: Int
    let flac: FLACStreamInfo?
    /// Vorbis: the most samples that a packet gives.
    private let longestPacket: Int

    /// - Parameter file: Gets the format.
    init?(_ page: OggPages.Page, _ window: inout ByteWindow, _ file: inout ScannedFile) {
        let place = page.body.lowerBound
        guard window.load(place, page.body.count) else { return nil }
        if window.has("\u{1}vorbis", at: place), page.body.count >= 30 {
            kind = .vorbis
            channels = Int(window[place + 11])
            guard let rate = window.littleEndian(place + 12, 4) else { return nil }
            self.rate = rate
            delay = 0
            furtherHeaders = 1
            flac = nil
            longestPacket = 1 << Int(window[place + 28] >> 4)
            file.codec = "vorbis"
            file.format = "\(rate):f:\(channels)"
        } else if window.has("OpusHead", at: place), page.body.count >= 19 {
            kind = .opus
            channels = Int(window[place + 9])
            rate = 48_000
            guard let delay = window.littleEndian(place + 10, 2) else { return nil }
            self.delay = delay
            furtherHeaders = 0
            flac = nil
            longestPacket = 0
            file.codec = "opus"
            file.format = "48000:16:\(channels)"
        } else if window.has("\u{7f}FLAC", at: place), page.body.count >= 51,
            let info = FLACStreamInfo(at: place + 17, &window), info.use(for: &file)
        {
            kind = .flac
            channels = info.channels
            rate = info.sampleRate
            delay = 0
            furtherHeaders = max(0, (window.bigEndian(place + 7, 2) ?? 1) - 1)
            flac = info
            longestPacket = 0
        } else {
            return nil
        }
        guard rate > 0, channels > 0 else { return nil }
    }

    /// Passes what stands in the comments' packet before the vendor's length.
    func skipToComments(_ stream: inout CommentStream, _ window: inout ByteWindow) -> Bool {
        switch kind {
        case .vorbis: stream.take(7, &window)?.elementsEqual("\u{3}vorbis".utf8) == true
        case .opus: stream.take(8, &window)?.elementsEqual("OpusTags".utf8) == true
        case .flac: stream.take(4, &window)?.first.map { $0 & 0x7f == 4 } == true
        }
    }

    /// The position at which the sound begins; `nil` when it is not the usual 0, as in a piece of a broadcast.
    ///
    /// - Parameter page: The first one with sound.
    func startGranule(_ page: OggPages.Page, _ window: inout ByteWindow) -> Int? {
        // A last page says where the sound ends, not how much is on it.
        guard !page.isLast, let granule = page.granule else { return 0 }
        guard window.load(page.start, 27 + page.segments) else { return nil }
        var packets = 0
        for place in page.start + 27..<page.start + 27 + page.segments where window[place] < 255 { packets += 1 }
        switch kind {
        case .vorbis: return granule <= packets * longestPacket ? 0 : nil
        case .flac: return 0
        case .opus:
            guard window.load(page.body.lowerBound, min(2, page.body.count)), page.body.count >= 2 else { return nil }
            let first = window[page.body.lowerBound]
            let frames = [1, 2, 2, Int(window[page.body.lowerBound + 1] & 0x3f)][Int(first & 3)]
            return granule <= packets * frames * opusFrameLength(first) ? 0 : nil
        }
    }
}

/// The samples in one frame, from a packet's first byte (RFC 6716, section 3.1).
private func opusFrameLength(_ first: UInt8) -> Int {
    let configuration = Int(first >> 3)
    switch configuration {
    case 0..<12: return [480, 960, 1920, 2880][configuration & 3]
    case 12..<16: return [480, 960][configuration & 1]
    default: return [120, 240, 480, 960][configuration & 3]
    }
}
