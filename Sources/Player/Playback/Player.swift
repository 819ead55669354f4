package import AudioTypes
private import Mixing
package import Outputs
internal import Synchronization

/// What a player is made with.
package struct PlayerConfiguration: Sendable {
    package var audioTrack = AudioTrackSelection.automatic
    /// Whether the next item is decoded before the current one ends, so that it follows without a gap.
    package var isGapless = true
    package var replayGain = ReplayGainSettings()
    /// How long a lost sound server is waited for before the player pauses, in seconds.
    package var outputPatience: Double = 60
    /// How media of the network are read.
    package var stream = StreamOptions()

    package init() {}
}

/// Plays a queue of items through one output: AVQueuePlayer's model, with a queue that keeps what was played.
///
/// A call changes the state at once and returns; what it sets in motion on other threads reports back with events. No
/// call waits for media, except `seek`, which returns when its outcome is known.
package actor Player {
    let output: any AudioOutput
    let pipeline: Pipeline
    /// What may be read from anywhere without waiting for the actor.
    nonisolated let shared: Mutex<Shared>
    private let inbox: AsyncStream<Message>.Continuation

    var queue = PlayerQueue()
    var transport = Transport()
    var settings: Pipeline.Settings
    var loopMode = LoopMode.off
    var loopCount = 0
    var actionAtItemEnd = ActionAtItemEnd.advance
    var volume = Volume.full
    var isMuted = false
    /// How many seconds the output fades over when it is started or paused now.
    private var fade = 0.0
    /// What was played and what failed.
    var logs = PlayerLogs()
    let isGapless: Bool
    private let outputPatience: Double

    /// Counts the jumps; what belongs to an earlier one is ignored.
    var generation = 0
    var pendingSeek: PendingSeek?
    /// Where the last end of an item lies that was noticed; one may be appended where all frames have been heard already.
    var followedStart = FramePosition.zero
    /// The item that was no longer heard when it was revised what follows it.
    var missedRevision: PlayerItem.ID?
    private var listeners: [Int: AsyncStream<PlayerEvent>.Continuation] = [:]
    var observers: [Int: Observation] = [:]
    private var nextListener = 0
    /// How many events were told, so that a caller can tell which came before a call and which after.
    package private(set) var eventCount = 0
    private var alarm: Task<Void, Never>?
    private var patience: Task<Void, Never>?
    private var closing: Task<Void, Never>?
    var isClosed: Bool { closing != nil }

    /// A seek that waits for its first frames.
    struct PendingSeek {
        let generation: Int
        let answer: CheckedContinuation<Bool, Never>
    }

    /// Somebody who watches the time.
    struct Observation {
        var observer: TimeObserver
        let continuation: AsyncStream<MediaTime>.Continuation
    }

    struct Shared {
        var status = PlayerStatus()
        /// Where the player is going; the position until the first frames from there are written.
        var target: MediaTime?
    }

    /// What other threads tell the player.
    enum Message: Sendable {
        case pipeline(Pipeline.Event)
        case output(OutputEvent)
    }

    /// Takes an open output; the player closes it.
    package init(output: any AudioOutput, configuration: PlayerConfiguration = PlayerConfiguration()) {
        self.output = output
        isGapless = configuration.isGapless
        outputPatience = configuration.outputPatience
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
        let pipeline = Pipeline(output: output) { inbox.yield(.pipeline($0)) }
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
        // Whoever drops a player without closing it does not wait for the output to be completed.
        guard closing == nil else { return }
        dismiss(alarm, patience, inbox, listeners.values, observers.values.map(\.continuation))
        WorkThread.start(named: "segue-close") { [pipeline, output] in finish(pipeline, output) }
    }

    // MARK: Reading

    /// A snapshot; never waits.
    package nonisolated var status: PlayerStatus { shared.withLock { $0.status } }

    /// Reads something of the status without a copy of it all; `body` has to be quick.
    package nonisolated func read<Value: Sendable>(_ body: (PlayerStatus) -> Value) -> Value {
        shared.withLock { body($0.status) }
    }

    /// What is heard now, in the current item; never waits.
    package nonisolated func currentTime() -> MediaTime {
        if let target = shared.withLock({ $0.target }) { return target }
        let heard = output.clock.frame(at: .now)
        return pipeline.timeline.withLock { $0.time(at: heard) } ?? .zero
    }

    /// From what is heard to where the current item is decoded (AVPlayerItem's `loadedTimeRanges`); never waits.
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

    /// The queue in the order of play.
    package var items: [PlayerItem] { queue.items }

    /// All events from now on, in order; ends when the player is closed.
    package func events() -> AsyncStream<PlayerEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: PlayerEvent.self)
        let number = nextListener
        nextListener += 1
        if isClosed { continuation.finish() }
        listeners[number] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.removeListener(number) } }
        return stream
    }

    /// Ticks on the current item's own timeline, and at every jump, start and stop.
    ///
    /// Ticks that are not taken in time are replaced by newer ones.
    package func periodicTimes(every interval: MediaTime) -> AsyncStream<MediaTime> {
        precondition(interval > .zero, "an interval is longer than nothing")
        return observe(.periodic(interval))
    }

    /// Ticks when playing goes past one of the times; not when it is jumped over.
    package func boundaryTimes(at times: [MediaTime]) -> AsyncStream<MediaTime> {
        observe(.boundary(times.sorted()))
    }

    private func observe(_ kind: TimeObserver.Kind) -> AsyncStream<MediaTime> {
        let policy: AsyncStream<MediaTime>.Continuation.BufferingPolicy
        if case .periodic = kind { policy = .bufferingNewest(1) } else { policy = .unbounded }
        let (stream, continuation) = AsyncStream.makeStream(of: MediaTime.self, bufferingPolicy: policy)
        let number = nextListener
        nextListener += 1
        if isClosed { continuation.finish() }
        follow()
        observers[number] = Observation(observer: TimeObserver(kind, at: currentTime()), continuation: continuation)
        continuation.onTermination = { [weak self] _ in Task { await self?.removeObserver(number) } }
        schedule()
        return stream
    }

    private func removeListener(_ number: Int) { listeners[number] = nil }

    private func removeObserver(_ number: Int) {
        observers[number] = nil
        schedule()
    }

    // MARK: The queue

    /// Adds entries at the end.
    ///
    /// A player that wants to play and had nothing left goes on with them.
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

    /// Makes an entry the queue's only item and goes to a time of it (AVPlayer's `replaceCurrentItem(with:)`).
    ///
    /// Whether the player plays or is paused does not change.
    ///
    /// - Parameter entry: `nil` stops and empties the queue.
    /// - Returns: The new item.
    @discardableResult
    package func replaceCurrentItem(with entry: MediaEntry?, at time: MediaTime = .zero) -> PlayerItem.ID? {
        follow()
        guard let entry else {
            removeAllItems()
            return nil
        }
        queue.removeAll()
        let ids = queue.append([entry])
        jump(to: 0, at: time)
        return ids.first
    }

    /// Says what is played behind the current item, without a gap, also when something else was decoded or sent already.
    ///
    /// The items before the current one are forgotten, so whoever keeps a queue of their own and always says only the
    /// next few items of it can play for years. An item whose entry is at its place already stays and is not decoded
    /// again, also one that has failed. A player that wants to play and had nothing left goes on with the first.
    ///
    /// - Returns: The items behind the current one.
    @discardableResult
    package func replaceFollowingItems(with entries: [MediaEntry]) -> [PlayerItem.ID] {
        follow()
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

    /// Says that an item's medium is somewhere else now.
    ///
    /// What has it open goes on with that; when it is opened again, it is there.
    package func relocate(_ id: PlayerItem.ID, to entry: MediaEntry) {
        queue.update(id) { $0.entry = entry }
        publish()
    }

    package func removeAllItems() {
        stop()
        queue.removeAll()
        publish()
    }

    /// Brings the items behind the current one, or all when there is none, into a random order.
    package func shuffle() {
        var generator = SystemRandomNumberGenerator()
        queue.shuffle(using: &generator)
        settings.playsAlbum = false
        pipeline.post(.configure(settings))
        reviseFollowing()
        publish()
    }

    // MARK: Transport

    /// Plays at the default rate: on from where the player is, or from the first item.
    ///
    /// - Parameter fadingOver: How many seconds it fades in over, where it goes on at once from where it paused; an output
    ///   that cannot fade starts at once.
    package func play(fadingOver seconds: Double = 0) {
        fade = seconds
        defer { fade = 0 }
        if transport.load == .empty || transport.load == .finished {
            jump(to: queue.index(after: queue.currentIndex, wraps: loopMode == .queue))
        }
        apply(transport.handle(.play))
        waitPatiently()
        follow()
    }

    /// Pauses at once, or fades to silence first.
    ///
    /// - Parameter fadingOver: How many seconds the fade takes. The status is paused at once; the clock runs on until the
    ///   fade has ended, and `play` goes on at that very sample. An output that cannot fade pauses at once.
    package func pause(fadingOver seconds: Double = 0) {
        follow()
        fade = seconds
        defer { fade = 0 }
        apply(transport.handle(.pause))
        waitPatiently()
    }

    package func togglePlayPause() { if transport.rate == 0 { play() } else { pause() } }

    /// Ends playing and forgets the position; the queue stays.
    package func stop() {
        pause()
        unload()
        queue.select(nil)
        publish()
        tell(.currentItemChanged(nil))
    }

    /// Goes on to the next item; behind the last one the queue has ended.
    package func advanceToNextItem() {
        follow()
        advance()
    }

    func advance() {
        if let index = queue.index(after: queue.currentIndex, wraps: loopMode == .queue) {
            jump(to: index)
        } else {
            endQueue()
        }
    }

    /// Goes back to the item before, or to the start of the first one.
    package func returnToPreviousItem() {
        follow()
        let index = queue.currentIndex ?? queue.items.count
        if let index = queue.index(before: index, wraps: loopMode == .queue) ?? queue.currentIndex { jump(to: index) }
    }

    /// Goes to an item of the queue, and to a time in it.
    ///
    /// Whether the player plays or is paused does not change.
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

    /// Goes to a time of the current item.
    ///
    /// Rate and pause do not change.
    ///
    /// - Returns: Whether playing goes on from there. False at once when a newer seek or jump takes its place, and when
    ///   the time lies outside the item or the medium cannot be sought in; then nothing has changed.
    @discardableResult
    package func seek(to time: MediaTime, tolerance: SeekTolerance = .exact) async -> Bool {
        precondition(time.seconds.isFinite, "seeks to a time")
        if case .within(let before, let after) = tolerance {
            precondition(before >= .zero && after >= .zero, "a tolerance is not negative")
        }
        follow()
        guard let item = queue.current, time >= .zero, transport.load != .empty else { return false }
        if let info = item.info, !info.isSeekable { return false }
        if let duration = item.duration, time > duration { return false }
        return await withCheckedContinuation { answer in
            start(item, at: time, tolerance, answer: answer)
        }
    }

    /// Goes forth or back from what is heard, at most to the item's ends.
    @discardableResult
    package func seek(by offset: MediaTime, tolerance: SeekTolerance = .exact) async -> Bool {
        follow()
        var time = max(.zero, currentTime() + offset)
        if let duration = queue.current?.duration { time = min(time, duration) }
        return await seek(to: time, tolerance: tolerance)
    }

    /// Sets the rate, 0.25 to 4 (others are limited to that), and what `play` goes back to; 0 pauses.
    package func setRate(_ rate: Double) {
        settings.rate =
            rate == 0 ? settings.rate : min(max(rate, Transport.rates.lowerBound), Transport.rates.upperBound)
        apply(transport.handle(.rateSet(rate)))
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

    package func setMuted(_ isMuted: Bool) {
        self.isMuted = isMuted
        output.setVolume(volume, isMuted: isMuted)
        publish()
    }

    /// Makes what is heard quieter for the sake of something else, or as loud again as it was.
    ///
    /// Has nothing to do with the volume, which stays as it is and may be set meanwhile; the two are multiplied. Holds
    /// whatever is played, and may be set while paused. Needs an output that can: a mixer's channel.
    ///
    /// - Parameter seconds: How long it takes to get there, evenly in dB.
    package func setDuck(_ gain: Gain, over seconds: Double) { output.ramp(to: gain, over: seconds) }

    package func setLoopMode(_ mode: LoopMode) {
        loopMode = mode
        reviseFollowing()
        publish()
    }

    package func setActionAtItemEnd(_ action: ActionAtItemEnd) {
        actionAtItemEnd = action
        reviseFollowing()
        publish()
    }

    package func setReplayGain(_ replayGain: ReplayGainSettings) {
        settings.replayGain = replayGain
        render()
        publish()
    }

    /// Lets the end of an item and the beginning of the next one overlap, one fading out while the other fades in with
    /// equal power; 0 is off, as it is at first.
    ///
    /// The next item is the current one from where the overlap begins, and is told to be; the one before then counts as
    /// played to its end. So it is also when another item is jumped to: what was decoded of the one before fades under it.
    /// Items shorter than twice the overlap do not overlap, nor do those of unknown length, nor parts of one medium that
    /// continue each other, such as the tracks of a CUE sheet.
    ///
    /// Holds for what is not decoded yet, from the next joint on.
    package func setCrossfade(seconds: Double) {
        precondition(seconds.isFinite && seconds >= 0, "a crossfade has a length")
        settings.crossfade.seconds = seconds
        pipeline.post(.configure(settings))
    }

    /// Lets items overlap that tell how loud they begin and end (tags `MIXRAMP_START` and `MIXRAMP_END`), so that they
    /// meet where both are that loud; neither is faded.
    ///
    /// Other items crossfade, if that is on.
    ///
    /// - Parameters:
    ///   - threshold: In dB, on the scale of the tags; the items' ReplayGain is taken into account.
    ///   - delay: By how many seconds they overlap less; not a number is without MixRamp, as it is at first.
    package func setMixRamp(threshold: Double, delay: Double) {
        settings.crossfade.mixRampThreshold = threshold
        settings.crossfade.mixRampDelay = delay.isNaN ? nil : delay
        pipeline.post(.configure(settings))
    }

    /// Plays another of the medium's audio streams, from the same place on.
    package func setAudioTrack(_ track: AudioTrackSelection) {
        settings.track = track
        render()
    }

    /// Stops, completes what the output writes, and frees everything.
    ///
    /// A player that is let go of without being closed does the same, and nobody can wait for it.
    package func close() async {
        if closing == nil { beginClosing() }
        await closing?.value
    }

    private func beginClosing() {
        answerSeek(false)
        dismiss(alarm, patience, inbox, listeners.values, observers.values.map(\.continuation))
        listeners = [:]
        observers = [:]
        let output = output
        let pipeline = pipeline
        closing = Task { try? await WorkThread.run(named: "segue-close") { finish(pipeline, output) } }
    }

    // MARK: Telling

    func tell(_ event: PlayerEvent) {
        eventCount += 1
        for listener in listeners.values { listener.yield(event) }
    }

    /// Makes the state known, if it has changed.
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
        status.loopMode = loopMode
        status.loopCount = loopCount
        status.replayGain = settings.replayGain
        status.actionAtItemEnd = actionAtItemEnd
        let changed = shared.withLock { shared in
            defer { shared.status = status }
            return shared.status != status
        }
        if changed { tell(.statusChanged(status)) }
        noteStretch()
    }

    func apply(_ effects: [Transport.Effect]) {
        pipeline.setWanted(transport.rate != 0)
        for effect in effects {
            switch effect {
            case .startOutput: fade > 0 ? output.start(fadingOver: fade) : output.start()
            case .pauseOutput: fade > 0 ? output.pause(fadingOver: fade) : output.pause()
            case .render: render()
            case .tellStall: break
            }
        }
        publish()
        if effects.contains(.tellStall) { tellStall() }
        if !effects.isEmpty {
            let time = currentTime()
            tick { $0.note(time) }
            schedule()
        }
    }

    // MARK: Time

    /// Sets the alarm for the next moment at which something is to be noticed.
    ///
    /// Without one, nothing wakes up.
    func schedule() {
        alarm?.cancel()
        alarm = nil
        guard !isClosed, let moment = nextMoment() else { return }
        let delay = max(0, moment - .now)
        alarm = Task { [weak self] in
            guard (try? await Task.sleep(for: .seconds(delay), clock: .continuous)) != nil else { return }
            await self?.alarmRang()
        }
    }

    private func alarmRang() {
        alarm = nil
        follow()
        schedule()
    }

    /// While the player wants to play and the sound server is gone, waits for it so long, and then pauses.
    func waitPatiently() {
        guard transport.isOutputLost, transport.rate != 0 else {
            patience?.cancel()
            patience = nil
            return
        }
        guard patience == nil else { return }
        let seconds = outputPatience
        patience = Task { [weak self] in
            guard (try? await Task.sleep(for: .seconds(seconds), clock: .continuous)) != nil else { return }
            await self?.pause()
        }
    }
}

/// Lets go of everybody who waits for a player.
private func dismiss(
    _ alarm: Task<Void, Never>?,
    _ patience: Task<Void, Never>?,
    _ inbox: AsyncStream<Player.Message>.Continuation,
    _ listeners: some Sequence<AsyncStream<PlayerEvent>.Continuation>,
    _ observers: some Sequence<AsyncStream<MediaTime>.Continuation>
) {
    alarm?.cancel()
    patience?.cancel()
    inbox.finish()
    for listener in listeners { listener.finish() }
    for observer in observers { observer.finish() }
}

/// Ends a player's threads; blocks until they have, and the output is complete.
private func finish(_ pipeline: Pipeline, _ output: any AudioOutput) {
    pipeline.post(.close)
    pipeline.waitUntilClosed()
    output.close()
}
