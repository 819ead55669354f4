internal import AudioTypes
internal import Charsets
internal import FFmpegValues
internal import Threads

/// A local medium, whose packets are read as they are decoded: of one stream, or of those that follow one another in an Ogg
/// file.
struct DirectMedium: ~Copyable {
    private var reader: PacketReader
    /// The streams, if there are several.
    private let chain: OggChainFile?
    /// The index of the stream that is read.
    private var current = 0
    /// Tags that differ from those of the stream before, and were not returned yet.
    private var news: Tags?
    /// The packets that were missing at the end of the stream before.
    private var loss = PacketReader.Loss()

    /// - Throws: `MediaError`, or `FFmpegError` when it was interrupted.
    static func open(
        _ entry: MediaEntry,
        _ track: TrackSelection,
        _ interrupt: Interrupt,
        _ context: StreamContext
    ) throws -> DirectMedium {
        if let chain = try OggChainFile(entry, track, interrupt) {
            return DirectMedium(reader: try chain.open(0), chain: chain)
        }
        let reader = try PacketReader.open(
            entry,
            track: track,
            interrupt: interrupt,
            subtitles: context.subtitles,
            silence: context.playsSilentFilms,
            charset: context.options.charsets[entry.location]
        )
        return DirectMedium(reader: reader, chain: nil)
    }

    private init(reader: consuming PacketReader, chain: OggChainFile?) {
        self.reader = reader
        self.chain = chain
    }

    /// The information for a decoder of the stream that is read.
    var part: StreamPart { chain?.part(current, of: reader.part) ?? reader.part }

    /// Damage that was found before anything was decoded.
    var damage: MediaReader.Damage { chain?.damage ?? .init() }

    /// The next packet, or the next stream.
    mutating func read(into packet: borrowing Packet) throws -> StreamCore.Taken {
        if let tags = news.take() { return .tags(tags) }
        if case .packet = try reader.read(into: packet) { return .packet }
        guard let chain, current + 1 < chain.count else { return .end }
        loss = takeLoss()
        // Another stream follows what is cut off.
        if loss.isCutOff { loss = PacketReader.Loss(packets: loss.packets + 1) }
        try enter(current + 1, of: chain)
        return .part(part)
    }

    /// The packets that are missing between those that were read since the last call.
    mutating func takeLoss() -> PacketReader.Loss {
        defer { loss = PacketReader.Loss() }
        var all = reader.takeLoss()
        all.packets += loss.packets
        return all
    }

    /// Looks for packets that are missing behind the last one that was read.
    mutating func recordEnd() { reader.recordEnd() }

    /// Changes to the stream that a position is in, to be sought in next.
    ///
    /// - Parameter seconds: From the medium's start.
    /// - Returns: The information for its decoder; `nil` when it is the one that is read.
    mutating func enter(at seconds: Double) throws -> StreamPart? {
        guard let chain, case let index = chain.index(at: seconds), index != current else { return nil }
        try enter(index, of: chain)
        return part
    }

    private mutating func enter(_ index: Int, of chain: OggChainFile) throws {
        let tags = reader.info.tags
        reader = try chain.open(index)
        current = index
        news = reader.info.tags == tags ? nil : reader.info.tags
    }

    /// Continues with a packet at or before a sample of the stream that is read, or with its first one.
    ///
    /// - Parameter timing: Of that stream, as it was found when it was decoded.
    mutating func seek(before wanted: Int, _ timing: MediaTiming) throws(FFmpegError) {
        try reader.seek(before: wanted - timing.base, zero: timing.zero)
    }
}
