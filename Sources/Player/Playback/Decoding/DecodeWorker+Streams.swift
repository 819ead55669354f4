internal import AudioTypes
internal import FFmpeg
internal import HTTP
internal import Mixing
internal import Outputs
internal import Synchronization

/// Media of the network: what comes late, and what is waited for.
extension DecodeWorker {
    /// Seconds more than the output takes at once that are decoded before the thread sleeps without looking at the network.
    private static var reserve: Double { 0.75 }
    /// Seconds between two looks while there is less.
    private static var look: Double { 0.2 }
    /// Seconds after which an output that stands is believed to have run dry, or nothing to come from one that takes
    /// frames as fast as they come.
    private static var patience: Double { 0.3 }
    /// Seconds more than an output takes before it plays with which it certainly plays.
    private static var margin: Double { 0.1 }
    /// Seconds before the end of what is decoded at which somebody is told of it.
    private static var notice: Double { 1 }
    /// Seconds for which a paused player looks whether it could play.
    private static var pausedLooks: Double { 2 }
    /// Seconds that come together before the decoder is woken up.
    private static var worthReading: Double { 0.15 }
    /// Seconds that are as good as nothing.
    private static var nothing: Double { 0.001 }

    // MARK: Opening

    /// Lets go of the medium; nobody waits for a network.
    mutating func closeReader() {
        if isStream { pipeline.streams.withLock { $0.end() } }
        reader = nil
        isStream = false
        gate.open()
        starvedSince = nil
    }

    /// A medium was opened.
    mutating func noteStream(of id: PlayerItem.ID) {
        guard let source = reader?.statusSource else { return }
        isStream = true
        pipeline.streams.withLock { $0.begin(id, source) }
    }

    /// Opens what follows an item that is decoded to its end.
    ///
    /// Orders that come while a network is waited for may make it futile, and break it off.
    mutating func open(_ next: PlayerItem, after last: PlayerItem) throws -> Turn {
        guard prepareToWait(for: next, .opening) else { return .again }
        defer { pipeline.endOpening() }
        let ended = side
        do {
            try open(next)
        } catch let error as FFmpegError where error.isInterruption {
            closeReader()
            item = last
            side = ended
            return .again
        }
        following = .undecided
        closeGate()
        try meet(last, ended)
        return .again
    }

    /// Goes to the beginning of an item that is repeated.
    mutating func rewind(_ item: PlayerItem) throws -> Turn {
        guard prepareToWait(for: item, .starving) else { return .again }
        defer { pipeline.endOpening() }
        do {
            // Where one cannot go back, it is asked for once more.
            let cannotGoBack = isStream && reader?.info.isSeekable == false
            if reader == nil || cannotGoBack { try open(item) } else { _ = try reader?.seek(to: .zero) }
        } catch let error as FFmpegError where error.isInterruption {
            if !isStream { closeReader() }
            return .again
        }
        following = .undecided
        begin(item.id, at: .zero, .loop)
        closeGate()
        return .again
    }

    /// What may take long is next: what is decoded goes on to the output, and the player learns where it ends.
    ///
    /// - Returns: False when there are orders that may have something against it.
    private mutating func prepareToWait(for item: PlayerItem, _ reason: Timeline.DryEnd.Reason) -> Bool {
        guard item.entry.isURL, item.entry.filePath == nil else { return true }
        guard pipeline.beginOpening() else { return false }
        if untold > 0 { flushOutput() }
        markDryEnd(reason)
        return true
    }

    /// What was decoded has been heard, and the next item is still being opened.
    mutating func endHere(_ generation: Int) {
        guard generation == self.generation, phase == .ended, case .item = following else { return }
        following = .nothing
    }

    /// The call that waited for the network was broken off: what is open can be sought in anew.
    mutating func breakOff() {
        guard isStream, reader != nil else { return abandon() }
        phase = .idle
    }

    // MARK: Orders

    mutating func configure(_ settings: Pipeline.Settings) {
        if settings.stream != self.settings.stream { reader?.setStreamOptions(settings.stream) }
        self.settings = settings
        if !settings.stream.automaticallyWaits { gate.hurry() }
    }

    mutating func playImmediately() {
        // The wait that is to be cut short may be just about to begin.
        if hasRunDry { closeGate(afterStall: true) }
        gate.hurry()
    }

    // MARK: The gate

    /// A network medium begins, or goes on at another place.
    mutating func closeGate(afterStall: Bool = false) {
        guard isStream, output.keepsTime else { return }
        gate.close(lead: output.lead, afterStall: afterStall)
        if !settings.stream.automaticallyWaits { gate.hurry() }
    }

    /// Sees whether a network medium can be played where it was jumped to.
    mutating func admitStream() {
        closeGate()
        guard !gate.isOpen, let supply = supply(), case .wait = gate.look(supply, at: .now) else { return }
        markDryEnd(.starving)
    }

    /// Waits until enough has come.
    mutating func lookAtGate() -> Turn {
        // What comes from here on wakes the thread.
        pipeline.expectStream()
        guard let supply = supply() else {
            gate.open()
            return .again
        }
        if untold > 0 { flushOutput() }
        if case .wait(let time) = gate.look(supply, at: .now) {
            if supply.ahead < Self.notice { markDryEnd(.starving) }
            return .sleep(until: mayLook ? time : nil)
        }
        standsSince = nil
        starvedSince = nil
        // The output is told of the first frames as soon as it can use them.
        if supply.ahead < Self.nothing { hasLanded = false }
        return .again
    }

    /// While a player is paused, nobody looks for long.
    private var mayLook: Bool { pipeline.isWanted || gate.age(at: .now) < Self.pausedLooks }

    /// Waits with an item that is to begin under the end of another one until enough of it has come.
    ///
    /// - Returns: `nil` when the wait is over.
    mutating func awaitJoint(_ joint: Joint) -> Turn? {
        pipeline.expectStream()
        guard let supply = supply(), case .wait(let time) = gate.look(supply, at: .now) else { return nil }
        let rest = secondsAhead(of: ring.written) - Self.notice
        if rest < 0, pipeline.isWanted {
            // The end of the one before is due, and follows as it is.
            var joint = joint
            joint.frames = 0
            phase = .joining(joint)
            return .again
        }
        if untold > 0 { flushOutput() }
        let due = rest > 0 && pipeline.isWanted ? .now + max(rest, 0.002) : time
        return .sleep(until: mayLook ? min(time, due) : nil)
    }

    /// Seconds until a frame is heard.
    private func secondsAhead(of position: FramePosition) -> Double {
        (Double(position.index) - output.clock.frame(at: .now)) / Double(ring.format.sampleRate)
    }

    /// What there is of a network medium; `nil` of others.
    private mutating func supply() -> BufferGate.Supply? {
        guard let status = reader?.streamStatus else { return nil }
        return BufferGate.Supply(status, rate: settings.rate, ahead: max(0, secondsAhead(of: end)))
    }

    // MARK: Running dry

    /// Nothing has come: what is decoded is heard meanwhile, and when that is over, the item waits.
    mutating func starve() -> Turn {
        if untold > 0 { flushOutput() }
        guard pipeline.isWanted else {
            standsSince = nil
            return .sleep(until: nil)
        }
        let now = HostTime.now
        starvedSince = starvedSince ?? now
        guard output.keepsTime else { return starveUntimed(now) }
        let ahead = secondsAhead(of: ring.written)
        let isMoving = output.clock.rate > 0
        standsSince = isMoving ? nil : standsSince ?? now
        let reserve = output.lead + Self.reserve
        if isMoving, ahead > reserve + Self.look { return .sleep(until: now + (ahead - reserve)) }
        // One that has what it wants before it plays, and stands all the same, is only slow to begin.
        let isShort = ahead < output.lead + Self.margin
        let stands = isShort && standsSince.map { now - $0 >= Self.patience } ?? false
        markDryEnd(.starving, stands: stands)
        if stands { closeGate(afterStall: true) }
        if stands || ahead < Self.nothing { return .again }
        // Not for every packet.
        if isMoving, ahead > Self.look + Self.nothing { return .sleep(until: now + Self.look) }
        return awaitStream(until: now + (isMoving ? ahead + Self.nothing : Self.patience))
    }

    /// Whether all was heard that had come, when nothing had come last.
    var hasRunDry: Bool {
        starvedSince != nil && gate.isOpen && pipeline.isWanted && output.keepsTime
            && secondsAhead(of: ring.written) < Self.nothing
    }

    /// An output that takes frames as fast as they come has always run dry.
    private mutating func starveUntimed(_ now: HostTime) -> Turn {
        let since = starvedSince ?? now
        starvedSince = since
        guard now - since < Self.patience else {
            markDryEnd(.starving)
            return awaitStream(until: nil)
        }
        return awaitStream(until: since + Self.patience)
    }

    /// Sleeps until there is something to read, or until a moment.
    private mutating func awaitStream(until time: HostTime?) -> Turn {
        pipeline.expectStream()
        // It may have come before it was waited for.
        let status = reader?.streamStatus
        let isThere = status.map { $0.hasEnded || $0.bufferedDuration >= Self.worthReading } ?? true
        return isThere ? .again : .sleep(until: time)
    }

    /// Tells the player that frames end here for now.
    private func markDryEnd(_ reason: Timeline.DryEnd.Reason, stands: Bool = false) {
        let start = ring.written
        let isNews = pipeline.timeline.withLock { timeline in
            var dry = timeline.dryEnd ?? Timeline.DryEnd(start: start, reason: reason)
            (dry.start, dry.reason, dry.stands) = (start, reason, stands)
            defer { timeline.dryEnd = dry }
            return timeline.dryEnd != dry && !dry.isNoticed
        }
        if isNews { pipeline.report(.timelineChanged) }
    }

    /// Frames go on.
    mutating func endDrought() {
        let wasNoticed = pipeline.timeline.withLock { timeline in
            defer { timeline.dryEnd = nil }
            return timeline.dryEnd?.isNoticed ?? false
        }
        if wasNoticed { pipeline.report(.wentOn(generation: generation)) }
    }

    // MARK: Metadata

    /// What is decoded next has these tags.
    func mark(_ tags: Tags) {
        guard let item else { return }
        let mark = Timeline.Mark(start: end + converter.delay, item: item.id, tags: tags)
        pipeline.timeline.withLock { $0.append(mark) }
        pipeline.report(.timelineChanged)
    }
}

extension BufferGate.Supply {
    /// - Parameters:
    ///   - rate: Seconds of the medium that are heard in one second.
    ///   - ahead: Seconds that are decoded and not heard.
    init(_ status: StreamStatus, rate: Double, ahead: Double) {
        self.init(queued: status.bufferedDuration / rate)
        self.ahead = ahead
        isAll = status.hasEnded || status.isFull
        isLive = status.isLive
        if case .reconnecting = status.connection { isAway = true }
        if let throughput = status.throughput, let bitRate = status.bitRate, bitRate > 0 {
            self.rate = throughput / Double(bitRate) / rate
        }
    }
}
