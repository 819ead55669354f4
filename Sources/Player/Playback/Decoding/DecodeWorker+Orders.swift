internal import AudioTypes
internal import HTTP
internal import MediaCoding
internal import Mixers
internal import Mixing
internal import Outputs
internal import Synchronization
internal import Threads

/// The player's orders.
extension DecodeWorker {
    // MARK: Jumps

    /// Drops the decoded frames and continues with an item at a time.
    mutating func play(_ jump: Pipeline.Jump, _ generation: Int) {
        let item = jump.item
        var time = jump.time
        ordered.generation = generation
        // The heard item plays on until it can fade.
        let fades =
            jump.fades && !needsFormat && ordered.settings.crossfade.seconds > 0 && isAnotherHeard(than: item.id)
        let timeline = jump.followsHearing ? pipeline.timeline.withLock(\.self) : nil
        if !fades {
            let heard = drop()
            time = timeline?.time(of: item.id, at: heard) ?? time
        }
        ordered.following = .undecided
        do {
            let isOpen = medium.canSeek(item.id, ordered.settings.track(of: item.id))
            if !isOpen { try open(item) }
            medium.item = item
            // A live medium may begin at a time of its own.
            var landing = isOpen ? .zero : medium.reader?.nextTime ?? .zero
            if time > .zero || isOpen, medium.reader?.info.isSeekable == true {
                landing = try medium.reader?.seek(to: time, tolerance: jump.tolerance) ?? .zero
            }
            if fades { dropFading() }
            preferMediumFormat()
            // The timeline must have the segment before the landing is reported.
            begin(item.id, at: landing, .jump)
            admitStream()
            pipeline.report(.landed(landing, at: ring.written, generation: generation))
        } catch {
            if fades { drop() }
            fail(item, error)
        }
        if interrupt.isRaised { distrust() }
    }

    /// Discards the decoded frames, heard or not.
    ///
    /// - Parameter count: Frames before the heard one that are kept.
    /// - Returns: The last frame heard.
    @discardableResult
    mutating func drop(keeping count: Int? = nil) -> Double {
        pipeline.timeline.withLock { $0.removeAll() }
        let heard = output.discard(to: ring.written)
        notice.restart()
        if needsFormat {
            adoptFormat()
            return heard
        }
        ring.discard(before: count.map { min(FramePosition(Int(sample: heard)) - $0, ring.written) } ?? ring.written)
        converter.reset()
        crossfade.removeAll()
        return heard
    }

    /// Drops everything.
    mutating func unload() {
        ordered.generation += 1
        // An output that follows in steps may still take the last frames heard.
        drop(keeping: ring.format.frames(in: output.history))
        pipeline.streams.withLock { $0.removeAll() }
        abandon()
    }

    /// Drops the current item, because another one was asked for.
    mutating func abandon() {
        closeReader()
        medium.item = nil
        phase = .idle
    }

    /// Drops the call that waited for the network; an open medium can be seeked again.
    mutating func breakOff() {
        guard medium.isStream, medium.reader != nil else { return abandon() }
        phase = .idle
    }

    // MARK: What follows

    /// Sets the item that follows the one started last.
    mutating func follow(_ predecessor: PlayerItem.ID, _ following: Pipeline.Following, _ generation: Int) {
        guard generation == ordered.generation, medium.item?.id == predecessor else { return }
        ordered.following = following
    }

    /// Ends an item that was heard in full while the next one is still being opened.
    mutating func endHere(_ generation: Int) {
        guard generation == ordered.generation, phase == .ended, case .item = ordered.following else { return }
        ordered.following = .nothing
    }

    /// Sets the items that follow the heard one, even if others were decoded already.
    mutating func revise(_ revision: Pipeline.Revision, _ generation: Int) {
        guard generation == ordered.generation, let item = medium.item else { return }
        let passed = max(output.clock.frame(at: .now), Double(revision.noticed.index))
        let ends = pipeline.timeline.withLock { $0.endings(after: passed) }
        switch revision.outcome(ends, ending: joint?.ended.id ?? item.id) {
        case .isLate: miss(revision)
        case .replaces(let segment, let last, let following):
            if !replace(from: segment, last, following) { miss(revision) }
        case .holds(_, nil): break
        case .holds(let last, let following?):
            if let joint, joint.ended.id == last.id, !following.isItem(item.id) { part(joint) }
            if medium.item?.id == last.id { ordered.following = following }
        }
    }

    private func miss(_ revision: Pipeline.Revision) {
        pipeline.report(.missedRevision(revision.item.id, generation: ordered.generation))
    }

    /// Takes back the frames decoded after an item's end, and continues with what follows it now.
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
        crossfade.removeAll()
        medium.side = nil
        var kept = position
        // Before the end was reached, none of the item's frames can be mixed yet.
        if segment.overlap == 0, position == end, case .item = following { kept = withholdEnd(of: last, at: end) }
        output.rewind(to: kept)
        ring.truncate(to: kept)
        // Before the end was reached, the converter still holds the item's last frames.
        if position == end { converter.reset() }
        closeReader()
        medium.item = last
        ordered.following = following
        phase = .ended
        notice.revise()
        if segment.overlap > 0 { resume(last) }
        pipeline.report(.timelineChanged)
        if following == .undecided { pipeline.report(.began(last.id, generation: ordered.generation)) }
        return true
    }

    // MARK: How it is played

    mutating func configure(_ settings: Pipeline.Settings) {
        if settings.stream != ordered.settings.stream { medium.reader?.setStreamOptions(settings.stream) }
        ordered.settings = settings
        if !settings.stream.automaticallyWaits { gate.hurry() }
    }

    mutating func playImmediately() {
        // The wait to be cut short may be just about to begin.
        if hasRunDry { closeGate(afterStall: true) }
        gate.hurry()
    }
}
