package import AudioTypes
package import MediaCoding
package import Mixers
internal import Mixing
internal import Outputs
internal import Synchronization
private import Threads

/// The options of a player.
package struct PlayerConfiguration: Sendable {
    package var audioTrack = TrackSelection.automatic
    /// Whether the next item is decoded before the current one ends, so that it follows without a gap.
    package var isGapless = true
    package var replayGain = ReplayGainSettings()
    /// How long to wait for a lost sound server before pausing, in seconds.
    package var outputPatience: Double = 60
    /// How long to wait for a sink that is gone before pausing, in seconds; `nil`: for ever.
    package var routePatience: Double?
    /// How network media are read.
    package var stream = StreamOptions()
    /// Resolves an entry to its actual medium, on the decode thread each time before it is opened; may access a disk.
    package var resolve: @Sendable (MediaEntry) throws -> MediaEntry = { $0 }
    /// The receiver of the subtitles in an item's medium, asked on the decode thread; `nil` reads none.
    package var subtitles: @Sendable (PlayerItem.ID) -> SubtitleFeed? = { _ in nil }
    /// Whether films without sound are played, as silence; otherwise they are media without sound, which fail.
    package var playsSilentFilms = false

    package init() {}
}

/// Plays a queue of items to a mixer's channel: AVQueuePlayer's model, but the queue keeps played items.
///
/// A call changes the state at once and returns; its effects on other threads are reported as events. No call waits
/// for media, except `seek`, which returns when its outcome is known.
package actor Player {
    let output: MixerChannel
    let pipeline: Pipeline
    /// State that any thread may read without waiting for the actor.
    nonisolated let shared: Mutex<Shared>
    private let inbox: AsyncStream<Message>.Continuation

    var queue = PlayerQueue()
    var transport = Transport()
    var settings: Pipeline.Settings
    var succession: Succession
    var loopCount = 0
    var volume = Volume.full
    var isMuted = false
    /// The access and error logs of the items.
    var logs = PlayerLogs()
    let outputPatience: Double
    let routePatience: Double?
    /// How long to wait for what is lost now, in seconds; `nil`: for ever.
    var lossPatience: Double?

    /// Counts the jumps; events of earlier ones are ignored.
    var generation = 0
    var pendingSeek: PendingSeek?
    /// The last noticed end of an item; another may be appended where all frames have been heard already.
    var followedStart = FramePosition.zero
    /// The item whose followers were to change, but which had ended when the change arrived.
    var missedRevision: PlayerItem.ID?
    var audience = Audience()
    private var alarm: Task<Void, Never>?
    private var patience: Task<Void, Never>?
    private var closing: Task<Void, Never>?
    var isClosed: Bool { closing != nil }

    /// A seek waiting for its first frames.
    struct PendingSeek {
        let generation: Int
        let answer: CheckedContinuation<Bool, Never>
    }

    struct Shared {
        var status = PlayerStatus()
        /// The target of a jump; the position until the first frames from there are written.
        var target: MediaTime?
    }

    /// A message from another thread.
    enum Message: Sendable {
        case pipeline(Pipeline.Event)
        case output(OutputEvent)
    }

    /// Takes over a channel; the player closes it.
    package init(output: MixerChannel, configuration: PlayerConfiguration = PlayerConfiguration()) {
        self.output = output
        succession = Succession(isGapless: configuration.isGapless)
        outputPatience = configuration.outputPatience
        routePatience = configuration.routePatience
        var settings = Pipeline.Settings()
        settings.track = configuration.audioTrack
        settings.replayGain = configuration.replayGain
        settings.stream = configuration.stream
        self.settings = settings
        if !configuration.stream.automaticallyWaits { _ = transport.handle(.waitingSet(false)) }
        var status = PlayerStatus()
        status.replayGain = configuration.replayGain
        status.automaticallyWaits = configuration.stream.automaticallyWaits
        shared = Mutex(Shared(status: status))
        let (messages, inbox) = AsyncStream.makeStream(of: Message.self)
        self.inbox = inbox
        let pipeline = Pipeline(
            output: output,
            resolve: configuration.resolve,
            subtitles: configuration.subtitles,
            playsSilentFilms: configuration.playsSilentFilms
        ) { inbox.yield(.pipeline($0)) }
        self.pipeline = pipeline
        // The pipeline keeps the output, so the output does not keep the pipeline.
        output.attach(pipeline.ring) { [weak pipeline] event in
            pipeline?.wake()
            inbox.yield(.output(event))
        }
        pipeline.post(.configure(settings))
        Task { [weak self] in
            for await message in messages { await self?.receive(message) }
        }
    }

    deinit {
        // Releasing a player without closing it does not wait for the output to be completed.
        guard closing == nil else { return }
        alarm?.cancel()
        patience?.cancel()
        inbox.finish()
        audience.endStreams()
        WorkThread.startWhenPossible(named: "segue-close") { [pipeline, output] in finish(pipeline, output) }
    }

    // MARK: Reading

    /// A snapshot; never waits.
    package nonisolated var status: PlayerStatus { shared.withLock { $0.status } }

    /// Reads part of the status without copying all of it; `body` must be quick.
    package nonisolated func read<Value: Sendable>(_ body: (PlayerStatus) -> Value) -> Value {
        shared.withLock { body($0.status) }
    }

    /// The time heard now, in the current item; never waits.
    package nonisolated func currentTime() -> MediaTime {
        if let target = shared.withLock({ $0.target }) { return target }
        let heard = output.clock.frame(at: .now)
        return pipeline.timeline.withLock { $0.time(at: heard) } ?? .zero
    }

    /// The range from the heard time to where the current item is decoded (AVPlayerItem's `loadedTimeRanges`); never
    /// waits.
    ///
    /// `nil` without an item. Ends where another item follows.
    package nonisolated func loadedTimeRange() -> ClosedRange<MediaTime>? {
        let heard = output.clock.frame(at: .now)
        let written = Double(pipeline.ring.written.index)
        return pipeline.timeline.withLock { timeline in
            guard let start = timeline.time(at: heard), timeline.segment(at: heard)?.item != nil else { return nil }
            let end = timeline.nextEnd(after: heard).map { min(written, Double($0.start.index)) } ?? written
            guard let segment = timeline.segment(at: heard) else { return nil }
            return start...max(start, timeline.time(at: max(heard, end), in: segment))
        }
    }

    /// The queue in playing order.
    package var items: [PlayerItem] { queue.items }

    /// All events from now on, in order; ends when the player is closed.
    package func events() -> AsyncStream<PlayerEvent> { audience.listen({ event, _ in event }, onEnd: forget) }

    /// All events, each with the order in effect when it was sent, so that a caller can tell events before an order
    /// from its effects.
    package func orderedEvents() -> AsyncStream<(event: PlayerEvent, order: Int)> {
        audience.listen({ ($0, $1) }, onEnd: forget)
    }

    /// The number of events so far.
    package var eventCount: Int { audience.eventCount }

    /// The number of the caller's order that last took effect, which events carry (`orderedEvents`).
    package var order: Int {
        get { audience.order }
        set { audience.order = newValue }
    }

    /// Ticks on the current item's own timeline, and at every jump, start and stop.
    ///
    /// Ticks not consumed in time are replaced by newer ones.
    package func periodicTimes(every interval: MediaTime) -> AsyncStream<MediaTime> {
        precondition(interval > .zero, "an interval is longer than nothing")
        return observe(.periodic(interval))
    }

    /// Ticks when playback passes one of the times; not when it is jumped over.
    package func boundaryTimes(at times: [MediaTime]) -> AsyncStream<MediaTime> {
        observe(.boundary(times.sorted()))
    }

    private func observe(_ kind: TimeObserver.Kind) -> AsyncStream<MediaTime> {
        catchUp()
        let stream = audience.observe(kind, at: currentTime(), onEnd: forget)
        schedule()
        return stream
    }

    /// Forgets a stream that is not read any more, and its next tick.
    private nonisolated var forget: @Sendable (Int) -> Void {
        { [weak self] number in Task { await self?.remove(number) } }
    }

    private func remove(_ number: Int) {
        audience.remove(number)
        schedule()
    }

    // MARK: The queue

    /// Adds entries at the end.
    ///
    /// A player that wants to play and has nothing left plays them.
    @discardableResult
    package func append(_ entries: [MediaEntry]) -> [PlayerItem.ID] {
        let ids = queue.append(entries)
        if transport.rate != 0, transport.load == .empty || transport.load == .finished, let first = ids.first {
            jump(to: queue.index(of: first))
        } else {
            reviseFollowing()
        }
        publish()
        return ids
    }

    /// Replaces the queue with one item and jumps to a time of it (AVPlayer's `replaceCurrentItem(with:)`).
    ///
    /// A paused player stays paused, a playing one plays on.
    ///
    /// - Parameter entry: `nil` stops and empties the queue.
    /// - Returns: The new item.
    @discardableResult
    package func replaceCurrentItem(with entry: MediaEntry?, at time: MediaTime = .zero) -> PlayerItem.ID? {
        catchUp()
        guard let entry else {
            removeAllItems()
            return nil
        }
        queue.removeAll()
        let ids = queue.append([entry])
        jump(to: 0, at: time)
        return ids.first
    }

    /// Replaces the items after the current one, without a gap, even if others were decoded or sent already.
    ///
    /// The items before the current one are forgotten, so a caller with a queue of its own that passes only the next
    /// few items can play for years. An item whose entry is already in its place stays and is not decoded again, even
    /// if it has failed. A player that wants to play and has nothing left plays the first one.
    ///
    /// - Returns: The items after the current one.
    @discardableResult
    package func replaceFollowingItems(with entries: [MediaEntry]) -> [PlayerItem.ID] {
        catchUp()
        let ids = queue.replaceFollowing(with: entries)
        if transport.rate != 0, transport.load == .empty || transport.load == .finished {
            let next = queue.index(after: queue.currentIndex, wraps: false)
            if let next { jump(to: next) }
        } else {
            reviseFollowing()
        }
        publish()
        return ids
    }

    /// Changes the location of an item's medium.
    ///
    /// An open medium stays open; the new location is used when it is reopened.
    package func relocate(_ id: PlayerItem.ID, to entry: MediaEntry) {
        queue.update(id) { $0.entry = entry }
        publish()
    }

    package func removeAllItems() {
        stop()
        queue.removeAll()
        publish()
    }

    /// Shuffles the items after the current one, or all when there is none.
    package func shuffle() {
        var generator = SystemRandomNumberGenerator()
        queue.shuffle(using: &generator)
        settings.playsAlbum = false
        pipeline.post(.configure(settings))
        reviseFollowing()
        publish()
    }

    // MARK: Transport

    /// Plays at the default rate: from the current position, or from the first item.
    ///
    /// - Parameter seconds: Length of the fade-in, when it resumes at once from where it paused.
    package func play(fadingOver seconds: Double = 0) { begin(.play(fade: seconds)) }

    private func begin(_ event: Transport.Event) {
        if transport.load == .empty || transport.load == .finished {
            jump(to: succession.next(in: queue))
        }
        apply(transport.handle(event))
        waitPatiently()
        catchUp()
    }

    /// Pauses at once, or fades to silence first.
    ///
    /// - Parameter seconds: Length of the fade. The status is paused at once; the clock runs on until the fade has ended,
    ///   and `play` resumes at that very sample.
    package func pause(fadingOver seconds: Double = 0) {
        catchUp()
        apply(transport.handle(.pause(fade: seconds)))
        waitPatiently()
    }

    /// Stops playback and resets the position; the queue stays.
    package func stop() {
        pause()
        unload()
        queue.select(nil)
        publish()
        tell(.currentItemChanged(nil))
    }

    /// Advances to the next item; after the last one the queue has ended.
    package func advanceToNextItem() {
        catchUp()
        advance()
    }

    func advance() {
        if let index = succession.next(in: queue) {
            jump(to: index)
        } else {
            endQueue()
        }
    }

    /// Returns to the previous item, or to the start of the first one.
    package func returnToPreviousItem() {
        catchUp()
        if let index = succession.previous(in: queue) { jump(to: index) }
    }

    /// Jumps to an item of the queue, and to a time in it.
    ///
    /// A paused player stays paused, a playing one plays on.
    package func jump(to index: Int, at time: MediaTime? = nil) { jump(to: index as Int?, at: time ?? .zero) }

    private func jump(to index: Int?, at time: MediaTime = .zero) {
        queue.select(index)
        loopCount = 0
        missedRevision = nil
        publish()
        guard let item = queue.current else { return }
        tell(.currentItemChanged(item))
        start(item, at: time, fades: transport.status == .playing)
    }

    /// Seeks to a time of the current item.
    ///
    /// Rate and pause do not change.
    ///
    /// - Returns: Whether the seek completed. False at once when a newer seek or jump replaces it, and when the time
    ///   lies outside the item or the medium cannot seek; then nothing has changed.
    @discardableResult
    package func seek(to time: MediaTime, tolerance: SeekTolerance = .exact) async -> Bool {
        precondition(time.seconds.isFinite, "seeks to a time")
        if case .within(let before, let after) = tolerance {
            precondition(before >= .zero && after >= .zero, "a tolerance is not negative")
        }
        catchUp()
        guard let item = queue.current, time >= .zero, transport.load != .empty else { return false }
        if let info = item.info, !info.isSeekable { return false }
        if let duration = item.duration, time > duration { return false }
        return await withCheckedContinuation { answer in
            start(item, at: time, tolerance, answer: answer)
        }
    }

    /// Seeks forward or backward from the heard time, at most to the item's ends.
    @discardableResult
    package func seek(by offset: MediaTime, tolerance: SeekTolerance = .exact) async -> Bool {
        catchUp()
        var time = max(.zero, currentTime() + offset)
        if let duration = queue.current?.duration { time = min(time, duration) }
        return await seek(to: time, tolerance: tolerance)
    }

    /// Plays at a rate of 0.25 to 4, or pauses at 0; the default rate, which `play` sets, stays as it is.
    package func setRate(_ rate: Double) throws(PlaybackRateError) {
        if rate == 0 { pause() } else { begin(.rateSet(try PlaybackRate(rate))) }
    }

    /// Sets the default rate, 0.25 to 4, and the present one while it plays.
    package func setSpeed(_ rate: Double) throws(PlaybackRateError) {
        apply(transport.handle(.speedSet(try PlaybackRate(rate))))
        waitPatiently()
    }

    package func setTimePitchAlgorithm(_ algorithm: TimePitchAlgorithm) {
        settings.keepsPitch = algorithm == .timeDomain
        if settings.rate != 1 { render() } else { pipeline.post(.configure(settings)) }
        publish()
    }

    package func setVolume(_ volume: Volume) {
        self.volume = volume
        output.setVolume(volume, isMuted: isMuted)
        publish()
    }

    /// Bounds the volume of outputs that others can change as well, such as a sound server's streams.
    ///
    /// - Parameter ceiling: `nil` for no bound.
    package func setVolumeCeiling(_ ceiling: Volume?) { output.setCeiling(ceiling) }

    package func setMuted(_ isMuted: Bool) {
        self.isMuted = isMuted
        output.setVolume(volume, isMuted: isMuted)
        publish()
    }

    /// Ducks the player for other sound, or ends the duck.
    ///
    /// Independent of the volume, which may be set meanwhile; the two are multiplied. Holds for all items, and may be
    /// set while paused.
    ///
    /// - Parameter seconds: Length of the ramp, which is linear in dB.
    package func setDuck(_ gain: Gain, over seconds: Double) { output.ramp(to: gain, over: seconds) }

    package func setLoopMode(_ mode: LoopMode) {
        succession.loopMode = mode
        reviseFollowing()
        publish()
    }

    package func setActionAtItemEnd(_ action: ActionAtItemEnd) {
        succession.actionAtItemEnd = action
        reviseFollowing()
        publish()
    }

    package func setReplayGain(_ replayGain: ReplayGainSettings) {
        settings.replayGain = replayGain
        render()
        publish()
    }

    /// Crossfades items with equal power; 0, the default, is off.
    ///
    /// The next item becomes the current one where the overlap begins; the one before then counts as played to its end.
    /// A jump to another item fades out the decoded frames of the one before under it. Items shorter than twice the
    /// overlap do not overlap, nor do those of unknown length, nor consecutive parts of one medium, such as the tracks
    /// of a CUE sheet.
    ///
    /// Applies from the next joint that is not decoded yet. An overlap lasts at most `Crossfade.longest`, and no longer
    /// than fits into `Crossfade.memory`.
    package func setCrossfade(seconds: Double) {
        precondition(seconds.isFinite && seconds >= 0, "a crossfade has a length")
        settings.crossfade.seconds = min(seconds, Crossfade.longest)
        pipeline.post(.configure(settings))
    }

    /// Overlaps items that have the tags `MIXRAMP_START` and `MIXRAMP_END`, where both reach the threshold; neither is
    /// faded.
    ///
    /// Other items crossfade, if that is on.
    ///
    /// - Parameters:
    ///   - threshold: In dB, on the scale of the tags; the items' ReplayGain is taken into account.
    ///   - delay: By how many seconds they overlap less; NaN, the default, turns MixRamp off.
    package func setMixRamp(threshold: Double, delay: Double) {
        settings.crossfade.mixRampThreshold = threshold
        settings.crossfade.mixRampDelay = delay.isNaN ? nil : delay
        pipeline.post(.configure(settings))
    }

    /// Plays another of the medium's audio streams, from the same position on.
    package func setAudioTrack(_ track: TrackSelection) {
        settings.track = track
        render()
    }

    /// Plays another of an item's audio streams, from the same position on; other items are played as before.
    ///
    /// - Parameter track: `nil` for the one that is played without a choice.
    package func selectAudioTrack(_ track: TrackSelection?, of item: PlayerItem.ID) {
        settings.choice = track.map { Pipeline.TrackChoice(item: item, track: $0) }
        if queue.current?.id == item { render() } else { pipeline.post(.configure(settings)) }
    }

    /// Stops, completes the output, and frees everything.
    ///
    /// Releasing a player without closing it does the same, without a way to wait for it.
    package func close() async {
        if closing == nil { beginClosing() }
        await closing?.value
    }

    private func beginClosing() {
        answerSeek(false)
        alarm?.cancel()
        patience?.cancel()
        inbox.finish()
        audience.finish()
        let output = output
        let pipeline = pipeline
        closing = Task { try? await WorkThread.run(named: "segue-close") { finish(pipeline, output) } }
    }

    // MARK: Events

    func tell(_ event: PlayerEvent) { audience.tell(event) }

    /// Publishes the state, if it has changed.
    func publish() {
        var status = PlayerStatus()
        status.timeControlStatus = transport.status
        status.currentItem = queue.current
        status.currentIndex = queue.currentIndex
        status.itemCount = queue.items.count
        status.rate = transport.rate
        status.defaultRate = transport.defaultRate
        status.automaticallyWaits = transport.automaticallyWaits
        status.timePitchAlgorithm = settings.keepsPitch ? .timeDomain : .varispeed
        status.volume = volume
        status.isMuted = isMuted
        status.loopMode = succession.loopMode
        status.loopCount = loopCount
        status.replayGain = settings.replayGain
        status.actionAtItemEnd = succession.actionAtItemEnd
        let changed = shared.withLock { shared in
            defer { shared.status = status }
            return shared.status != status
        }
        if changed { tell(.statusChanged(status)) }
        recordStretch()
    }

    func apply(_ effects: [Transport.Effect]) {
        pipeline.setWanted(transport.rate != 0)
        for effect in effects {
            switch effect {
            case .startOutput(let fade): output.start(fadingOver: fade)
            case .pauseOutput(let fade): output.pause(fadingOver: fade)
            case .render:
                settings.rate = transport.renderedRate
                render()
            case .tellStall: break
            }
        }
        publish()
        if effects.contains(.tellStall) { tellStall() }
        if !effects.isEmpty {
            let time = currentTime()
            audience.tick { $0.record(time) }
            schedule()
        }
    }

    // MARK: Time

    /// Sets the timer for the next moment at which there is something to notice.
    ///
    /// Without such a moment, there is no timer and no wake-up.
    func schedule() {
        alarm?.cancel()
        alarm = nil
        guard !isClosed, let moment = nextMoment() else { return }
        let delay = max(0, moment - .now)
        alarm = Task { [weak self] in
            guard (try? await Task.sleep(for: .seconds(saturating: delay), clock: .continuous)) != nil else { return }
            await self?.alarmRang()
        }
    }

    private func alarmRang() {
        alarm = nil
        catchUp()
        schedule()
    }

    /// Waits a limited time for a lost output while the player wants to play, and then pauses.
    func waitPatiently() {
        guard transport.isOutputLost, transport.rate != 0, let seconds = lossPatience else {
            patience?.cancel()
            patience = nil
            return
        }
        guard patience == nil else { return }
        patience = Task { [weak self] in
            guard (try? await Task.sleep(for: .seconds(saturating: seconds), clock: .continuous)) != nil else { return }
            await self?.giveUp()
        }
    }

    /// Pauses because the output did not come back in time.
    private func giveUp() {
        guard transport.isOutputLost, transport.rate != 0 else { return }
        pause()
        tell(.outputGivenUp)
    }
}

/// Ends a player's threads; blocks until they have ended and the output is complete.
private func finish(_ pipeline: Pipeline, _ output: MixerChannel) {
    pipeline.post(.close)
    pipeline.waitUntilClosed()
    output.close()
}
