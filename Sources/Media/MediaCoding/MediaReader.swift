package import AudioTypes
internal import CFFmpeg
internal import FFmpegValues
internal import Files
internal import HTTP
package import Threads

/// One medium, opened for playback: decodes its audio from any position, exact to the sample, into an output's format.
///
/// Opening, reading and seeking block and need a thread of their own; the `Interrupt` interrupts them.
package struct MediaReader: ~Copyable {
    /// The contents of the medium; the duration is that of the audible samples.
    package private(set) var info: MediaInfo

    private let entry: MediaEntry
    private let interrupt: Interrupt
    /// The file of an entry that needs a public one: it is what was checked, whatever becomes of its path.
    private var publicFile: Descriptor?
    /// The source of packets: a local medium, or a network one.
    private var direct: DirectMedium?
    private let ahead: ReadAhead?
    private var track: Track
    private var decoder: Decoder
    private let packet: Packet
    private let frame: Frame
    private var timing: MediaTiming
    /// How the packets' timestamps map to positions.
    private var placement: StreamPart.Placement
    /// The part after the one being decoded, which begins once all frames of that are out.
    private var followingPart: StreamPart?
    /// New tags of the medium that were not returned yet.
    private var news: Tags?
    /// Whether to wait for packets, because the caller waits for the frames.
    private var isPatient = true

    /// The part of the medium that is played, in samples from its start.
    private var clip: Clip
    /// The next sample to return.
    private var position: Int
    /// The samples of the frame that are still to be returned.
    private var pending: Range<Int> = 0..<0
    /// Samples before this one are decoded, but not returned.
    private var target: Int
    /// Packets that end before this sample are not even decoded.
    private var skipEnd = 0
    /// Samples from this one on are dropped: another part takes their position.
    private var partEnd: Int?
    private var progress = Progress.decoding
    private var needsTimestamp = true
    /// Whether the first frame after a seek had a position.
    private var knowsPlace = true
    package private(set) var damage = Damage()
    /// Whether the file ends within a page of Ogg.
    private var isCutOff = false

    private struct Clip {
        var start: Int
        var end: Int?
    }

    private enum Progress {
        case decoding, draining, ended
        /// No packets are available.
        case starved
    }

    /// Damage of a medium that could be played all the same.
    package struct Damage: Sendable, Hashable {
        /// Packets that could not be decoded.
        package var packets = 0
        /// The position of the first of them.
        package var first: MediaTime?
        /// Where the data ended, before the expected end.
        package var truncated: MediaTime?

        package var isEmpty: Bool { packets == 0 && truncated == nil }
    }

    /// The result of a read.
    package enum ReadResult: Sendable, Hashable {
        /// This many frames of output.
        case frames(Int)
        /// The next frames have another shape: drain the converter, then read again.
        case needsFinish
        /// No data has arrived from the network; `StreamContext.wake` is called when there is some.
        case starved
        /// The frames that follow have these tags: the stream's title has changed.
        case metadata(Tags)
        case ended
    }

    /// Opens a medium, chooses its audio stream and decodes the first samples, so that a medium that opens also plays.
    ///
    /// Blocks, for network media until data arrives or they have failed for good.
    package static func open(
        _ entry: MediaEntry,
        track: TrackSelection = .automatic,
        interrupt: Interrupt,
        stream: StreamContext = StreamContext()
    ) throws -> MediaReader {
        var entry = entry
        let publicFile = try entry.openPublicFile()
        var reader =
            entry.isURL && entry.filePath == nil
            ? try openStream(entry, track, interrupt, stream) : try openFile(entry, track, interrupt, stream)
        reader.publicFile = publicFile
        do {
            try reader.begin()
        } catch let error as FFmpegError where !error.isInterruption {
            throw MediaError(location: entry.location, reason: .undecodable)
        }
        // FFmpeg before 6 drops the frames of FLAC with 32 bits without an error.
        let isDropped = reader.stream.codec == "flac" && reader.stream.bitsPerSample ?? 0 > 24
        guard reader.hasSamples else {
            throw MediaError(location: entry.location, reason: isDropped ? .flac32 : .undecodable)
        }
        guard !reader.pending.isEmpty else {
            throw MediaError(location: entry.location, reason: isDropped ? .flac32 : .noSamples)
        }
        reader.isPatient = false
        return reader
    }

    private static func openFile(
        _ entry: MediaEntry,
        _ track: TrackSelection,
        _ interrupt: Interrupt,
        _ context: StreamContext
    ) throws -> MediaReader {
        let direct = try DirectMedium.open(entry, track, interrupt, context)
        let part = direct.part
        return MediaReader(
            entry,
            interrupt,
            direct: direct,
            ahead: nil,
            part,
            try decoder(of: part, entry),
            try Packet(),
            try Frame()
        )
    }

    private static func openStream(
        _ entry: MediaEntry,
        _ track: TrackSelection,
        _ interrupt: Interrupt,
        _ context: StreamContext
    ) throws -> MediaReader {
        let ahead = try ReadAhead(entry, track, context)
        let part = try ahead.open(interrupt)
        return MediaReader(
            entry,
            interrupt,
            direct: nil,
            ahead: ahead,
            part,
            try decoder(of: part, entry),
            try Packet(),
            try Frame()
        )
    }

    /// Decodes the first samples.
    private mutating func begin() throws {
        guard clip.start > 0 else { return try decode() }
        guard info.isSeekable else {
            skipEnd = clip.start - track.preroll - sampleRate
            return try decode()
        }
        if timing.mayBeOnePage {
            target = 0
            try decode()
            target = clip.start
        }
        _ = try seek(to: .zero)
    }

    private var hasSamples: Bool { !pending.isEmpty || (damage.packets == 0 && progress == .ended) }

    private init(
        _ entry: MediaEntry,
        _ interrupt: Interrupt,
        direct: consuming DirectMedium?,
        ahead: ReadAhead?,
        _ part: StreamPart,
        _ decoder: consuming Decoder,
        _ packet: consuming Packet,
        _ frame: consuming Frame
    ) {
        self.info = part.describedInfo(decoder.sample)
        if info.replayGain.isEmpty, !entry.measuredGain.isEmpty { info.replayGain = entry.measuredGain }
        self.entry = entry
        self.interrupt = interrupt
        damage = direct?.damage ?? Damage()
        self.direct = direct
        self.ahead = ahead
        self.track = part.track
        self.decoder = decoder
        self.packet = packet
        self.frame = frame
        self.timing = part.timing
        self.placement = part.placement
        // A broadcast has no positions, and is played from now on.
        let isLive = ahead?.status.isLive ?? false
        let start = isLive ? 0 : max(0, entry.start?.sample(at: part.track.sampleRate) ?? 0)
        let end = entry.end.map { max(start, $0.sample(at: part.track.sampleRate)) }
        clip = Clip(start: start, end: [end, part.timing.length].compactMap(\.self).min())
        position = 0
        target = start
        partEnd = part.end
        place(part)
    }

    private static func decoder(of part: StreamPart, _ entry: MediaEntry) throws -> Decoder {
        do throws(FFmpegError) {
            return try Decoder.open(part.track, keepsPadding: part.timing.trims)
        } catch {
            throw MediaError(location: entry.location, reason: .undecodable)
        }
    }

    /// The stream that is played.
    package var stream: StreamInfo { info.streams[track.index] }
    /// Samples per second of the medium.
    package var sampleRate: Int { track.sampleRate }

    /// The status of a network medium; `nil` for local media.
    package var streamStatus: StreamStatus? { ahead?.status }

    /// The same, readable on any thread, even after the reader is gone.
    package var statusSource: (@Sendable () -> StreamStatus)? { ahead?.statusSource }

    /// Changes how a network medium is read from now on.
    package func setStreamOptions(_ options: StreamOptions) { ahead?.setOptions(options) }

    /// Waits until there is data to read, after `read` returned `starved`.
    package func waitForMore() throws { try ahead?.wait(interrupt) }

    /// The duration of the part that is played; `nil` when unknown.
    package var duration: MediaTime? {
        guard let end = entry.end ?? info.duration else { return nil }
        return max(.zero, min(end, info.duration ?? end) - MediaTime(sample: clip.start, at: sampleRate))
    }

    /// The position of the next frame from `read`, from the start of the part that is played.
    package var nextTime: MediaTime {
        MediaTime(sample: max(position, target) - clip.start, at: sampleRate)
    }
}

// MARK: - Reading

extension MediaReader {
    /// Converts the next frames into `region`.
    ///
    /// - Parameter region: A whole number of the converter's frames, at least 4,096 bytes.
    package mutating func read(
        into region: UnsafeMutableRawBufferPointer,
        through converter: inout AudioConverter,
        _ settings: AudioConverter.Settings
    ) throws -> ReadResult {
        while true {
            if pending.isEmpty {
                if let tags = news.take() { return .metadata(tags) }
                guard progress != .ended else { return .ended }
                if progress == .starved { progress = .decoding }
                try decode()
                if pending.isEmpty, progress == .starved, news == nil { return .starved }
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

    /// Decodes until there are samples to return, or none for now, or the end.
    private mutating func decode() throws {
        while pending.isEmpty, progress == .decoding || progress == .draining {
            switch try receive() {
            case .frame: admit()
            case .needsInput:
                if progress == .draining { try endPart() } else { try feed() }
                if news != nil, !isPatient { return }
            case .ended: try endPart()
            }
        }
    }

    /// Continues with the next part after all frames of one are out, or ends.
    private mutating func endPart() throws {
        guard let part = followingPart.take() else {
            progress = .ended
            return recordTruncation()
        }
        try begin(part)
    }

    /// Continues with another part's packets.
    private mutating func begin(_ part: StreamPart) throws {
        decoder = try Self.decoder(of: part, entry)
        let old = track.sampleRate
        adopt(part)
        if track.sampleRate != old {
            func convert(_ sample: Int) -> Int { Int(sample: Double(sample) / Double(old) * Double(track.sampleRate)) }
            position = convert(position)
            target = convert(target)
            clip = Clip(start: convert(clip.start), end: clip.end.map(convert))
        }
        place(part)
        needsTimestamp = true
        progress = .decoding
    }

    /// Adopts the metadata of the next part.
    private mutating func adopt(_ part: StreamPart) {
        track = part.track
        timing = part.timing
        placement = part.placement
        partEnd = part.end
        let tags = info.tags
        info = part.describedInfo(decoder.sample)
        for name in tags.names where info.tags[name] == nil { info.tags.set(name, to: tags[name]) }
    }

    /// Drops the samples of a part that were heard already, or only precede the wanted position.
    private mutating func place(_ part: StreamPart) {
        guard let earliest = part.earliest else { return }
        let first = Int(sample: (earliest * Double(track.sampleRate)).rounded())
        target = part.isFromEarliest ? first : max(target, first)
    }

    private mutating func receive() throws(FFmpegError) -> Decoder.ReceiveResult {
        while true {
            do throws(FFmpegError) {
                return try decoder.receive(into: frame)
            } catch {
                if error.isInterruption { throw error }
                recordDamage()
                return .needsInput
            }
        }
    }

    /// Passes one more packet to the decoder, or signals the end.
    private mutating func feed() throws {
        while true {
            switch try nextPacket() {
            case .packet: if skips() { continue }
            case .part(let part) where part.continues:
                // The decoder needs the packets before, and positions are counted on.
                adopt(part)
                continue
            case .part(let part):
                followingPart = part
                decoder.sendEnd()
                progress = .draining
                return
            case .tags(let tags):
                news = tags
                for name in tags.names { info.tags.set(name, to: tags[name]) }
                return
            case .nothing:
                guard isPatient else {
                    progress = .starved
                    return
                }
                try waitForMore()
                continue
            case .end:
                decoder.sendEnd()
                progress = .draining
                return
            }
            do throws(FFmpegError) {
                return try decoder.send(packet)
            } catch {
                if error.isInterruption { throw error }
                recordDamage()
                guard damage.packets < 10_000 else { throw error }
            }
        }
    }

    /// Whether the packet lies before the played part, in a medium that cannot seek there.
    private mutating func skips() -> Bool {
        // The first frame shows where the medium's own time begins.
        guard skipEnd > 0, !needsTimestamp, let end = packet.endTime else { return false }
        if timing.sample(end, of: track) < skipEnd { return true }
        skipEnd = 0
        decoder.flush()
        needsTimestamp = true
        return false
    }

    private mutating func nextPacket() throws -> StreamCore.Taken {
        if let ahead { return try ahead.take(into: packet) }
        let taken = try direct?.read(into: packet) ?? .end
        recordLoss()
        return taken
    }

    private mutating func recordLoss() {
        guard let loss = direct?.takeLoss() else { return }
        if loss.packets > 0 { recordDamage(loss.packets) }
        if loss.isCutOff { isCutOff = true }
    }

    /// Determines the samples of a decoded frame to return.
    private mutating func admit() {
        let count = frame.sampleCount
        var start = position
        if placement == .following {
            // Lost samples are gone: positions are counted on.
            if needsTimestamp, let timestamp = frame.timestamp { timing.zero = track.samples(timestamp) - position }
        } else if let timestamp = frame.timestamp {
            if needsTimestamp { timing.recordFirstFrame(timestamp, of: track) }
            var stamped = timing.sample(timestamp, of: track)
            if ahead != nil, !needsTimestamp, abs(stamped - position) > 10 * sampleRate {
                // A broadcaster's clock was reset; playback continues.
                timing.zero = Int(sample: Double(timing.zero) + Double(stamped - position))
                stamped = position
            }
            // Timestamps in milliseconds only give the start of a stretch; after that, samples are counted.
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
            if start + count >= end { endAtLength() }
        }
        if let partEnd { upper = max(lower, min(upper, partEnd - start)) }
        pending = lower..<upper
        position = pending.isEmpty ? start + count : start + lower
    }

    /// Ends with the wanted part, or with the known length, which leaves out a damaged last page.
    private mutating func endAtLength() {
        progress = .ended
        guard entry.end == nil else { return }
        direct?.recordEnd()
        recordLoss()
        if isCutOff { recordTruncation() }
    }

    private mutating func recordDamage(_ packets: Int = 1) {
        if damage.first == nil { damage.first = MediaTime(sample: max(0, position), at: sampleRate) }
        damage.packets = damage.packets.adding(saturating: packets)
    }

    private mutating func recordTruncation() {
        if isCutOff, entry.end == nil {
            damage.truncated = MediaTime(sample: max(0, position), at: sampleRate)
            return
        }
        guard entry.end == nil, timing.isExact, ahead == nil, let expected = info.duration?.sample(at: sampleRate),
            stream.isExactlyTimed,
            position < expected - sampleRate / 4
        else { return }
        damage.truncated = MediaTime(sample: max(0, position), at: sampleRate)
    }
}

// MARK: - Seeking

extension MediaReader {
    /// Seeks to a position, counted from the start of the part that is played; one after the end is the end.
    ///
    /// - Returns: The position of the next sample: exactly `time` unless a tolerance allows another.
    package mutating func seek(to time: MediaTime, tolerance: SeekTolerance = .exact) throws -> MediaTime {
        guard info.isSeekable else { throw FFmpegError(code: segue_AVERROR_SEEK, operation: "cannot seek") }
        let wasPatient = isPatient
        isPatient = true
        defer { isPatient = wasPatient }
        // A time that a live server no longer has is not looked for.
        let time = max(time, MediaTime(seconds: ahead?.status.window?.lowerBound ?? 0))
        let place = MediaTime(sample: clip.start, at: sampleRate) + time
        if let part = try direct?.enter(at: place.seconds) { try begin(part) }
        let wanted = clip.start + max(0, time.sample(at: sampleRate))
        var earliest = wanted
        if case .within(let before, _) = tolerance {
            earliest = max(clip.start, wanted - before.sample(at: sampleRate))
        }
        // A container may seek to after the position or to an unknown one, or fail to find it at all (FLAC's last
        // frames); then start further ahead of it.
        for margin in [0, sampleRate, 10 * sampleRate, wanted + sampleRate] {
            let isLast = wanted - margin <= 0
            do throws(FFmpegError) {
                try restart(before: wanted - track.preroll - margin)
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

    /// With a tolerance, accepts the first frame found, if it lies within.
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
        frame.clear()
        decoder.flush()
        followingPart = nil
        news = nil
        isCutOff = false
        progress = .decoding
        needsTimestamp = true
        knowsPlace = true
        if let ahead {
            ahead.seek(before: wanted, zero: timing.zero, of: track)
        } else {
            try direct?.seek(before: wanted, timing)
        }
    }
}

extension StreamInfo {
    /// Whether the container's duration counts samples, rather than being an estimate from a bit rate.
    fileprivate var isExactlyTimed: Bool { codec != "aac" || profile != nil }
}
