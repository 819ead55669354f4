internal import AudioTypes
internal import FFmpegValues
internal import HTTP
internal import Segments
internal import TimedText

/// A segmented medium: one demuxer after another, each for a run of segments.
final class SegmentMedium: StreamSession {
    private let core: StreamCore
    private let entry: MediaEntry
    private let session: SegmentSession
    private let client: HTTPClient
    private let bytes: SegmentBytes
    private let container: String
    private let playlists: any PlaylistSource
    private var presentation = SegmentPresentation()
    /// `nil` without subtitles, and where they are not wanted.
    private var subtitles: SubtitleFetcher?
    private var reader: PacketReader?
    private var info: MediaInfo?
    private(set) var track: Track?
    /// By the number of a timeline: the seconds by which its timestamps are ahead of the presentation.
    private var clocks: [Int: Double] = [:]
    private var timeline = 0
    /// As it was told last.
    private var window: ClosedRange<Double>?
    /// The end of the last packet read, in seconds of its timeline's clock; `nil` after a seek.
    private var lastEnd: Double?
    /// The tags that were read last: most streams repeat them in each segment.
    private var tags: Tags?

    init(_ core: StreamCore, _ entry: MediaEntry, _ playlists: any PlaylistSource, _ client: HTTPClient) {
        self.core = core
        self.entry = entry
        self.client = client
        self.playlists = playlists
        container = playlists.name.lowercased()
        session = SegmentSession(
            playlists,
            client: client,
            options: core.options,
            decryptor: SegmentCiphers(),
            report: core.hear
        )
        bytes = SegmentBytes(session)
        record(ahead: PacketQueue.Amount())
    }

    deinit { subtitles?.cancel() }

    var isLive: Bool { presentation.isLive }

    var throughput: Double? { client.throughput }

    func open() throws -> StreamPart {
        presentation = try session.open()
        core.update { status in
            status.isLive = presentation.isLive
            status.indicatedBitRate = presentation.indicatedBitRate
        }
        startSubtitles()
        recordWindow()
        guard let part = try nextPart() else { throw MediaError(location: entry.location, reason: .noSamples) }
        tags = session.takeTag().flatMap(Tags.init(id3:))
        core.update { $0.connection = .connected }
        return part
    }

    private func startSubtitles() {
        guard subtitles == nil, let feed = core.context.subtitles, !playlists.subtitles.isEmpty else { return }
        let source = SubtitleFetcher.Source(
            renditions: playlists.subtitles,
            options: core.options.http,
            home: entry.requestedLocation
        )
        subtitles = SubtitleFetcher(source, to: feed)
        subtitles?.start()
    }

    /// Opens the next run of segments; an invalid one is left out.
    private func nextPart() throws -> StreamPart? {
        while let part = try session.nextPart() {
            do {
                return try open(part)
            } catch let error as MediaError {
                core.context.report(.failed(.init(of: error, at: entry.location, isFinal: false)))
            }
        }
        return nil
    }

    private func open(_ part: SessionPart) throws -> StreamPart {
        reader = nil
        let source = PacketReader.Source(
            input: try InputContext(bytes),
            container: part.container.demuxer,
            analysis: 0.3
        )
        // A separate rendition holds one track.
        let selection = presentation.audioTracks.isEmpty ? core.selection : .automatic
        let opened = try PacketReader.open(entry, track: selection, interrupt: core.interrupt, source: source)
        var result = opened.part
        result.continues = continues(part, with: opened.track)
        (track, timeline) = (opened.track, part.timeline)
        reader = consume opened
        let start = Double(result.track.start ?? 0) * result.track.unit
        // An author's times are exact; but not every author can be trusted.
        let told = part.mediaTime.flatMap { abs($0 - start) < 2 * max(presentation.targetDuration, 1) ? $0 : nil }
        let derived = (told ?? start) - part.startTime
        // Timestamps wrap around after 26.5 hours (33 bits of 90 kHz), and with some broadcasters at any time.
        // The demuxers of packed audio have no clock at all: they count from zero in each part.
        let isClocked = part.container != .packedAudio
        let known = isClocked ? clocks[part.timeline].flatMap { abs($0 - derived) < 10 ? $0 : nil } : nil
        let clock = known ?? derived
        if isClocked {
            clocks[part.timeline] = clock
            subtitles?.setClock(clock)
        }
        result.timing.zero = Int(sample: (clock * Double(result.track.sampleRate)).rounded())
        result.earliest = part.soundFrom
        result.latest = part.soundUntil
        result.info.duration = presentation.duration.map { MediaTime(seconds: $0) }
        result.info.isSeekable = true
        result.info.hasExactEnd = false
        result.info.container = container
        result.info.tags.name(stationOf: entry)
        result.info.renditions = presentation.renditions + playlists.subtitles.enumerated().map(StreamInfo.init)
        result.info.playedBitRate = result.info.playedBitRate ?? part.indicatedBitRate
        core.update { $0.indicatedBitRate = part.indicatedBitRate }
        return result
    }

    /// Whether a part starts with the packet that follows the last one read.
    private func continues(_ part: SessionPart, with other: Track) -> Bool {
        guard part.timeline == timeline, part.container != .packedAudio, let track, other.isDecoded(like: track),
            let lastEnd, let start = other.start
        else { return false }
        // Timestamps are rounded; no packet is that short.
        return abs(Double(start) * other.unit - lastEnd) < 0.001
    }

    /// Tells which part of a live presentation may be sought.
    private func recordWindow() {
        guard window != session.window else { return }
        window = session.window
        core.update { $0.window = window }
    }

    func read(into packet: borrowing Packet) throws -> StreamItem {
        recordWindow()
        if let tags = takeTags() { return .tags(tags) }
        do {
            if case .packet = try reader?.read(into: packet) {
                lastEnd = packet.endTime.flatMap { end in track.map { Double(end) * $0.unit } }
                return .packet
            }
        } catch {
            // The demuxer only knows that our bytes ended.
            throw reader?.failure ?? error
        }
        if let failure = reader?.failure { throw failure }
        guard let part = try nextPart() else { return .end }
        return .part(part)
    }

    /// The tags of the sound from about here on, when they have changed.
    private func takeTags() -> Tags? {
        guard let new = session.takeTag().flatMap(Tags.init(id3:)) ?? reader?.takeTimedTags(), new != tags else {
            return nil
        }
        tags = new
        return new
    }

    func record(ahead: PacketQueue.Amount) { session.record(buffered: ahead.seconds, of: core.options.bufferLength) }

    func seek(_ order: StreamCore.SeekOrder) throws -> StreamPart? {
        lastEnd = nil
        record(ahead: PacketQueue.Amount())
        let time = max(0, Double(order.sample) / Double(order.sampleRate))
        let isLive = session.window.map { time >= $0.upperBound } ?? false
        session.seek(to: time)
        var part = try nextPart()
        recordWindow()
        // The live moment is earlier than what was asked for.
        if isLive { part?.isFromEarliest = true }
        return part
    }
}

extension SegmentPresentation {
    /// The sounds to choose from, as streams.
    fileprivate var renditions: [StreamInfo] {
        audioTracks.enumerated().map { number, track in
            var stream = StreamInfo(index: number, kind: .audio, codec: "unknown")
            (stream.language, stream.title) = (track.language, track.name.isEmpty ? nil : track.name)
            stream.dispositions = track.isDefault ? ["default"] : []
            return stream
        }
    }
}

extension StreamInfo {
    fileprivate init(_ number: Int, _ subtitles: SubtitleRendition) {
        self.init(index: SubtitleFetcher.firstStream + number, kind: .subtitle, codec: SubtitleCodec.webVTT.rawValue)
        (language, title) = (subtitles.language, subtitles.name.isEmpty ? nil : subtitles.name)
        dispositions =
            (subtitles.isDefault ? ["default"] : []) + (subtitles.isForced ? ["forced"] : [])
            + (subtitles.describesSound ? ["hearing_impaired"] : [])
    }
}

extension SegmentContainer {
    /// libavformat's name of it; `nil` if it has to detect it.
    fileprivate var demuxer: String? {
        switch self {
        case .mpegTS: "mpegts"
        case .fragmentedMP4: "mov"
        case .webM: "matroska"
        case .packedAudio: nil
        }
    }
}

/// The bytes of a session's current part.
private final class SegmentBytes: ByteInput {
    private let session: SegmentSession

    init(_ session: SegmentSession) { self.session = session }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { unsafe try session.read(into: buffer) }
    var seekableSize: Int? { nil }
    func seek(to offset: Int) {}
}
