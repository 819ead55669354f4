internal import AudioTypes
internal import FFmpegValues
internal import HTTP
internal import MediaCoding
internal import Mixers
internal import Mixing
internal import Outputs
internal import Synchronization

/// Network media: late data, and waiting for it.
extension DecodeWorker {
    /// Seconds before the end of the decoded frames at which the player is notified of it.
    private static var warning: Double { 1 }
    /// Seconds for which a paused player checks whether it could play.
    private static var pausedLooks: Double { 2 }
    /// Seconds of data that accumulate before the decoder is woken.
    private static var worthReading: Double { 0.15 }

    // MARK: Opening

    /// Closes the medium, without waiting for a network.
    mutating func closeReader() {
        if medium.isStream { pipeline.streams.withLock { $0.end() } }
        medium.close()
        gate.open()
        drought.end()
    }

    /// Opens the item that follows one decoded to its end.
    ///
    /// Orders that arrive while it waits for a network may make it obsolete, and interrupt it.
    mutating func open(_ next: PlayerItem, after last: PlayerItem) throws -> Turn {
        guard prepareToWait(for: next, .opening) else { return .again }
        defer { pipeline.endOpening() }
        let ended = medium.side
        do {
            try open(next)
        } catch let error as FFmpegError where error.isInterruption {
            closeReader()
            medium.item = last
            medium.side = ended
            return .again
        }
        if needsAnotherFormat {
            // The sink changes when all before was heard: the player then begins the item.
            closeReader()
            medium.item = last
            medium.side = ended
            ordered.following = .nothing
            return .again
        }
        ordered.following = .undecided
        closeGate()
        try meet(last, ended)
        return .again
    }

    /// Returns to the start of an item that is repeated.
    mutating func rewind(_ item: PlayerItem) throws -> Turn {
        guard prepareToWait(for: item, .starving) else { return .again }
        defer { pipeline.endOpening() }
        do {
            // A medium that cannot seek back is requested again.
            let cannotGoBack = medium.isStream && medium.reader?.info.isSeekable == false
            if medium.reader == nil || cannotGoBack { try open(item) } else { _ = try medium.reader?.seek(to: .zero) }
        } catch let error as FFmpegError where error.isInterruption {
            if !medium.isStream { closeReader() }
            return .again
        }
        ordered.following = .undecided
        begin(item.id, at: .zero, .loop)
        closeGate()
        return .again
    }

    /// Prepares for a wait: releases the decoded frames to the output, and marks for the player where they end.
    ///
    /// - Returns: False when there are orders, which may make the wait obsolete.
    private mutating func prepareToWait(for item: PlayerItem, _ reason: Timeline.DryEnd.Reason) -> Bool {
        guard item.entry.isURL, item.entry.filePath == nil else { return true }
        guard pipeline.beginOpening() else { return false }
        if notice.untold > 0 { flushOutput() }
        markDryEnd(reason)
        return true
    }

    // MARK: The gate

    /// Closes the gate: a network medium begins, or continues at another position.
    mutating func closeGate(afterStall: Bool = false) {
        guard medium.isStream, output.keepsTime else { return }
        gate.close(lead: output.lead, afterStall: afterStall)
        if !ordered.settings.stream.automaticallyWaits { gate.hurry() }
    }

    /// Checks whether a network medium can be played at the target of a jump.
    mutating func admitStream() {
        closeGate()
        guard !gate.isOpen, let supply = supply(), case .wait = gate.look(supply, at: .now) else { return }
        markDryEnd(.starving)
    }

    /// Waits until enough is buffered.
    mutating func lookAtGate() -> Turn {
        // Data that arrives from here on wakes the thread.
        pipeline.expectStream()
        guard let supply = supply() else {
            gate.open()
            return .again
        }
        if notice.untold > 0 { flushOutput() }
        if case .wait(let time) = gate.look(supply, at: .now) {
            if supply.ahead < Self.warning { markDryEnd(.starving) }
            return .sleep(until: mayLook ? time : nil)
        }
        drought = Drought()
        // The output is notified of the first frames as soon as it can use them.
        if supply.ahead < Drought.nothing { notice.land() }
        return .again
    }

    /// A paused player checks only for a short time.
    private var mayLook: Bool { pipeline.isWanted || gate.age(at: .now) < Self.pausedLooks }

    /// Waits until enough of an item that starts under the end of another one is buffered.
    ///
    /// - Returns: `nil` when the wait is over.
    mutating func awaitJoint(_ joint: Joint) -> Turn? {
        pipeline.expectStream()
        guard let supply = supply(), case .wait(let time) = gate.look(supply, at: .now) else { return nil }
        let rest = secondsAhead(of: ring.written) - Self.warning
        if rest < 0, pipeline.isWanted {
            // The end of the item before is due, and is played without overlap.
            var joint = joint
            joint.frames = 0
            phase = .joining(joint)
            return .again
        }
        if notice.untold > 0 { flushOutput() }
        let due = rest > 0 && pipeline.isWanted ? .now + max(rest, 0.002) : time
        return .sleep(until: mayLook ? min(time, due) : nil)
    }

    /// Seconds until a frame is heard.
    private func secondsAhead(of position: FramePosition) -> Double {
        (Double(position.index) - output.clock.frame(at: .now)) / Double(ring.format.sampleRate)
    }

    /// The buffered data of a network medium; `nil` for others.
    private mutating func supply() -> BufferGate.Supply? {
        guard let status = medium.reader?.streamStatus else { return nil }
        return BufferGate.Supply(status, rate: ordered.settings.rate, ahead: max(0, secondsAhead(of: end)))
    }

    // MARK: Running dry

    /// Handles missing data.
    mutating func starve() -> Turn {
        if notice.untold > 0 { flushOutput() }
        let seen = Drought.Output(
            keepsTime: output.keepsTime,
            lead: output.lead,
            ahead: secondsAhead(of: ring.written),
            isMoving: output.clock.rate > 0
        )
        let decision = drought.look(at: seen, isWanted: pipeline.isWanted, now: .now)
        if decision.marksEnd { markDryEnd(.starving, stands: decision.stands) }
        if decision.stands { closeGate(afterStall: true) }
        switch decision.wait {
        case .none: return .again
        case .sleep(let time): return .sleep(until: time)
        case .awaitData(let time): return awaitStream(until: time)
        }
    }

    /// Whether all received data was heard, when none arrived last.
    var hasRunDry: Bool {
        drought.isOn && gate.isOpen && pipeline.isWanted && output.keepsTime
            && secondsAhead(of: ring.written) < Drought.nothing
    }

    /// Sleeps until there is data to read, or until a moment.
    private mutating func awaitStream(until time: HostTime?) -> Turn {
        pipeline.expectStream()
        // It may have arrived before the thread expected it.
        let status = medium.reader?.streamStatus
        let isThere = status.map { $0.hasEnded || $0.bufferedDuration >= Self.worthReading } ?? true
        return isThere ? .again : .sleep(until: time)
    }

    /// Marks that frames end here for now.
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

    /// Marks that frames continue.
    mutating func endDrought() {
        let wasNoticed = pipeline.timeline.withLock { timeline in
            defer { timeline.dryEnd = nil }
            return timeline.dryEnd?.isNoticed ?? false
        }
        if wasNoticed { pipeline.report(.wentOn(generation: ordered.generation)) }
    }

    // MARK: Metadata

    /// Marks that the frames decoded next have these tags.
    func mark(_ tags: Tags) {
        guard let item = medium.item else { return }
        let mark = Timeline.Mark(start: end + converter.delay, item: item.id, tags: tags)
        pipeline.timeline.withLock { $0.append(mark) }
        pipeline.report(.timelineChanged)
    }
}

extension BufferGate.Supply {
    /// - Parameters:
    ///   - rate: Seconds of the medium played per second.
    ///   - ahead: Seconds decoded and not heard.
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
