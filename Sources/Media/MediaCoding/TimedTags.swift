internal import AudioTypes
internal import CFFmpeg
internal import FFmpegValues
internal import MediaHeaders

/// The ID3 tags between the packets of a transport stream (RFC 8216, section 3.2: timed metadata).
struct TimedTags {
    /// The streams that they come in.
    let streams: Set<Int>
    private var latest: Tags?

    /// Larger tags are left out.
    static let byteLimit = 1 << 20

    init(of demuxer: borrowing Demuxer) {
        var streams: Set<Int> = []
        for index in 0..<demuxer.streamCount where demuxer.hasTimedTags(index) { streams.insert(index) }
        self.streams = streams
    }

    /// Keeps the packet's tags; packets of other streams are left out.
    mutating func receive(_ packet: borrowing Packet) {
        guard streams.contains(packet.streamIndex), let tags = Tags(id3: packet.bytes(atMost: Self.byteLimit)) else {
            return
        }
        latest = tags
    }

    /// The tags received since the last call.
    mutating func take() -> Tags? { latest.take() }
}

extension Demuxer {
    /// Whether a stream is of ID3 tags.
    func hasTimedTags(_ index: Int) -> Bool {
        unsafe kind(of: index) == .data && stream(index).pointee.codecpar.pointee.codec_id == AV_CODEC_ID_TIMED_ID3
    }
}

extension Tags {
    /// Of an ID3 tag that says what is heard; `nil` when it does not, like those with a timestamp only.
    init?(id3 bytes: [UInt8]) {
        // FFmpeg 5.1 takes the first five bytes for a header of ISO 13818-1, which only other tags have.
        let isCut = !bytes.starts(with: "ID3".utf8)
        var reader = TagReader(isCut ? Array("ID3".utf8) + [4, 0] + bytes : bytes)
        self = reader.streamTags(pictureAtMost: TimedTags.byteLimit)
        if isEmpty { return nil }
    }
}
