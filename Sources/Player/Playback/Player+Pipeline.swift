internal import AudioTypes
internal import Mixers
internal import Outputs
internal import Synchronization

extension Player {
    /// Handles a message from another thread.
    func receive(_ message: Message) {
        switch message {
        case .pipeline(let event): receive(event)
        case .output(let event): receive(event)
        }
    }

    private func receive(_ event: OutputEvent) {
        guard !isClosed else { return }
        switch event {
        case .clockChanged:
            catchUp()
            schedule()
        case .lost(let reason):
            apply(transport.handle(.outputLost))
            tell(.outputLost(reason))
            lossPatience = outputPatience
            waitPatiently()
        case .routeLost(let loss):
            apply(transport.handle(.outputLost))
            tell(.routeLost(loss.text, pauses: loss.pauses))
            if loss.pauses { return pause() }
            lossPatience = routePatience
            waitPatiently()
        case .restored:
            apply(transport.handle(.outputRestored))
            waitPatiently()
            tell(.outputRestored)
        case .corkRequested(let isRequested): tell(.silenceRequested(isRequested))
        case .volumeHeld(let volume): tell(.volumeHeld(from: volume))
        case .routeChanged, .attributesChanged, .idle: break
        case .formatChanged: adoptFormat()
        case .failed(let reason):
            apply(transport.handle(.outputLost))
            tell(.outputLost(reason))
            tell(.outputFailed(reason))
        }
    }

    private func receive(_ event: Pipeline.Event) {
        guard !isClosed else { return }
        switch event {
        case .landed(let time, let frame, let generation):
            guard generation == self.generation else { return }
            shared.withLock { $0.target = nil }
            // An end may be marked at the very frame of the jump's target.
            followedStart = frame - 1
            apply(transport.handle(.loaded(loadAfterLanding())))
            if pendingSeek?.generation == generation { answerSeek(true) }
            tell(.timeJumped(time))
            audience.tick { $0.jump(to: time) }
            schedule()
        case .opened(let id, let entry, let info):
            // Whatever it was opened for, it will not be opened again for the next jump.
            let wasReady = queue.index(of: id).map { queue.items[$0].status == .readyToPlay } ?? false
            queue.update(id) { item in
                item.status = .readyToPlay
                item.opened = entry
                item.info = info
            }
            publish()
            // A loop reopens its items ahead of time, which is not reported.
            guard !wasReady || transport.load == .preparing else { return }
            if let item = queue.current, item.id == id { tell(.itemReady(item)) }
        case .failed(let id, let reason, let generation):
            guard generation == self.generation else { return }
            itemFailed(id, reason)
        case .began(let id, let generation):
            guard generation == self.generation, let index = queue.index(of: id) else { return }
            pipeline.post(.follow(id, succession.following(index, in: queue), generation: generation))
            schedule()
        case .damaged: tellDamages()
        case .missedRevision(let id, let generation):
            guard generation == self.generation else { return }
            missedRevision = id
            catchUp()
            reviseMissed()
        case .timelineChanged:
            catchUp()
            schedule()
        case .wentOn(let generation):
            guard generation == self.generation, transport.load == .buffering else { return }
            apply(transport.handle(.loaded(.ready)))
            // A player that is late may have noticed the next end before it learned that frames went on.
            let isDryAgain = pipeline.timeline.withLock { $0.dryEnd?.isNoticed == true }
            if isDryAgain { apply(transport.handle(.ranDry)) }
            schedule()
        case .stream(let id, let event): receive(event, of: id)
        }
    }

    /// Tells of the damage that was found since the last call.
    private func tellDamages() {
        let found = pipeline.damages.withLock { damages in
            defer { damages = [] }
            return damages
        }
        for (id, text) in found {
            guard let index = queue.index(of: id) else { continue }
            tell(.itemDamaged(queue.items[index], text))
        }
    }

    // MARK: Jumps

    /// Jumps to a time of an item, which is the current one.
    func start(
        _ item: PlayerItem,
        at time: MediaTime,
        _ tolerance: SeekTolerance = .exact,
        fades: Bool = false,
        followsHearing: Bool = false,
        answer: CheckedContinuation<Bool, Never>? = nil
    ) {
        answerSeek(false)
        endStretch()
        guard !isClosed else {
            answer?.resume(returning: false)
            return
        }
        generation += 1
        shared.withLock { $0.target = time }
        if let answer { pendingSeek = PendingSeek(generation: generation, answer: answer) }
        var jump = Pipeline.Jump(item: item, time: time, tolerance: tolerance, fades: fades)
        jump.followsHearing = followsHearing
        pipeline.post(.play(jump, generation: generation))
        apply(transport.handle(.loaded(.preparing)))
        schedule()
    }

    func answerSeek(_ isFinished: Bool) {
        pendingSeek?.answer.resume(returning: isFinished)
        pendingSeek = nil
    }

    /// Renders the decoded frames that were not heard again, with changed settings.
    func render() {
        catchUp()
        pipeline.post(.configure(settings))
        guard let item = queue.current, isUnderWay, item.info?.isSeekable ?? true else { return }
        restart(item)
    }

    /// Goes on in the format that the output has taken.
    private func adoptFormat() {
        catchUp()
        guard let item = queue.current, isUnderWay else { return }
        if item.info?.isSeekable ?? true { restart(item) } else { pipeline.post(.recast) }
    }

    private var isUnderWay: Bool { [.ready, .preparing, .buffering].contains(transport.load) }

    /// Jumps to where the item is heard.
    private func restart(_ item: PlayerItem) {
        let time = currentTime()
        let seek = pendingSeek
        pendingSeek = nil
        // While a jump is under way, its target is the position that counts.
        start(item, at: time, followsHearing: shared.withLock { $0.target } == nil)
        if let seek { pendingSeek = PendingSeek(generation: generation, answer: seek.answer) }
    }

    func unload() {
        answerSeek(false)
        endStretch()
        generation += 1
        shared.withLock { $0.target = .zero }
        pipeline.post(.unload)
        apply(transport.handle(.loaded(.empty)))
    }

    // MARK: What follows

    /// Updates the pipeline with what follows the heard item.
    func reviseFollowing() {
        guard let item = queue.current, let index = queue.currentIndex, transport.load != .empty else { return }
        // As far as it may be decoded.
        let count = 1 + pipeline.timeline.withLock { $0.segments.count { $0.origin.endsItem } }
        let chain = succession.chain(after: index, in: queue, count: count)
        let revision = Pipeline.Revision(item: item, noticed: followedStart, chain: chain)
        pipeline.post(.revise(revision, generation: generation))
    }

    /// Repeats a revision that came too late for its item, once the next one is noticed.
    private func reviseMissed() {
        guard let missed = missedRevision, missed != queue.current?.id else { return }
        missedRevision = nil
        reviseFollowing()
    }

    private func itemFailed(_ id: PlayerItem.ID, _ reason: String) {
        queue.update(id) { $0.status = .failed(reason) }
        guard let index = queue.index(of: id) else { return }
        publish()
        recordFailure(of: queue.items[index], reason)
        tell(.itemFailed(queue.items[index]))
        let wasHeard = pipeline.timeline.withLock { timeline in timeline.segments.contains { $0.item == id } }
        guard queue.currentIndex == index, !wasHeard else {
            pipeline.post(.follow(id, succession.following(index, in: queue), generation: generation))
            return publish()
        }
        answerSeek(false)
        advance()
    }

    func endQueue() {
        let wasPlaying = queue.current != nil
        unload()
        queue.select(nil)
        apply(transport.handle(.loaded(.finished)))
        publish()
        tell(.currentItemChanged(nil))
        if wasPlaying { tell(.queueEnded) }
    }

    // MARK: Progress

    /// Processes what was heard since the last call: ends of items, and observed times.
    package func catchUp() {
        // While paused at the very end, an item has not ended yet.
        guard transport.rate != 0 else { return }
        guard shared.withLock({ $0.target }) == nil, isLoaded else { return }
        let heard = output.clock.frame(at: .now) + 0.5
        let spread = spreadInFrames
        let news = pipeline.timeline.withLock { look(at: &$0, heard: $0.heardByAll(heard, spread: spread)) }
        tellDamages()
        followedStart = news.passed.last?.segment.start ?? followedStart
        let generation = generation
        var marks = news.marks[...]
        // If the end of an item led to a jump, the other passed segments are from before it.
        for (segment, end) in news.passed where generation == self.generation {
            tellTags(marks.prefix { $0.start < segment.start })
            marks = marks.drop { $0.start < segment.start }
            if let end { audience.tick { $0.play(to: end) } }
            pass(segment, at: end)
        }
        if !news.passed.isEmpty { reviseMissed() }
        guard generation == self.generation else { return }
        tellTags(marks)
        // The landing of a jump produces the ticks.
        if let time = news.time { audience.tick { $0.play(to: time) } }
        if let dry = news.dry { runDry(dry) }
    }

    /// Whether frames of an item are decoded or will be, without a jump.
    var isLoaded: Bool { transport.load == .ready || transport.load == .buffering }

    /// The events since the last call.
    private struct News {
        var passed: [(segment: Timeline.Segment, end: MediaTime?)] = []
        var marks: [Timeline.Mark] = []
        var dry: Timeline.DryEnd.Reason?
        var time: MediaTime?
    }

    private func look(at timeline: inout Timeline, heard: Double) -> News {
        var news = News()
        let passed = timeline.ends(after: Double(followedStart.index), through: heard)
        // An item's opening is reported before its segment is; the timeline may be read before that.
        guard passed.compactMap(\.item).allSatisfy(isReady) else { return news }
        if let last = passed.last { timeline.noticed = last.start }
        news.passed = passed.map { (segment: $0, end: timeline.endTime(before: $0)) }
        news.marks = timeline.takeMarks(through: heard)
        news.time = timeline.time(at: heard)
        news.dry = timeline.noticeDryEnd(at: heard)
        timeline.drop(before: FramePosition(Int(sample: heard)))
        return news
    }

    private func isReady(_ id: PlayerItem.ID) -> Bool {
        queue.index(of: id).map { queue.items[$0].status != .unknown } ?? true
    }

    private func pass(_ segment: Timeline.Segment, at time: MediaTime?) {
        guard let ended = queue.current else { return }
        endStretch(at: time)
        if case .failed(let reason) = ended.status {
            tell(.failedToPlayToEnd(ended, reason))
        } else {
            tell(.itemPlayedToEnd(ended))
        }
        if segment.origin == .silence { return }
        if segment.origin == .loop {
            loopCount += 1
            publish()
            tell(.timeJumped(segment.time))
            return audience.tick { $0.jump(to: segment.time) }
        }
        guard let next = segment.item.flatMap(queue.index(of:)) else { return itemEnded() }
        queue.select(next)
        loopCount = 0
        publish()
        tell(.currentItemChanged(queue.current))
        audience.tick { $0.jump(to: segment.time) }
    }

    /// Handles the end of the current item, with nothing decoded after it.
    private func itemEnded() {
        if succession.actionAtItemEnd == .pause {
            apply(transport.handle(.pause()))
            apply(transport.handle(.loaded(.finished)))
            return
        }
        advance()
    }
}
