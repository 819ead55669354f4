internal import AudioTypes
internal import FFmpeg
internal import HTTP
internal import Mixing
internal import Outputs
internal import Synchronization

/// What the decode thread does and remembers.
///
/// Lives on that thread only.
struct DecodeWorker: ~Copyable {
    let ring: FrameRing
    let output: any AudioOutput
    let interrupt: Interrupt
    let pipeline: Pipeline
    var converter: AudioConverter
    var reader: MediaReader?
    /// Whether `reader` reads over the network, ahead on a thread of its own.
    var isStream = false
    /// Whether what has come of a network medium goes on to the output.
    var gate = BufferGate()
    /// Since when nothing has come of it.
    var starvedSince: HostTime?
    /// Since when the output stands although it has frames.
    var standsSince: HostTime?
    var item: PlayerItem?
    /// The track that `reader` was opened with.
    private var track = AudioTrackSelection.automatic
    /// The rate of the timeline's last segment.
    private var rate = 1.0
    var following = Pipeline.Following.undecided
    var phase = Phase.idle
    var generation = 0
    /// Whether the first frames of a jump are still to come.
    var hasLanded = true
    /// Whether what the output was sent is wrong from here on, and so the next frames are urgent.
    private var isRevised = false
    /// Frames written since the output was last told.
    var untold = 0
    private var reportedDamage = false
    /// What is known of the item that `reader` plays, for where it meets another one.
    var side: Crossfade.Side?
    /// The item's last frames, kept back from the ring because the next item may begin under them.
    var withheld: [UInt8] = []
    /// What goes under the frames that are decoded.
    var overlay: Overlay?
    /// How many frames are kept back at most; `nil` while the item's end is not near.
    private var withheldLimit: Int?
    var settings = Pipeline.Settings()

    enum Phase: Equatable {
        /// Nothing is loaded.
        case idle
        case decoding
        /// The item's last frame is written; the next one is not known yet.
        case ended
        /// The next item is open and begins as soon as the one before is written up to where they overlap.
        case joining(Joint)
        /// The end is marked in the timeline; so many frames of silence are still to follow it.
        case finished(silence: Int)
        case silent
    }

    /// What the thread does next.
    enum Turn {
        case again
        /// Sleep until somebody rings, or until then.
        case sleep(until: HostTime?)
    }

    init(_ pipeline: Pipeline, output: any AudioOutput, interrupt: Interrupt) {
        self.pipeline = pipeline
        self.output = output
        self.interrupt = interrupt
        ring = pipeline.ring
        converter = AudioConverter(output: ring.format)
    }

    // MARK: Orders

    /// Drops what was decoded and goes on with an item at a time.
    mutating func play(_ jump: Pipeline.Jump, _ generation: Int) {
        let item = jump.item
        var time = jump.time
        self.generation = generation
        // What is heard goes on until it can fade.
        let fades = jump.fades && settings.crossfade.seconds > 0 && isAnotherHeard(than: item.id)
        let timeline = jump.followsHearing ? pipeline.timeline.withLock(\.self) : nil
        if !fades {
            let heard = drop()
            time = timeline?.time(of: item.id, at: heard) ?? time
        }
        following = .undecided
        do {
            let isOpen = self.item?.id == item.id && track == settings.track && reader?.info.isSeekable == true
            if !isOpen { try open(item) }
            self.item = item
            var landing = MediaTime.zero
            if time > .zero || isOpen, reader?.info.isSeekable == true {
                landing = try reader?.seek(to: time, tolerance: jump.tolerance) ?? .zero
            }
            if fades { dropFading() }
            // Who hears of the landing finds it in the timeline.
            begin(item.id, at: landing, .jump)
            admitStream()
            pipeline.report(.landed(landing, at: ring.written, generation: generation))
        } catch {
            if fades { drop() }
            fail(item, error)
        }
        if interrupt.isRaised { distrust() }
    }

    /// Drops everything.
    mutating func unload() {
        generation += 1
        // Who follows what is heard in steps may yet take the end of it.
        drop(keeping: ring.format.frames(in: output.history))
        pipeline.streams.withLock { $0.removeAll() }
        closeReader()
        item = nil
        phase = .idle
    }

    /// Takes in what comes after the item that was begun last.
    mutating func follow(_ predecessor: PlayerItem.ID, _ following: Pipeline.Following, _ generation: Int) {
        guard generation == self.generation, item?.id == predecessor else { return }
        self.following = following
    }

    /// Takes in what comes after the item that is heard, and after that, even if something else was decoded already.
    mutating func revise(_ revision: Pipeline.Revision, _ generation: Int) {
        guard generation == self.generation, let item else { return }
        let passed = max(output.clock.frame(at: .now), Double(revision.noticed.index))
        let ends = pipeline.timeline.withLock { $0.endings(after: passed) }
        var last = revision.item
        guard (ends.first?.ended ?? joint?.ended.id ?? item.id) == last.id else {
            return pipeline.report(.missedRevision(last.id, generation: generation))
        }
        var chain = revision.chain[...]
        for end in ends {
            let following = chain.popFirst() ?? .undecided
            guard following.matches(end.segment) else {
                if !replace(from: end.segment, last, following) {
                    pipeline.report(.missedRevision(revision.item.id, generation: generation))
                }
                return
            }
            if case .item(let next) = following { last = next }
        }
        // All that was decoded is right; what comes after it may have changed as well.
        guard let following = chain.first else { return }
        if let joint, joint.ended.id == last.id, !following.isItem(item.id) { part(joint) }
        if self.item?.id == last.id { self.following = following }
    }

    /// Takes back what was decoded behind an item's end, and goes on with what follows it now.
    ///
    /// - Returns: Whether the player had not noticed the end yet.
    private mutating func replace(
        from segment: Timeline.Segment,
        _ last: PlayerItem,
        _ following: Pipeline.Following
    ) -> Bool {
        let end = segment.start
        let position = min(end, ring.written)
        guard position >= ring.kept else { return true }
        let isUnnoticed = pipeline.timeline.withLock { timeline in
            guard timeline.noticed < end else { return false }
            timeline.truncate(to: end)
            return true
        }
        guard isUnnoticed else { return false }
        withheld = []
        withheldLimit = nil
        overlay = nil
        side = nil
        var kept = position
        // Before the end was reached, nothing of the item can be mixed yet.
        if segment.overlap == 0, position == end, case .item = following { kept = withholdEnd(of: last, at: end) }
        output.rewind(to: kept)
        ring.truncate(to: kept)
        // Before the end was reached, the converter still holds the item's last frames.
        if position == end { converter.reset() }
        closeReader()
        item = last
        self.following = following
        phase = .ended
        isRevised = true
        if segment.overlap > 0 { resume(last) }
        pipeline.report(.timelineChanged)
        if following == .undecided { pipeline.report(.began(last.id, generation: generation)) }
        return true
    }

    /// Gives up what was decoded, heard or not.
    ///
    /// - Parameter count: Frames before what is heard that are kept.
    /// - Returns: What was heard last.
    @discardableResult
    mutating func drop(keeping count: Int? = nil) -> Double {
        pipeline.timeline.withLock { $0.removeAll() }
        let heard = output.giveUp(to: ring.written)
        ring.discard(before: count.map { min(FramePosition(Int(heard)) - $0, ring.written) } ?? ring.written)
        converter.reset()
        withheld = []
        withheldLimit = nil
        overlay = nil
        untold = 0
        hasLanded = false
        isRevised = false
        return heard
    }

    // MARK: Work

    /// Decodes a little, or finds that there is nothing to do for now.
    mutating func work() -> Turn {
        let turn = takeTurn()
        if interrupt.isRaised { distrust() }
        return turn
    }

    /// Somebody has something else in mind than what was going on.
    mutating func abandon() {
        closeReader()
        item = nil
        phase = .idle
    }

    /// Calls may have been broken off: FFmpeg may have given what it had, made the rest up or remembered an error, and so
    /// the medium is opened anew.
    ///
    /// Not so where FFmpeg reads on a thread of its own.
    private mutating func distrust() { if reader != nil, !isStream { abandon() } }

    private mutating func takeTurn() -> Turn {
        do {
            switch phase {
            case .idle, .finished(silence: 0): return .sleep(until: nil)
            case .ended: return try advance()
            case .decoding:
                if isStream, hasRunDry { closeGate(afterStall: true) }
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
            if let item { fail(item, error) }
            return .again
        }
    }

    /// - Returns: False when nothing is there to be decoded.
    private mutating func decode() throws -> Bool {
        var result = MediaReader.ReadResult.ended
        var rendering = AudioConverter.Settings()
        rendering.gain = gain
        rendering.rate = settings.rate
        rendering.keepsPitch = settings.keepsPitch
        if withheldLimit == nil, isNearEnd(), let side {
            withheldLimit = ring.format.frames(in: settings.crossfade.reach(of: side))
        }
        unsafe try produce { region, reader, converter in
            result = unsafe try reader?.read(into: region, through: &converter, rendering) ?? .ended
            if case .frames(let count) = result { return count }
            return 0
        }
        switch result {
        case .frames: starvedSince = nil
        case .starved: return false
        case .metadata(let tags): mark(tags)
        case .needsFinish:
            try finishConverter()
            // A medium that cannot be sought in changes its speed where decoding has come to.
            if rate != settings.rate, let item, let time = reader?.nextTime {
                append(.init(start: end, item: item.id, time: time, rate: settings.rate, origin: .adjustment))
            }
        case .ended:
            reportDamage()
            phase = .ended
        }
        return true
    }

    /// What the item's samples are multiplied by.
    private var gain: Gain {
        mutating get {
            settings.replayGain.gain(for: reader?.info.replayGain ?? ReplayGain(), playsAlbum: settings.playsAlbum)
        }
    }

    /// Lets `body` give frames, and brings them to where they belong.
    ///
    /// - Returns: Their number.
    @discardableResult
    mutating func produce(
        _ body: (UnsafeMutableRawBufferPointer, inout MediaReader?, inout AudioConverter) throws -> Int
    ) throws -> Int {
        guard let withheldLimit else {
            let count = unsafe try ring.write { region in
                let count = unsafe try body(region, &reader, &converter)
                if let base = region.baseAddress { unsafe mixOverlay(into: base, count) }
                return count
            }
            told(count)
            return count
        }
        let size = ring.format.bytesPerFrame
        return unsafe try withUnsafeTemporaryAllocation(byteCount: 4_096 * size, alignment: 64) { region in
            let count = unsafe try body(region, &reader, &converter)
            guard let base = region.baseAddress else { return 0 }
            unsafe mixOverlay(into: base, count)
            unsafe withheld += region[..<(count * size)]
            release(keeping: withheldLimit)
            return count
        }
    }

    /// Writes what the converter still holds.
    mutating func finishConverter() throws {
        while true {
            let count = unsafe try produce { region, _, converter in unsafe try converter.finish(into: region) }
            if count == 0 { return }
        }
    }

    /// The item's last frame is written: goes on with what follows.
    private mutating func advance() throws -> Turn {
        guard let last = item else { return .sleep(until: nil) }
        if following == .loop, isBarren {
            fail(last, MediaError(location: last.entry.location, reason: .noSamples))
            return .again
        }
        switch following {
        case .undecided:
            if untold > 0 { flushOutput() }
            return .sleep(until: nil)
        case .nothing, .silence:
            try finishConverter()
            guard release(keeping: 0) else { return rest() }
            let time = pipeline.timeline.withLock { $0.time(at: Double(ring.written.index)) } ?? .zero
            if following == .silence {
                append(.init(start: ring.written, item: last.id, time: time, rate: settings.rate, origin: .silence))
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

    /// Whether the item was played from its beginning to its end without a single frame: it would be repeated for ever in
    /// no time.
    private var isBarren: Bool {
        let end = end + converter.delay
        return pipeline.timeline.withLock { timeline in
            timeline.segments.last.map { $0.start >= end && $0.time == .zero } ?? false
        }
    }

    mutating func open(_ item: PlayerItem) throws {
        closeReader()
        self.item = item
        track = settings.track
        let context = pipeline.context(for: item.id, settings.stream)
        reader = try MediaReader.open(item.entry, track: settings.track, interrupt: interrupt, stream: context)
        noteStream(of: item.id)
        reportedDamage = false
        guard let info = reader?.info else { return }
        let seconds = reader?.duration.map { $0.seconds / settings.rate }
        side = Crossfade.Side(entry: item.entry, seconds: seconds, tags: info.tags, gain: gain)
        pipeline.report(.opened(item.id, info))
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
            rate: settings.rate,
            origin: origin
        )
        segment.overlap = overlap
        withheldLimit = nil
        append(segment)
        phase = .decoding
        pipeline.report(.began(id, generation: generation))
    }

    mutating func append(_ segment: Timeline.Segment) {
        rate = segment.rate
        pipeline.timeline.withLock { $0.append(segment) }
        pipeline.report(.timelineChanged)
    }

    private mutating func fail(_ item: PlayerItem, _ error: any Error) {
        if let error = error as? FFmpegError, error.isInterruption { return breakOff() }
        let reason = error is MediaError ? "\(error)" : "\(MediaError.display(item.entry.location)): \(error)"
        closeReader()
        following = .undecided
        phase = .ended
        pipeline.report(.failed(item.id, reason, generation: generation))
    }

    private mutating func reportDamage() {
        guard let item, let damage = reader?.damage, !reportedDamage, !damage.isEmpty else { return }
        reportedDamage = true
        let text = damage.text
        pipeline.report(
            .damaged(item.id, "\(MediaError.display(item.entry.location)): \(text)", generation: generation)
        )
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

    /// The output is told of the first frames after a jump as soon as it can use them, of those that replace others at
    /// once, and then of half a second at a time.
    mutating func told(_ count: Int) {
        untold += count
        let enough =
            isRevised ? 0 : hasLanded ? ring.format.sampleRate / 2 : ring.format.frames(in: output.lead)
        guard count > 0, untold >= enough else { return }
        isRevised = false
        hasLanded = true
        flushOutput()
    }

    mutating func flushOutput() {
        let isNews = untold > 0
        untold = 0
        output.framesAvailable()
        if isNews { endDrought() }
    }

    var hasRoom: Bool { ring.free >= 16_384 }

    /// The ring is full: gives up what was heard, and sleeps until there is room for a good stretch.
    mutating func rest() -> Turn {
        // An output that answers with an event would wake the thread up again, and so on for ever.
        if untold > 0 { flushOutput() }
        let rate = ring.format.sampleRate
        let clock = output.clock
        let heard = clock.frame(at: .now)
        ring.discard(before: FramePosition(Int(heard) - ring.format.frames(in: output.history)))
        let stretch = min(ring.capacity / 2, ring.format.frames(in: Pipeline.stretchLength))
        let missing = stretch - ring.free
        if missing <= 0 { return .again }
        // A clock that stands will ring when it moves again.
        guard clock.rate > 0 else { return .sleep(until: nil) }
        return .sleep(until: .now + Double(missing) / Double(rate))
    }
}

extension Pipeline.Following {
    fileprivate func isItem(_ id: PlayerItem.ID) -> Bool {
        if case .item(let item) = self { item.id == id } else { false }
    }

    /// Whether this is what a segment behind an item's end plays.
    fileprivate func matches(_ segment: Timeline.Segment) -> Bool {
        switch self {
        case .undecided: false
        case .nothing: segment.item == nil
        case .silence: segment.origin == .silence
        case .item(let item): segment.origin == .end && segment.item == item.id
        case .loop: segment.origin == .loop
        }
    }
}

extension MediaReader.Damage {
    /// In words: where, and how bad.
    fileprivate var text: String {
        func place(_ time: MediaTime) -> String {
            let seconds = Int(time.seconds)
            return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
        }
        if let truncated { return "ends early, at \(place(truncated)): the file is cut off" }
        return "damaged at \(place(first ?? .zero)) (\(packets) packet\(packets == 1 ? "" : "s") left out)"
    }
}
