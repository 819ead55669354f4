package import AudioTypes
internal import CFFmpeg

/// One medium, opened for listening: gives its audio from any place, exact to the sample, in an output's format.
///
/// Opening, reading and seeking block and belong on a thread of their own; the `Interrupt` breaks them.
package struct MediaReader: ~Copyable {
    /// What the medium contains; the duration is that of the samples that are heard.
    package let info: MediaInfo
    /// The stream that is played.
    package let stream: StreamInfo
    /// Samples per second of the medium.
    package let sampleRate: Int

    private let entry: MediaEntry
    private let demuxer: Demuxer
    private let decoder: Decoder
    private let packet: Packet
    private let frame: Frame
    private var timing: MediaTiming
    private let mpeg: MPEGAudioIndex?
    private let preroll: Int

    /// The part of the medium that is played, in samples from its beginning.
    private let clip: Clip
    /// The sample that the next one handed out is.
    private var position: Int
    /// What of the frame is still to be handed out.
    private var pending: Range<Int> = 0..<0
    /// Samples before this one are decoded, but not handed out.
    private var target: Int
    private var progress = Progress.decoding
    /// The number that the next MP3 frame has; `nil` until the first one was found.
    private var mpegFrame: Int?
    private var needsTimestamp = true
    /// Whether the first frame after a seek told where it is.
    private var knowsPlace = true
    package private(set) var damage = Damage()

    private struct Clip {
        var start: Int
        var end: Int?
    }

    private enum Progress {
        case decoding, draining, ended
    }

    /// What was wrong with a medium that could be played all the same.
    package struct Damage: Sendable, Hashable {
        /// Packets that could not be decoded.
        package var packets = 0
        /// Where the first of them is.
        package var first: MediaTime?
        /// Where the data ended although more was promised.
        package var truncated: MediaTime?

        package var isEmpty: Bool { packets == 0 && truncated == nil }
    }

    /// What a read gave.
    package enum ReadResult: Sendable, Hashable {
        /// This many frames of output.
        case frames(Int)
        /// The frames that follow are of another shape: take out what the converter holds, then read again.
        case needsFinish
        case ended
    }

    /// Opens a medium, chooses its audio stream and decodes the first samples, so that what opens also plays.
    package static func open(
        _ entry: MediaEntry,
        track: AudioTrackSelection = .automatic,
        interrupt: Interrupt
    ) throws -> MediaReader {
        var reader =
            try make(entry, track: track, interrupt: interrupt, trimsByEditList: entry.filePath == nil)
            ?? make(entry, track: track, interrupt: interrupt, trimsByEditList: true)
        do {
            try reader?.begin()
        } catch let error as FFmpegError where !error.isInterruption {
            throw MediaError(location: entry.location, reason: .undecodable)
        }
        guard let reader = reader.take(), reader.hasSamples else {
            throw MediaError(location: entry.location, reason: .undecodable)
        }
        guard !reader.pending.isEmpty else { throw MediaError(location: entry.location, reason: .noSamples) }
        return reader
    }

    /// Decodes the first samples.
    private mutating func begin() throws {
        guard clip.start > 0 else { return try decode() }
        if timing.mayBeOnePage {
            target = 0
            try decode()
            target = clip.start
        }
        _ = try seek(to: .zero)
    }

    private var hasSamples: Bool { !pending.isEmpty || (damage.packets == 0 && progress == .ended) }

    /// - Returns: `nil` when the medium needs FFmpeg's edit lists and was opened without.
    private static func make(
        _ entry: MediaEntry,
        track: AudioTrackSelection,
        interrupt: Interrupt,
        trimsByEditList: Bool
    ) throws -> MediaReader? {
        let demuxer = try MediaProbe.open(entry, interrupt: interrupt, trimsByEditList: trimsByEditList)
        var info = demuxer.info()
        guard let index = demuxer.audioStream(track, in: info) else {
            let reason = info.audioStreams.isEmpty ? MediaError.Reason.noAudio : .noSuchTrack(track)
            throw MediaError(location: entry.location, reason: reason)
        }
        demuxer.select(index)
        let stream = unsafe demuxer.stream(index)
        let rate = unsafe Int(stream.pointee.codecpar?.pointee.sample_rate ?? 0)
        let channelCount = unsafe stream.pointee.codecpar?.pointee.ch_layout.nb_channels ?? 0
        // swresample converts up to 64 channels (SWR_CH_MAX).
        guard (1_000...768_000).contains(rate), channelCount <= 64 else {
            throw MediaError(location: entry.location, reason: .undecodable)
        }
        let path = entry.filePath
        var movie: MovieTiming?
        if let path, !trimsByEditList, demuxer.container.hasPrefix("mov,") {
            movie = unsafe .read(path: path, trackID: Int(stream.pointee.id), sampleRate: rate)
            if movie == nil { return nil }
        }
        let mpeg = demuxer.container == "mp3" ? path.flatMap(MPEGAudioIndex.init(path:)) : nil
        let timing = MediaTiming(of: index, in: demuxer, movie: movie, mpeg: mpeg)
        if let length = timing.length {
            info.duration = MediaTime(sample: length, at: rate)
        } else if let duration = info.duration {
            info.duration = unsafe demuxer.heardDuration(of: stream, duration)
        }
        info.hasExactEnd = timing.isExact
        let decoder: Decoder
        do throws(FFmpegError) {
            decoder = unsafe try Decoder.open(stream, keepsPadding: timing.trims)
        } catch {
            throw MediaError(location: entry.location, reason: .undecodable)
        }
        let channels = max(1, Int(channelCount))
        info.sourceFormat = SourceFormat(sample: decoder.sample, sampleRate: rate, channels: channels)
        info.playedBitRate = info.streams[index].bitRate ?? info.bitRate
        return MediaReader(
            info: info,
            stream: info.streams[index],
            sampleRate: rate,
            entry: entry,
            demuxer: demuxer,
            decoder: decoder,
            packet: try Packet(),
            frame: try Frame(),
            timing: timing,
            mpeg: mpeg,
            preroll: unsafe Decoder.preroll(stream)
        )
    }

    private init(
        info: MediaInfo,
        stream: StreamInfo,
        sampleRate: Int,
        entry: MediaEntry,
        demuxer: consuming Demuxer,
        decoder: consuming Decoder,
        packet: consuming Packet,
        frame: consuming Frame,
        timing: MediaTiming,
        mpeg: MPEGAudioIndex?,
        preroll: Int
    ) {
        self.info = info
        self.stream = stream
        self.sampleRate = sampleRate
        self.entry = entry
        self.demuxer = demuxer
        self.decoder = decoder
        self.packet = packet
        self.frame = frame
        self.timing = timing
        self.mpeg = mpeg
        self.preroll = preroll
        let start = max(0, entry.start?.sample(at: sampleRate) ?? 0)
        let end = entry.end.map { max(start, $0.sample(at: sampleRate)) }
        clip = Clip(start: start, end: [end, timing.length].compactMap(\.self).min())
        position = 0
        target = start
    }

    /// The length of what is played; `nil` when unknown.
    package var duration: MediaTime? {
        guard let end = entry.end ?? info.duration else { return nil }
        return max(.zero, min(end, info.duration ?? end) - MediaTime(sample: clip.start, at: sampleRate))
    }

    /// The place, from the start of what is played, of the next frame that `read` gives.
    package var nextTime: MediaTime {
        MediaTime(sample: max(position, target) - clip.start, at: sampleRate)
    }
}

// MARK: - Reading

extension MediaReader {
    /// Converts what follows into `region`.
    ///
    /// - Parameter region: A whole number of the converter's frames, at least 4,096 bytes.
    package mutating func read(
        into region: UnsafeMutableRawBufferPointer,
        through converter: inout AudioConverter,
        _ settings: AudioConverter.Settings
    ) throws -> ReadResult {
        while true {
            if pending.isEmpty {
                guard progress != .ended else { return .ended }
                try decode()
                continue
            }
            let shape = frame.shape
            guard converter.continues(with: shape, settings) else { return .needsFinish }
            try converter.configure(for: shape, settings)
            let step = unsafe try converter.convert(frame, pending, into: region)
            pending = pending.lowerBound + step.consumed..<pending.upperBound
            position += step.consumed
            if step.produced > 0 { return .frames(step.produced) }
            if step.consumed == 0 { return .frames(0) }
        }
    }

    /// Decodes until there are samples to hand out, or the end.
    private mutating func decode() throws(FFmpegError) {
        while pending.isEmpty, progress != .ended {
            switch try receive() {
            case .frame: admit()
            case .needsInput:
                if progress == .draining { progress = .ended } else { try feed() }
            case .ended:
                progress = .ended
                noteTruncation()
            }
        }
    }

    private mutating func receive() throws(FFmpegError) -> Decoder.ReceiveResult {
        while true {
            do throws(FFmpegError) {
                return try decoder.receive(into: frame)
            } catch {
                if error.isInterruption { throw error }
                noteDamage()
                return .needsInput
            }
        }
    }

    /// Gives the decoder one more packet.
    private mutating func feed() throws(FFmpegError) {
        while true {
            guard case .packet = try readPacket() else {
                decoder.sendEnd()
                progress = .draining
                return
            }
            guard packet.streamIndex == stream.index else { continue }
            stampMPEGFrame()
            do throws(FFmpegError) {
                return try decoder.send(packet)
            } catch {
                if error.isInterruption { throw error }
                noteDamage()
                guard damage.packets < 10_000 else { throw error }
            }
        }
    }

    /// Takes the next packet; a file that breaks off in a packet ends there.
    private func readPacket() throws(FFmpegError) -> Demuxer.ReadResult {
        do throws(FFmpegError) {
            return try demuxer.read(into: packet)
        } catch {
            guard !error.isInterruption, entry.filePath != nil, demuxer.isAtEnd else { throw error }
            return .end
        }
    }

    /// MP3 packets get timestamps by counting frames from a place that the index knows.
    private mutating func stampMPEGFrame() {
        guard mpeg != nil else { return }
        if mpegFrame == nil, let offset = packet.byteOffset { mpegFrame = mpeg?.number(atOffset: Int(offset)) }
        guard let number = mpegFrame, let count = mpeg?.samplesPerFrame else { return }
        let stream = unsafe demuxer.stream(stream.index)
        let timestamp = unsafe MediaTiming.timestamp(number * count, of: stream, rate: sampleRate)
        unsafe packet.pointer.pointee.pts = timestamp
        unsafe packet.pointer.pointee.dts = timestamp
        mpegFrame = number + 1
    }

    /// Finds what of a decoded frame is to be handed out.
    private mutating func admit() {
        let count = frame.sampleCount
        var start = position
        if let timestamp = frame.timestamp {
            let stream = unsafe demuxer.stream(stream.index)
            if needsTimestamp { unsafe timing.noteFirstFrame(timestamp, of: stream, rate: sampleRate) }
            let stamped = unsafe timing.sample(timestamp, of: stream, rate: sampleRate)
            // Timestamps in milliseconds only tell where a stretch begins; then samples are counted.
            if needsTimestamp || abs(stamped - position) > max(count, sampleRate / 20) { start = stamped }
        } else if needsTimestamp {
            start = timing.first
            knowsPlace = false
        }
        needsTimestamp = false
        position = start
        let lower = max(0, min(count, max(target, clip.start) - start))
        var upper = count
        if let end = clip.end {
            upper = max(lower, min(count, end - start))
            if start + count >= end { progress = .ended }
        }
        pending = lower..<upper
        position = pending.isEmpty ? start + count : start + lower
    }

    private mutating func noteDamage() {
        if damage.first == nil { damage.first = MediaTime(sample: max(0, position), at: sampleRate) }
        damage.packets += 1
    }

    private mutating func noteTruncation() {
        guard entry.end == nil, timing.isExact, let expected = info.duration?.sample(at: sampleRate),
            stream.isExactlyTimed,
            position < expected - sampleRate / 4
        else { return }
        damage.truncated = MediaTime(sample: max(0, position), at: sampleRate)
    }
}

// MARK: - Seeking

extension MediaReader {
    /// Goes to a place, counted from the start of what is played; one behind the end is the end.
    ///
    /// - Returns: Where the next sample is from: exactly `time` unless a tolerance allows another.
    package mutating func seek(to time: MediaTime, tolerance: SeekTolerance = .exact) throws -> MediaTime {
        guard info.isSeekable else { throw FFmpegError(code: segue_AVERROR_SEEK, operation: "cannot seek") }
        let wanted = clip.start + max(0, time.sample(at: sampleRate))
        var earliest = wanted
        if case .within(let before, _) = tolerance {
            earliest = max(clip.start, wanted - before.sample(at: sampleRate))
        }
        // A container may come out behind the place or at one it cannot tell, or not find it at all (FLAC's last frames);
        // then begin further ahead of it.
        for margin in [0, sampleRate, 10 * sampleRate, wanted + sampleRate] {
            let isLast = wanted - margin <= 0
            do throws(FFmpegError) {
                try restart(before: wanted - preroll - margin)
            } catch {
                guard !isLast, !error.isInterruption else { throw error }
                continue
            }
            target = wanted
            pending = 0..<0
            try decode()
            if isLast || (position <= wanted && knowsPlace) { break }
        }
        if earliest < wanted { land(from: earliest, wanted) }
        return nextTime
    }

    /// With a tolerance the frame that was found first will do, if it lies within.
    private mutating func land(from earliest: Int, _ wanted: Int) {
        let skipped = pending.lowerBound
        let start = position - skipped
        guard start < wanted, !pending.isEmpty else { return }
        let landing = max(earliest, start)
        pending = pending.lowerBound - (position - landing)..<pending.upperBound
        position = landing
        target = landing
    }

    private mutating func restart(before wanted: Int) throws(FFmpegError) {
        var sample = wanted
        // On the last page of an Ogg stream FFmpeg guesses timestamps, so begin on one before; hardly any is longer.
        if demuxer.container == "ogg", let end = info.duration?.sample(at: sampleRate) {
            sample = min(sample, end - 6 * sampleRate)
        }
        frame.clear()
        decoder.flush()
        progress = .decoding
        needsTimestamp = true
        knowsPlace = true
        mpegFrame = nil
        let place = max(0, sample + timing.zero)
        if let count = mpeg?.samplesPerFrame, let found = mpeg?.frame(max(0, place / count - 10)) {
            try demuxer.seek(toByte: found.offset)
            return
        }
        let stream = unsafe demuxer.stream(stream.index)
        // The first packets of a stream may have timestamps below its zero.
        let timestamp =
            sample <= 0
            ? unsafe demuxer.firstTimestamp(of: stream)
            : unsafe MediaTiming.timestamp(place, of: stream, rate: sampleRate)
        try demuxer.seek(stream: self.stream.index, to: timestamp)
    }
}

extension StreamInfo {
    /// Whether the container's duration counts samples, rather than being an estimate from a bit rate.
    fileprivate var isExactlyTimed: Bool { codec != "aac" || profile != nil }
}
