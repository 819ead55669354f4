/// The properties in the first packet of an Ogg stream.
struct OggStream {
    let codec: OggCodec
    /// Stream positions per second.
    let rate: Int
    let channels: Int
    /// Inaudible samples at the start.
    let delay: Int
    /// Header packets after the comments.
    let furtherHeaders: Int
    let flac: FLACStreamInfo?
    /// Vorbis: the most samples in a packet.
    private let longestPacket: Int

    /// - Parameter file: Receives the format.
    init?(_ page: OggPages.Page, _ window: inout ByteWindow, _ file: inout ScannedFile) {
        let place = page.body.lowerBound
        guard window.load(place, page.body.count) else { return nil }
        guard let codec = OggCodec(page, &window) else { return nil }
        self.codec = codec
        switch codec {
        case .vorbis where page.body.count >= 30:
            channels = Int(window[place + 11])
            guard let rate = window.littleEndian(place + 12, 4) else { return nil }
            self.rate = rate
            delay = 0
            furtherHeaders = 1
            flac = nil
            longestPacket = 1 << Int(window[place + 28] >> 4)
            file.codec = "vorbis"
            file.format = "\(rate):f:\(channels)"
        case .opus where page.body.count >= 19:
            channels = Int(window[place + 9])
            rate = 48_000
            guard let delay = window.littleEndian(place + 10, 2) else { return nil }
            self.delay = delay
            furtherHeaders = 0
            flac = nil
            longestPacket = 0
            file.codec = "opus"
            file.format = "48000:16:\(channels)"
        case .flac where page.body.count >= 51:
            guard let info = FLACStreamInfo(at: place + 17, &window) else { return nil }
            info.use(for: &file)
            channels = info.channels
            rate = info.sampleRate
            delay = 0
            furtherHeaders = max(0, (window.bigEndian(place + 7, 2) ?? 1) - 1)
            flac = info
            longestPacket = 0
        case .vorbis, .opus, .flac, .speex: return nil
        }
        guard rate > 0, channels > 0 else { return nil }
    }

    /// Whether it has properties that all players know: others, as damage makes them, are left to libavformat.
    var isPlain: Bool {
        (1_000...768_000).contains(rate) && channels <= 8 && flac?.isDecodedEverywhere != false
    }

    /// The position at which the audio starts; `nil` when it is not the usual 0, as in a part of a broadcast.
    ///
    /// - Parameter page: The first one with audio.
    func startGranule(_ page: OggPages.Page, _ window: inout ByteWindow) -> Int? {
        // A last page has the position of the end, which does not tell how much is on it.
        guard !page.isLast, let granule = page.granule else { return 0 }
        guard let lengths = page.lengths(&window) else { return nil }
        let packets = window[lengths].count { $0 < 255 }
        switch codec {
        case .vorbis: return granule <= packets * longestPacket ? 0 : nil
        case .flac, .speex: return 0
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
