internal import AudioTypes
internal import CFFmpeg
internal import Charsets
internal import FFmpegValues
internal import HTTP
internal import MediaHeaders
internal import Threads

/// The packets of one medium's selected stream, in order, with timestamps as exact as possible.
///
/// Confined to one thread; opening, reading and seeking block.
struct PacketReader: ~Copyable {
    /// The contents of the medium; the duration is that of the audible samples.
    let info: MediaInfo
    let track: Track
    /// How timestamps map to samples, as far as known before the first one.
    let timing: MediaTiming
    private let entry: MediaEntry
    private let demuxer: Demuxer
    private let mpeg: MPEGAudioIndex?
    private let subtitles: SubtitlePackets?
    /// The tags in between; none of files, which have theirs at the ends.
    private var timedTags: TimedTags?
    /// Finds what is missing of a local Ogg stream.
    private var losses: OggLosses?
    /// The packets that were missing since the last call of `takeLoss`.
    private var loss = Loss()
    /// Takes the place of the sound of a film without any.
    private var silence: SilentSound?
    /// The number of the next MP3 frame; `nil` until the first one was found.
    private var mpegFrame: Int?
    /// The latest tags.
    private var tags: Tags

    /// The source of a medium's bytes, if not libavformat itself.
    struct Source {
        var input: InputContext
        /// Random access to the same bytes; `nil` when they can only be read in order.
        var access: (any ByteAccess)? = nil
        /// libavformat's name of the container, if known.
        var container: String? = nil
        /// Seconds of it to analyse for its streams; `nil` is libavformat's default.
        var analysis: Double? = nil
        /// The range of these bytes in the entry's local file; `nil` when they are not from one.
        var part: Range<Int>? = nil
    }

    /// Opens a medium and chooses its audio stream.
    ///
    /// - Parameters:
    ///   - http: Options for libavformat's own HTTP requests.
    ///   - subtitles: Receives the texts of subtitle packets that come between those of the audio.
    ///   - charset: Of tags that declare none; `nil` to judge by them.
    ///   - silence: Whether a film without sound has silence in its place.
    static func open(
        _ entry: MediaEntry,
        track: TrackSelection,
        interrupt: Interrupt,
        source: Source? = nil,
        http: HTTPOptions = HTTPOptions(),
        subtitles: SubtitleFeed? = nil,
        silence: Bool = false,
        charset: Charset? = nil
    ) throws -> PacketReader {
        let access: (any ByteAccess)? = entry.filePath.flatMap(RandomAccessFile.init(path:)) ?? source?.access
        func make(trimsByEditList: Bool) throws -> PacketReader? {
            try Self.make(
                entry,
                track,
                interrupt,
                source,
                access,
                http,
                subtitles,
                silence,
                charset,
                trimsByEditList: trimsByEditList
            )
        }
        if access != nil {
            if let reader = try make(trimsByEditList: false) { return reader }
            source?.input.rewind()
        }
        guard let reader = try make(trimsByEditList: true) else {
            throw MediaError(location: entry.location, reason: .undecodable)
        }
        return reader
    }

    /// - Returns: `nil` when the medium needs FFmpeg's edit lists and was opened without.
    private static func make(
        _ entry: MediaEntry,
        _ selection: TrackSelection,
        _ interrupt: Interrupt,
        _ source: Source?,
        _ access: (any ByteAccess)?,
        _ http: HTTPOptions,
        _ feed: SubtitleFeed?,
        _ silence: Bool,
        _ charset: Charset?,
        trimsByEditList: Bool
    ) throws -> PacketReader? {
        let demuxer = try MediaProbe.open(
            entry,
            interrupt: interrupt,
            trimsByEditList: trimsByEditList,
            source: source,
            http: http,
            readsSubtitles: feed != nil,
            allowsSilence: silence
        )
        var info = demuxer.info()
        if source != nil { info.cover = demuxer.cover(atMost: largestCover)?.bytes }
        if silence, let film = demuxer.silentFilm(info) {
            // Its pictures are timed by their edit list.
            return trimsByEditList || !demuxer.container.hasPrefix("mov,") || access == nil
                ? try PacketReader(silent: film, info, entry, demuxer, feed) : nil
        }
        guard let index = MediaSelectionGroup(.audible, of: info).option(for: selection)?.stream else {
            let reason = info.audioStreams.isEmpty ? MediaError.Reason.noAudio : .noSuchTrack(selection)
            throw MediaError(location: entry.location, reason: reason)
        }
        let track = try Track(index, of: demuxer)
        // swresample converts up to 64 channels (SWR_CH_MAX).
        guard (1_000...768_000).contains(track.sampleRate), track.channelCount <= 64 else {
            throw MediaError(location: entry.location, reason: .undecodable)
        }
        var movie: MovieTiming?
        if let access, !trimsByEditList, demuxer.container.hasPrefix("mov,") {
            movie = MovieTiming(of: access, trackID: track.id, sampleRate: track.sampleRate)
            if movie == nil { return nil }
        }
        let mpeg = demuxer.container == "mp3" ? access.flatMap(MPEGAudioIndex.init) : nil
        let timing = MediaTiming(of: track, movie: movie, mpeg: mpeg)
        if let length = timing.length {
            info.duration = MediaTime(sample: length, at: track.sampleRate)
        } else if let duration = info.duration, track.container == "ogg" {
            // Ogg includes the encoder's delay.
            info.duration = max(.zero, duration - MediaTime(sample: track.initialPadding, at: track.sampleRate))
        }
        if let mpeg, let file = access as? RandomAccessFile, mpeg.lacksLength {
            let measured = file.measuredDuration(interrupt, patience: measuringPatience)
            info.duration = measured ?? mpeg.estimatedDuration
        }
        info.duration = mpeg?.joinedDuration ?? info.duration
        if info.duration == nil, let samples = access.flatMap(SoundExtent.init(of:))?.sampleCount {
            info.duration = MediaTime(sample: samples, at: track.sampleRate)
        }
        info.hasExactEnd = timing.isExact
        if let file = access as? RandomAccessFile { info.replayGain.fillIn(file.unreadGain) }
        Self.readTags(access, source, charset).replace(in: &info.tags)
        if mpeg != nil, !info.chapters.isEmpty, let file = access as? RandomAccessFile {
            info.chapters = file.id3v2Chapters
        }
        info.chapters = Chapter.inOrder(info.chapters, within: info.duration)
        info.playedBitRate = info.streams[index].bitRate ?? info.bitRate
        // Only the edit list of the audio is applied here; subtitles are timed by the movie's own clock.
        let zero = movie == nil ? Double(timing.zero) / Double(track.sampleRate) : 0
        let subtitles = feed.flatMap { SubtitlePackets(of: demuxer, zero: zero, to: $0) }
        let timedTags = source == nil ? nil : TimedTags(of: demuxer)
        let isOgg = demuxer.container == "ogg"
        demuxer.select((subtitles?.streams ?? []).union(timedTags?.streams ?? []).union([index]))
        var reader = PacketReader(
            info: info,
            track: track,
            timing: timing,
            entry: entry,
            demuxer: demuxer,
            mpeg: mpeg,
            subtitles: subtitles,
            timedTags: timedTags
        )
        if isOgg, let file = access as? RandomAccessFile, let part = source == nil ? 0..<file.size : source?.part {
            reader.losses = OggLosses(of: file, in: part)
        }
        return reader
    }

    /// Packets that are missing from a file, which libavformat leaves out silently.
    struct Loss {
        var packets = 0
        /// Whether the file ends within a page.
        var isCutOff = false
    }

    /// The tags of a file, and of one on the network as far as its first bytes were read anyway.
    private static func readTags(_ access: (any ByteAccess)?, _ source: Source?, _ charset: Charset?) -> StoredTags {
        let head = source?.input.takeHead() ?? []
        guard let access, access.isLocal, source == nil else {
            return StoredTags(in: access == nil ? [] : head, charset: charset)
        }
        return StoredTags(of: access, charset: charset)
    }

    /// Seconds for which sound waits until a length is known that the file does not say.
    private static let measuringPatience = 0.25
    /// In bytes, of the covers that are kept while a file is played.
    private static let largestCover = 4 << 20

    private init(
        info: MediaInfo,
        track: Track,
        timing: MediaTiming,
        entry: MediaEntry,
        demuxer: consuming Demuxer,
        mpeg: MPEGAudioIndex?,
        subtitles: SubtitlePackets?,
        timedTags: TimedTags? = nil
    ) {
        self.info = info
        self.track = track
        self.timing = timing
        self.entry = entry
        self.demuxer = demuxer
        self.mpeg = mpeg
        self.subtitles = subtitles
        self.timedTags = timedTags
        tags = info.tags
    }

    /// A film without sound.
    ///
    /// - Parameter film: The stream of its pictures.
    private init(
        silent film: Int,
        _ info: MediaInfo,
        _ entry: MediaEntry,
        _ demuxer: consuming Demuxer,
        _ feed: SubtitleFeed?
    ) throws {
        let silence = SilentSound(for: film, of: demuxer, lasting: info.duration)
        let subtitles = feed.flatMap { SubtitlePackets(of: demuxer, zero: silence.start, to: $0) }
        demuxer.select((subtitles?.streams ?? []).union([film]))
        let track = try Track(silenceFor: film, of: demuxer)
        var (info, timing) = (info, MediaTiming(of: track, movie: nil, mpeg: nil))
        (info.hasExactEnd, timing.isExact) = (false, false)
        self.init(
            info: info,
            track: track,
            timing: timing,
            entry: entry,
            demuxer: demuxer,
            mpeg: nil,
            subtitles: subtitles
        )
        self.silence = silence
    }

    /// Why our bytes ended; libavformat only knows that they did.
    var failure: (any Error)? { demuxer.byteInput?.failure }

    /// Clears an interruption, before a seek.
    func recover() { demuxer.byteInput?.recover() }

    /// The medium's tags, if they have changed since the last call, as in an Ogg broadcast.
    mutating func takeChangedTags() -> Tags? {
        guard let tags = demuxer.takeChangedTags(), tags != self.tags else { return nil }
        self.tags = tags
        return tags
    }

    /// The tags that came between the packets since the last call.
    mutating func takeTimedTags() -> Tags? { timedTags?.take() }

    /// The packets that are missing between those that were read since the last call.
    mutating func takeLoss() -> Loss {
        defer { loss = Loss() }
        return loss
    }

    /// The information for a decoder.
    var part: StreamPart { StreamPart(info: info, track: track, timing: timing, placement: .timestamps) }

    /// Reads the next packet of the selected stream.
    ///
    /// A file that is truncated within a packet ends there.
    mutating func read(into packet: borrowing Packet) throws(FFmpegError) -> Demuxer.ReadResult {
        while true {
            if try silence?.fill(packet, index: track.index) == true { return .packet }
            do throws(FFmpegError) {
                guard case .packet = try demuxer.read(into: packet) else {
                    silence?.recordEnd()
                    recordEnd()
                    return try silence?.fill(packet, index: track.index) == true ? .packet : .end
                }
            } catch {
                guard !error.isInterruption, let path = entry.filePath, demuxer.isAtEnd || isInPadding(path) else {
                    throw error
                }
                recordEnd()
                return .end
            }
            guard packet.streamIndex == track.index else {
                subtitles?.receive(packet)
                timedTags?.receive(packet)
                continue
            }
            if silence != nil {
                silence?.record(packet)
                continue
            }
            if unsafe mpeg?.isLastTag(packet.bytes) == true { return .end }
            if mpeg?.mayHaveParts == true {
                let frame = unsafe MPEGSound.frame(endingIn: packet.bytes)
                packet.drop(first: frame)
                if unsafe MPEGInfoFrame.isOne(packet.bytes) { continue }
            }
            stampMPEGFrame(packet)
            if let offset = packet.byteOffset { loss.packets += losses?.record(packetAt: Int(offset)) ?? 0 }
            return .packet
        }
    }

    /// Looks for packets that are missing behind the last one that was read.
    mutating func recordEnd() {
        guard let end = losses?.end() else { return }
        loss.packets += end.packets
        if end.isCutOff { loss.isCutOff = true }
    }

    /// Whether only zeros follow in a WavPack file, which libavformat takes for a damaged block.
    private func isInPadding(_ path: FilePath) -> Bool {
        // The length of a block's header (wavpack.com: WavPack 4 & 5 Binary File / Block Format).
        let header = 32
        guard demuxer.container == "wv", let position = demuxer.position, position >= header,
            let file = RandomAccessFile(path: path)
        else { return false }
        var place = position - header
        while place < file.size {
            let bytes = file.bytes(at: place, count: 65_536)
            guard !bytes.isEmpty, bytes.allSatisfy({ $0 == 0 }) else { return false }
            place += bytes.count
        }
        return true
    }

    /// Sets the timestamp of an MP3 packet by counting frames from an indexed position.
    private mutating func stampMPEGFrame(_ packet: borrowing Packet) {
        guard mpeg != nil else { return }
        if mpegFrame == nil, let offset = packet.byteOffset { mpegFrame = mpeg?.number(atOffset: Int(offset)) }
        guard let number = mpegFrame, let count = mpeg?.samplesPerFrame else { return }
        let timestamp = track.timestamp(number * count)
        unsafe packet.pointer.pointee.pts = timestamp
        unsafe packet.pointer.pointee.dts = timestamp
        mpegFrame = number + 1
    }

    /// Continues with a packet at or before a sample, counted from the first audible one; for a sample before the
    /// medium's start, with the first packet.
    ///
    /// - Parameter zero: The timestamp, in samples, of the first audible sample.
    mutating func seek(before wanted: Int, zero: Int) throws(FFmpegError) {
        if let timestamp = silence?.timestamp(wanted) {
            silence?.seek(to: wanted)
            return try demuxer.seek(stream: track.index, to: timestamp)
        }
        var sample = wanted
        // On the last page of an Ogg stream FFmpeg guesses timestamps, so start a page earlier; hardly any is longer.
        if track.container == "ogg", let end = info.duration?.sample(at: track.sampleRate) {
            sample = min(sample, end - 6 * track.sampleRate)
        }
        mpegFrame = nil
        losses?.restart(isAtStart: sample <= 0)
        loss = Loss()
        let place = max(0, sample + zero)
        if let count = mpeg?.samplesPerFrame, let found = mpeg?.frame(max(0, place / count - 10)) {
            try demuxer.seek(toByte: found.offset)
            return
        }
        // The first packets of a stream may have timestamps below its zero.
        try demuxer.seek(stream: track.index, to: sample <= 0 ? track.firstTimestamp : track.timestamp(place))
    }
}

extension Demuxer {
    /// The stream of a film's pictures, if there is no sound with them.
    fileprivate func silentFilm(_ info: MediaInfo) -> Int? {
        // A single picture is none; libavformat has demuxers of their own for those.
        guard info.audioStreams.isEmpty, !container.hasSuffix("_pipe"), container != "image2" else { return nil }
        return info.videoStream?.index
    }
}
