internal import AudioTypes
internal import FFmpegValues
internal import MediaCoding
internal import Mixers
internal import Mixing
internal import Outputs
internal import Synchronization
internal import Threads

/// The decode thread's work: decodes media into the ring as the player orders.
///
/// Its variables belong to this thread alone. Only the constants are shared: the ring and the output with the output's
/// threads, the pipeline and the interrupt with the player's.
struct DecodeWorker: ~Copyable {
    var ring: FrameRing
    let output: MixerChannel
    let interrupt: Interrupt
    let pipeline: Pipeline

    var ordered = Ordered()
    var medium = DecodedMedium()
    var converter: AudioConverter
    var phase = Phase.idle
    /// The rate of the timeline's last segment.
    private var rate = 1.0
    var crossfade: CrossfadeBuffer
    var notice = FrameNotice()
    /// Decides when frames of a network medium are released to the output.
    var gate = BufferGate()
    var drought = Drought()

    /// The player's orders that still apply.
    struct Ordered {
        /// The generation of the last jump; orders with an earlier one are ignored.
        var generation = 0
        /// The items that follow the one being decoded.
        var following = Pipeline.Following.undecided
        var settings = Pipeline.Settings()
    }

    enum Phase: Equatable {
        /// Nothing is loaded.
        case idle
        case decoding
        /// The item's last frame is written; the next item is not known yet.
        case ended
        /// The next item is open and starts once the one before is written up to where they overlap.
        case joining(Joint)
        /// The end is marked in the timeline; so many frames of silence are left to write.
        case finished(silence: Int)
        case silent
    }

    /// The thread's next step.
    enum Turn {
        case again
        /// Sleep until the bell rings, or until a moment.
        case sleep(until: HostTime?)
    }

    init(_ pipeline: Pipeline, output: MixerChannel, interrupt: Interrupt) {
        self.pipeline = pipeline
        self.output = output
        self.interrupt = interrupt
        ring = pipeline.ring
        converter = AudioConverter(output: ring.format)
        crossfade = CrossfadeBuffer(ring.format)
    }

    // MARK: Work

    /// Decodes a little, or finds that there is nothing to do for now.
    mutating func work() -> Turn {
        let turn = takeTurn()
        if interrupt.isRaised { distrust() }
        return turn
    }

    /// Drops the reader after calls were interrupted: FFmpeg may have returned partial or invented data, or kept an
    /// error, so the medium is reopened.
    ///
    /// Not needed where FFmpeg reads on a thread of its own.
    mutating func distrust() { if medium.reader != nil, !medium.isStream { abandon() } }

    private mutating func takeTurn() -> Turn {
        do {
            switch phase {
            case .idle, .finished(silence: 0): return .sleep(until: nil)
            case .ended: return try advance()
            case .decoding:
                if medium.isStream, hasRunDry { closeGate(afterStall: true) }
                guard gate.isOpen else { return lookAtGate() }
                guard hasRoom else { return rest() }
                return try decode() ? .again : starve()
            case .joining(let joint):
                if joint.frames > 0, !gate.isOpen, let turn = awaitJoint(joint) { return turn }
                guard release(keeping: joint.frames) else { return rest() }
                join(joint)
                return .again
            case .silent:
                guard hasRoom else { return rest() }
                writeSilence(8_192)
                return .again
            case .finished(let silence):
                guard hasRoom else { return rest() }
                let count = writeSilence(min(silence, 8_192))
                phase = .finished(silence: silence - count)
                if count == silence { flushOutput() }
                return .again
            }
        } catch let error as FFmpegError where error.isInterruption {
            breakOff()
            return .again
        } catch {
            if let item = medium.item { fail(item, error) }
            return .again
        }
    }

    /// - Returns: False when there is nothing to decode.
    private mutating func decode() throws -> Bool {
        let settings = ordered.settings
        var result = MediaReader.ReadResult.ended
        var rendering = AudioConverter.Settings()
        rendering.gain = settings.gain(of: medium.reader?.info)
        rendering.rate = settings.rate
        rendering.keepsPitch = settings.keepsPitch
        if crossfade.limit == nil, medium.isNearEnd(settings), let side = medium.side {
            crossfade.limit = Crossfade.frames(in: settings.crossfade.reach(of: side), of: ring.format)
        }
        unsafe try produce { region, reader, converter in
            result = unsafe try reader?.read(into: region, through: &converter, rendering) ?? .ended
            if case .frames(let count) = result { return count }
            return 0
        }
        switch result {
        case .frames: drought.end()
        case .starved: return false
        case .metadata(let tags): mark(tags)
        case .needsFinish:
            try finishConverter()
            // A medium that cannot seek changes its speed at the decoder's position.
            if rate != settings.rate, let item = medium.item, let time = medium.reader?.nextTime {
                append(.init(start: end, item: item.id, time: time, rate: settings.rate, origin: .adjustment))
            }
        case .ended:
            reportDamage()
            phase = .ended
        }
        return true
    }

    /// Lets `body` produce frames, and passes them on.
    ///
    /// - Returns: Their number.
    @discardableResult
    mutating func produce(
        _ body: (UnsafeMutableRawBufferPointer, inout MediaReader?, inout AudioConverter) throws -> Int
    ) throws -> Int {
        guard let limit = crossfade.limit else {
            let count = unsafe try ring.write { region in
                let count = unsafe try body(region, &medium.reader, &converter)
                if let base = region.baseAddress { unsafe crossfade.mix(into: base, count) }
                return count
            }
            told(count)
            return count
        }
        let size = ring.format.bytesPerFrame
        return unsafe try withUnsafeTemporaryAllocation(byteCount: 4_096 * size, alignment: 64) { region in
            let count = unsafe try body(region, &medium.reader, &converter)
            guard let base = region.baseAddress else { return 0 }
            unsafe crossfade.mix(into: base, count)
            unsafe crossfade.append(UnsafeRawBufferPointer(rebasing: region[..<(count * size)]))
            release(keeping: limit)
            return count
        }
    }

    /// Writes the frames that the converter still holds.
    mutating func finishConverter() throws {
        while true {
            let count = unsafe try produce { region, _, converter in unsafe try converter.finish(into: region) }
            if count == 0 { return }
        }
    }

    /// Continues after the item's last frame is written.
    private mutating func advance() throws -> Turn {
        guard let last = medium.item else { return .sleep(until: nil) }
        // The player asked for the loop before it learned of the failure, and decides again.
        if ordered.following == .loop, medium.failed == last.id { ordered.following = .undecided }
        if ordered.following == .loop, isBarren {
            fail(last, MediaError(location: last.entry.location, reason: .noSamples))
            return .again
        }
        switch ordered.following {
        case .undecided:
            if notice.untold > 0 { flushOutput() }
            return .sleep(until: nil)
        case .nothing, .silence:
            try finishConverter()
            guard release(keeping: 0) else { return rest() }
            let time = pipeline.timeline.withLock { $0.time(at: Double(ring.written.index)) } ?? .zero
            if ordered.following == .silence {
                let rate = ordered.settings.rate
                append(.init(start: ring.written, item: last.id, time: time, rate: rate, origin: .silence))
                phase = .silent
                return .again
            }
            append(.init(start: ring.written, item: nil, time: time, rate: 0, origin: .end))
            phase = .finished(silence: ring.format.frames(in: 2 * output.lead))
            flushOutput()
            endDrought()
            return .again
        case .loop:
            guard release(keeping: 0) else { return rest() }
            return try rewind(last)
        case .item(let next):
            return try open(next, after: last)
        }
    }

    /// Whether the item was played from start to end without a single frame: looping it would never end.
    private var isBarren: Bool {
        let end = end + converter.delay
        return pipeline.timeline.withLock { timeline in
            timeline.segments.last.map { $0.start >= end && $0.time == .zero } ?? false
        }
    }

    mutating func open(_ item: PlayerItem) throws {
        closeReader()
        let opened = try medium.open(item, pipeline, ordered.settings, interrupt)
        if let source = medium.reader?.statusSource { pipeline.streams.withLock { $0.begin(item.id, source) } }
        pipeline.report(.opened(item.id, opened.entry, opened.info))
    }

    mutating func begin(
        _ id: PlayerItem.ID,
        at time: MediaTime,
        _ origin: Timeline.Origin,
        overlap: Int = 0
    ) {
        var segment = Timeline.Segment(
            start: end + converter.delay,
            item: id,
            time: time,
            rate: ordered.settings.rate,
            origin: origin
        )
        segment.overlap = overlap
        crossfade.limit = nil
        append(segment)
        phase = .decoding
        pipeline.report(.began(id, generation: ordered.generation))
    }

    private mutating func append(_ segment: Timeline.Segment) {
        rate = segment.rate
        pipeline.timeline.withLock { $0.append(segment) }
        pipeline.report(.timelineChanged)
    }

    mutating func fail(_ item: PlayerItem, _ error: any Error) {
        if let error = error as? FFmpegError, error.isInterruption { return breakOff() }
        let reason = error is MediaError ? "\(error)" : "\(MediaError.display(item.entry.location)): \(error)"
        closeReader()
        medium.fail(item.id)
        ordered.following = .undecided
        phase = .ended
        pipeline.report(.failed(item.id, reason, generation: ordered.generation))
    }

    private mutating func reportDamage() {
        guard let damage = medium.takeDamage(), let item = medium.item else { return }
        // Before the end of the item is in the timeline, which the player may read before it gets the event.
        pipeline.damages.withLock { $0.append((item.id, damage)) }
        pipeline.report(.damaged)
    }

    @discardableResult
    private mutating func writeSilence(_ frames: Int) -> Int {
        let count = unsafe ring.write { region in
            let bytes = min(region.count, frames * ring.format.bytesPerFrame)
            for index in 0..<bytes { unsafe region[index] = 0 }
            return bytes / ring.format.bytesPerFrame
        }
        told(count)
        return count
    }

    // MARK: Pace

    /// Notifies the output of written frames when it is time to.
    mutating func told(_ count: Int) {
        let (lead, stretch) = (ring.format.frames(in: output.lead), ring.format.sampleRate / 2)
        if notice.add(count, lead: lead, stretch: stretch) { flushOutput() }
    }

    mutating func flushOutput() {
        let isNews = notice.tell()
        output.framesAvailable()
        if isNews { endDrought() }
    }

    var hasRoom: Bool { ring.free >= 16_384 }

    /// Handles a full ring: discards the heard frames, and sleeps until there is room for a good stretch.
    mutating func rest() -> Turn {
        // An output that answers with an event would wake the thread again, without end.
        if notice.untold > 0 { flushOutput() }
        let rate = ring.format.sampleRate
        let clock = output.clock
        let heard = clock.frame(at: .now)
        ring.discard(before: FramePosition(Int(sample: heard) - ring.format.frames(in: output.history)))
        let stretch = min(ring.capacity / 2, ring.format.frames(in: Pipeline.stretchLength))
        let missing = stretch - ring.free
        if missing <= 0 { return .again }
        // A clock that stands rings when it moves again.
        guard clock.rate > 0 else { return .sleep(until: nil) }
        return .sleep(until: .now + Double(missing) / Double(rate))
    }
}
