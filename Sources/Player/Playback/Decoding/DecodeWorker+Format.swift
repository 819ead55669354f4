internal import AudioTypes
internal import MediaCoding
internal import Mixers
internal import Mixing
internal import Synchronization

/// Changes of the output's format.
extension DecodeWorker {
    /// Whether the output takes no more frames from the ring, because it has changed its format.
    var needsFormat: Bool { output.needsRing }

    /// Decodes in the output's format from here on; the frames in the old one were dropped.
    mutating func adoptFormat() {
        ring = pipeline.renewRing()
        converter = AudioConverter(output: ring.format)
        crossfade = CrossfadeBuffer(ring.format)
        let rate = ring.format.sampleRate
        pipeline.timeline.withLock { $0.restart(sampleRate: rate) }
    }

    /// The format in which the open medium would be heard without conversion, of as many channels as now; `nil` where the
    /// output does not follow media.
    private var wanted: AudioFormat? {
        mutating get {
            guard followsMedia, let source = medium.reader?.info.sourceFormat, Self.rates.contains(source.sampleRate)
            else { return nil }
            var format = ring.format
            format.sampleRate = source.sampleRate
            // The samples of a lossy codec have no depth of their own.
            if case .integer(let bits) = source.sample { format.sampleFormat = bits > 16 ? .s32 : .s16 }
            return output.nearest(to: format)
        }
    }

    /// Whether the sink is asked for the format of the open medium.
    ///
    /// By itself an output follows files only, which can be read again where the sink does not take their format. Items in two
    /// formats do not overlap, so it does not follow where crossfades are wanted.
    private var followsMedia: Bool {
        mutating get {
            switch output.formatPolicy {
            case .sink: false
            case .media: true
            case .automatic:
                !ordered.settings.crossfade.isOn && !medium.isStream && medium.reader?.info.isSeekable == true
            }
        }
    }

    /// Rates that sinks are asked for.
    private static var rates: ClosedRange<Int> { 8_000...384_000 }

    /// Whether the open medium is heard in another format than the one before.
    var needsAnotherFormat: Bool {
        mutating get {
            let wanted = wanted
            return wanted != nil && wanted != ring.format
        }
    }

    /// Has the output take the format of the open medium, after all frames were dropped.
    mutating func preferMediumFormat() {
        guard let wanted, wanted != ring.format else { return }
        output.prefer(wanted)
        if needsFormat { drop() }
    }

    /// Converts the frames that were decoded but not heard to the output's format, and goes on decoding in it.
    ///
    /// For a medium that cannot be read again, such as a broadcast.
    mutating func recast() {
        guard needsFormat else { return }
        do {
            try finishConverter()
            release(keeping: 0)
            let (old, timeline) = (ring, pipeline.timeline.withLock(\.self))
            let heard = FramePosition(Int(sample: output.discard(to: old.written).rounded()))
            notice.restart()
            adoptFormat()
            let start = ring.written
            pipeline.timeline.withLock { $0.adopt(timeline, from: heard, to: start) }
            try convert(old, from: heard)
            flushOutput()
            pipeline.report(.timelineChanged)
        } catch {
            if let item = medium.item { fail(item, error) }
        }
    }

    private mutating func convert(_ old: FrameRing, from start: FramePosition) throws {
        let size = old.format.bytesPerFrame
        var converter = try FormatConverter(from: old.format, to: ring.format)
        var position = max(start, old.kept)
        try unsafe withUnsafeTemporaryAllocation(byteCount: 4_096 * size, alignment: 64) { bytes in
            while position < old.written, hasRoom, let base = bytes.baseAddress {
                let count = unsafe old.read(at: position, into: base, count: min(4_096, converter.fitting(8_192)))
                _ = unsafe try ring.write { region in
                    unsafe try converter.convert(.init(rebasing: bytes[..<(count * size)]), into: region)
                }
                position += count
            }
        }
        _ = unsafe try ring.write { unsafe try converter.finish(into: $0) }
    }
}

extension Timeline {
    /// Takes over what another timeline, at another rate, has from a frame on, which is the frame `start` of this one.
    mutating func adopt(_ other: Timeline, from heard: FramePosition, to start: FramePosition) {
        let scale = Double(sampleRate) / Double(other.sampleRate)
        func place(_ frame: FramePosition) -> FramePosition {
            start + Int(sample: (Double(frame - heard) * scale).rounded())
        }
        if var first = other.segment(at: Double(heard.index)) {
            first.time = other.time(at: Double(heard.index), in: first)
            first.start = start
            append(first)
        }
        for var segment in other.segments where segment.start > heard {
            segment.start = place(segment.start)
            segment.overlap = Int(sample: Double(segment.overlap) * scale)
            append(segment)
        }
        for var mark in other.marks where mark.start > heard {
            mark.start = place(mark.start)
            append(mark)
        }
        // A player that has noticed it waits until it hears that frames continue.
        dryEnd = other.dryEnd
        if let dry = dryEnd { dryEnd?.start = place(dry.start) }
    }
}
