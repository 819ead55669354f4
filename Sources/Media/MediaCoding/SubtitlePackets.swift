internal import AudioTypes
internal import CFFmpeg
internal import FFmpegValues
internal import TimedText

/// The streams of a medium with subtitles that are text, whose packets become cues.
struct SubtitlePackets {
    private struct Source {
        let codec: SubtitleCodec
        /// Seconds of one tick of its timestamps.
        let unit: Double
    }

    private let sources: [Int: Source]
    /// Seconds in the medium's timestamps at which the audio begins.
    private let zero: Double
    private let feed: SubtitleFeed

    /// Media have fewer streams with subtitles than this.
    private static let streamLimit = 64
    /// Longer packets hold no text that could be read in time.
    private static let packetLimit = 65_536
    /// Seconds that a text is shown for if its packet does not say.
    private static let usualDuration = 5.0

    /// `nil` when the medium has none.
    init?(of demuxer: borrowing Demuxer, zero: Double, to feed: SubtitleFeed) {
        var sources: [Int: Source] = [:]
        for index in 0..<demuxer.streamCount where sources.count < Self.streamLimit {
            guard let codec = demuxer.subtitleCodec(of: index) else { continue }
            let unit = unsafe av_q2d(demuxer.stream(index).pointee.time_base)
            sources[index] = Source(codec: codec, unit: unit)
        }
        guard !sources.isEmpty else { return nil }
        self.sources = sources
        self.zero = zero
        self.feed = feed
    }

    var streams: Set<Int> { Set(sources.keys) }

    /// Adds the packet's cue; packets of other streams are left out.
    func receive(_ packet: borrowing Packet) {
        guard let source = sources[packet.streamIndex], let timestamp = packet.timestamp,
            let text = source.codec.text(of: packet.bytes(atMost: Self.packetLimit)[...])
        else { return }
        let start = MediaTime(seconds: Double(timestamp) * source.unit - zero)
        let duration = packet.duration > 0 ? Double(packet.duration) * source.unit : Self.usualDuration
        guard let cue = Cue(start: start, end: start + MediaTime(seconds: duration), text: text) else { return }
        feed.add(cue, toStream: packet.streamIndex)
    }
}

extension Packet {
    /// In its stream's time base; `nil` when unknown.
    fileprivate var timestamp: Int64? {
        unsafe pointer.pointee.pts == segue_AV_NOPTS_VALUE ? nil : pointer.pointee.pts
    }

    /// A copy of the data; empty when it is longer than `limit`.
    func bytes(atMost limit: Int) -> [UInt8] {
        guard (1...limit).contains(byteCount), let data = unsafe pointer.pointee.data else { return [] }
        return unsafe Array(UnsafeBufferPointer(start: data, count: byteCount))
    }
}
