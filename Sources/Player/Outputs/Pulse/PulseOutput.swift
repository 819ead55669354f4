package import AudioTypes
internal import CPulse
private import Glibc
package import Mixing
internal import Synchronization

/// Plays through a PulseAudio server, or PipeWire's, with a deep buffer: about one wake-up a second, yet every change
/// is heard at once, because the server's buffer can be flushed or overwritten.
///
/// When the server goes away, the output keeps its position, reconnects with back-off while it is to play, or when the
/// server's monitor tells that it is back, and resumes at the last frame heard.
///
/// Sound as `@unchecked Sendable`: everything under "Guarded by the loop's lock" is accessed only with that lock held,
/// by callers or on libpulse's thread, which holds it in callbacks.
@safe
package final class PulseOutput: AudioOutput, VolumeControl, @unchecked Sendable {
    package struct Options: Sendable {
        /// `nil`: `PULSE_SERVER`, or libpulse's default.
        package var server: String?
        /// `nil`: the server's default, also when that changes.
        package var sink: String?
        /// The behaviour when the sink is gone; `nil`: wait for a sink that was named, and pause otherwise.
        package var whenLost: LossPolicy?
        /// Whether the user may move the stream in the desktop's mixer, at the price of up to 10 ms of sound at the
        /// fallback when its sink is unloaded.
        package var isMovable = false
        /// The format of the output while the named sink does not exist; `nil`: a missing sink is an error.
        package var formatWithoutSink: AudioFormat?
        /// Whether the sink is asked for the format of each medium.
        package var formatPolicy = FormatPolicy.sink
        package var volume = Volume.full
        package var isMuted = false
        /// The name that mixers show.
        package var name = "Segue"

        package init() {}
    }

    package let depth = PulseOutput.bufferLength
    package let lead = PulseOutput.leadLength

    let loop: PulseLoop
    let options: Options
    /// Read from any thread, without the loop's lock.
    let streamClock: Mutex<StreamClock>
    /// Whether the server asked for frames that there were not; exchanged by the thread that writes them.
    let isStarving = Atomic<Bool>(false)
    private let isPipeWire = Atomic<Bool>(false)
    /// Changed with the loop's lock held.
    let formats: Mutex<Formats>

    // Guarded by the loop's lock:
    var context: OpaquePointer?
    var stream: OpaquePointer?
    var ring: (any FrameReading)?
    private var events: (@Sendable (OutputEvent) -> Void)?
    private var volume: StreamVolume
    var cursor: SendCursor
    var renderGuard = RenderGuard()
    /// Frames from here on are replaced once the sink has taken those it is about to take.
    var deferredRewrite: FramePosition?
    var deferTimer: OpaquePointer?
    /// The request to lower the sink's latency.
    var shortHoldOperation: OpaquePointer?
    /// The question for the sink's format; nothing is fed before the answer.
    var formatQuestion: OpaquePointer?
    /// Rings when the stream is to be fed although the sink has refused its format.
    var refusalTimer: OpaquePointer?
    /// Whether it was started, as last told; whether it is heard is the server's answer, in the clock.
    var isStarted = false
    var isLost = false
    /// Whether the server asks for silence, and keeps the stream muted.
    var isSilenceRequested = false
    /// The most that the stream's volume may be in the server; `nil` for any.
    var ceiling: Volume?
    /// Whether the server tells of changes of streams.
    var isWatchingStream = false
    var streamQuestion: StreamQuestion?
    /// When the volume was last brought back.
    var lastHold: HostTime?
    /// Until it may be brought back again.
    var holdTimer: OpaquePointer?
    private(set) var isClosed = false
    var selector: RouteSelector
    var monitor: PulseMonitor.Observation?
    /// Until it is known why the stream was ended, or why the default sink has changed.
    var routeTimer: OpaquePointer?
    /// Until the server is connected to again.
    private var backoff = Backoff(from: 0.05, to: 0.4)
    private var retryTimer: OpaquePointer?

    private struct StreamVolume {
        var volume: Volume
        var isMuted: Bool
        /// Whether it was set while the stream was being created with an older one.
        var isUnsent = false
    }

    /// The server's buffer length in seconds, and how much of it is free before it asks for more.
    ///
    /// The buffer less twice that amount is what the sink itself may hold (`fix_playback_buffer_attr` in PulseAudio's
    /// protocol-native.c); with nothing left for the sink, the server wakes up all the time.
    package static let bufferLength = 4.0
    static let requestLength = 1.0
    static let sinkLength = bufferLength - 2 * requestLength
    /// Seconds that must be buffered before the server starts to play: more than its sink takes at once.
    ///
    /// A sink that runs dry in the middle of its own buffer loses frames rendered but not played, because PulseAudio
    /// does not rewind a stream in an underrun (`sink_input_process_rewind_cb` in protocol-native.c).
    package static let leadLength = sinkLength + 0.25

    /// Connects to the server and queries its sink's format.
    ///
    /// Blocks until the server answers, a few milliseconds.
    package static func open(_ options: Options = Options()) throws(PulseError) -> PulseOutput {
        let loop = try PulseLoop()
        let connection = try PulseConnection(loop: loop, server: options.server)
        let output = PulseOutput(loop: loop, options: options, format: try format(of: options, connection))
        if options.formatPolicy == .automatic { output.record(serverName: connection.serverName()) }
        let monitor = try PulseMonitor.observe(options.server) { [weak output] map in output?.sinksChanged(map) }
        loop.locked {
            output.monitor = monitor
            unsafe output.adopt(connection.release())
        }
        return output
    }

    private static func format(
        of options: Options,
        _ connection: PulseConnection
    ) throws(PulseError) -> AudioFormat {
        do {
            return try connection.sink(named: options.sink).format
        } catch PulseError.noSink {
            guard let format = options.formatWithoutSink else { throw PulseError.noSink(name: options.sink) }
            return format
        }
    }

    private init(loop: PulseLoop, options: Options, format: AudioFormat) {
        self.loop = loop
        self.options = options
        formats = Mutex(Formats(own: format, sink: format))
        volume = StreamVolume(volume: options.volume, isMuted: options.isMuted)
        cursor = SendCursor(bytesPerFrame: format.bytesPerFrame)
        streamClock = Mutex(StreamClock())
        selector = RouteSelector(device: options.sink, policy: options.whenLost)
    }

    package func attach(
        _ ring: any FrameReading,
        at position: FramePosition,
        events: @escaping @Sendable (OutputEvent) -> Void
    ) {
        loop.locked {
            precondition(ring.format == format, "plays frames of its own format")
            if self.ring != nil { flush() }
            self.ring = ring
            self.events = events
            cursor.attach(at: position)
            setClock(frame: Double(position.index), isMoving: false)
            feed()
            tellRoute()
        }
    }

    // MARK: Transport

    package func start() {
        loop.locked {
            guard !isStarted, !isClosed else { return }
            isStarted = true
            if let stream = unsafe stream, unsafe pa_stream_get_state(stream) == PA_STREAM_READY {
                // After a jump the first frames start the stream. The server reports when it has started.
                if !cursor.isFlushed { cork(false) }
                setClock(frame: heardFrame, isMoving: false)
            } else if unsafe context == nil {
                reconnect()
            } else {
                carryOut(selector.started())
            }
            tell(.clockChanged)
        }
    }

    package func pause() {
        loop.locked {
            guard isStarted else { return }
            isStarted = false
            cancelRetry()
            setClock(frame: heardFrame, isMoving: false)
            cork(true)
            tell(.clockChanged)
            if unsafe context != nil { carryOut(selector.paused()) }
        }
    }

    @discardableResult
    package func discard(to position: FramePosition) -> Double {
        loop.locked {
            let heard = heardFrame
            cursor.jump(to: position)
            flush()
            setClock(frame: Double(position.index), isMoving: false)
            tell(.clockChanged)
            return heard
        }
    }

    package func framesAvailable() {
        guard isStarving.exchange(false, ordering: .sequentiallyConsistent) else { return }
        loop.locked { feed() }
    }

    package var clock: OutputClock {
        let now = HostTime.now
        return streamClock.withLock { $0.reading(at: now) }
    }

    package func setVolume(_ volume: Volume, isMuted: Bool) {
        loop.locked {
            let changesVolume = volume != self.volume.volume
            let changesMute = isMuted != self.volume.isMuted
            self.volume.volume = volume
            self.volume.isMuted = isMuted
            sendVolume(changesVolume, mute: changesMute)
        }
    }

    /// The output's volume, at most the ceiling.
    var permittedVolume: Volume { ceiling.map { min($0, volume.volume) } ?? volume.volume }

    private func sendVolume(_ sendsVolume: Bool, mute sendsMute: Bool) {
        guard let stream = unsafe stream, let context = unsafe context,
            unsafe pa_stream_get_state(stream) == PA_STREAM_READY
        else {
            volume.isUnsent = true
            return
        }
        let index = unsafe pa_stream_get_index(stream)
        if sendsVolume {
            // An answer on its way may tell of the volume before.
            streamQuestion?.isOutdated = true
            var value = PulseFormat.volume(permittedVolume, channels: format.channels.count)
            unsafe release(pa_context_set_sink_input_volume(context, index, &value, nil, nil))
        }
        // A mute that the server has set is the server's to end.
        if sendsMute, !isSilenceRequested {
            unsafe release(pa_context_set_sink_input_mute(context, index, volume.isMuted ? 1 : 0, nil, nil))
        }
    }

    /// Sets the volume again that others have changed in the server.
    func resendVolume() { sendVolume(true, mute: false) }

    /// Mutes the stream again that the server has unmuted after a request for silence.
    func resendMute() {
        if volume.isMuted { sendVolume(false, mute: true) }
    }

    package func close() {
        loop.locked {
            isClosed = true
            isStarted = false
            cancelRetry()
            cancelRouteTimer()
            cancelDeferredRewrite()
            cancelHoldTimer()
            monitor = nil
            dropStream(disconnects: true)
            dropContext(disconnects: true)
            events = nil
        }
    }

    // MARK: The server

    /// Takes over a connected context and opens the stream on it.
    private func adopt(_ context: OpaquePointer?) {
        unsafe self.context = context
        guard let context = unsafe context else { return }
        unsafe pa_context_set_state_callback(context, contextStateChanged, Unmanaged.passUnretained(self).toOpaque())
        openStream()
    }

    func contextChanged() {
        guard let context = unsafe context else { return }
        switch unsafe pa_context_get_state(context) {
        case PA_CONTEXT_READY:
            monitor?.connectNow()
            openStream()
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
            lose(PulseError.noServer(address: options.server, code: unsafe pa_context_errno(context)))
        default: break
        }
    }

    func openStream() {
        guard let context = unsafe context, !isClosed else { return }
        selector.isOpening()
        volume.isUnsent = false
        var spec = PulseFormat.spec(format)
        var map = PulseFormat.map(format.channels)
        let properties = unsafe pa_proplist_new()
        defer { unsafe pa_proplist_free(properties) }
        unsafe pa_proplist_sets(properties, "media.role", "music")
        unsafe pa_proplist_sets(properties, "media.name", options.name)
        // A key of our own: module-stream-restore would otherwise apply the volume of every music player.
        unsafe pa_proplist_sets(properties, "module-stream-restore.id", "segue")
        guard let stream = unsafe pa_stream_new_with_proplist(context, options.name, &spec, &map, properties) else {
            return lose(PulseError.refused(code: unsafe pa_context_errno(context)))
        }
        unsafe self.stream = stream
        unsafe release(pa_context_get_server_info(context, serverTold, Unmanaged.passUnretained(self).toOpaque()))
        cursor.openStream()
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe pa_stream_set_state_callback(stream, streamStateChanged, me)
        unsafe pa_stream_set_write_callback(stream, streamWantsData, me)
        unsafe pa_stream_set_moved_callback(stream, streamMoved, me)
        unsafe pa_stream_set_event_callback(stream, streamWasAsked, me)
        unsafe pa_stream_set_suspended_callback(stream, streamWasTimed, me)
        unsafe pa_stream_set_started_callback(stream, streamWasTimed, me)
        var attributes = bufferAttributes(hold: Self.sinkLength)
        var flags = PA_STREAM_START_CORKED.rawValue | PA_STREAM_RELATIVE_VOLUME.rawValue
        if !options.isMovable { flags |= PA_STREAM_DONT_MOVE.rawValue }
        flags |= volume.isMuted ? PA_STREAM_START_MUTED.rawValue : PA_STREAM_START_UNMUTED.rawValue
        var volume = PulseFormat.volume(permittedVolume, channels: format.channels.count)
        let code = unsafe pa_stream_connect_playback(
            stream,
            selector.target,
            &attributes,
            pa_stream_flags_t(rawValue: flags),
            &volume,
            nil
        )
        if code < 0 { lose(PulseError.refused(code: unsafe pa_context_errno(context))) }
    }

    func streamChanged() {
        guard let stream = unsafe stream else { return }
        switch unsafe pa_stream_get_state(stream) {
        case PA_STREAM_READY:
            backoff.reset()
            guard isAtWantedSink else { return carryOut(selector.targetIsMissing()) }
            let wasLost = isLost
            isLost = false
            let change = streamOpened()
            if volume.isUnsent { sendVolume(true, mute: true) }
            askForFormat(ofAnother: change != nil)
            watchStream()
            if ceiling != nil { askForStream() }
            feed()
            if let change { tell(.routeChanged(change)) }
            updateSinkFormat()
            // Changes while the stream was being made were not looked at.
            carryOut(.lookAgain)
            if wasLost { tell(.restored) }
            tell(.clockChanged)
        case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
            // A context that fails reports it itself, right after its streams.
            guard let context = unsafe context, unsafe pa_context_get_state(context) == PA_CONTEXT_READY else { return }
            streamFailed(unsafe pa_context_errno(context))
        default: break
        }
    }

    /// Handles the loss of the server or the stream: keeps the heard position and reconnects.
    func lose(_ error: PulseError) {
        freeze(disconnects: false)
        cancelRouteTimer()
        selector.serverLost()
        dropContext(disconnects: false)
        if !isLost {
            isLost = true
            tell(.lost("\(error)"))
        }
        scheduleRetry()
    }

    /// Ends the stream, and keeps the heard position for the next one.
    func freeze(disconnects: Bool) {
        let isAhead = isOnPipeWire && streamClock.withLock { $0.isMoving }
        let haste = isAhead ? Self.pipeWireReturn * Double(format.sampleRate) : 0
        let heard = max(FramePosition(Int(sample: heardFrame - haste)), ring?.kept ?? .zero)
        setClock(frame: Double(heard.index), isMoving: false)
        cursor.jump(to: heard)
        cancelDeferredRewrite()
        renderGuard.renderTime = nil
        dropStream(disconnects: disconnects)
    }

    private func reconnect() {
        cancelRetry()
        if isStarted { connect() }
    }

    /// Connects to the server again after it was lost.
    func connect() {
        cancelRetry()
        guard !isClosed, unsafe context == nil else { return }
        guard let api = unsafe loop.api, let context = unsafe PulseConnection.makeContext(api) else { return }
        unsafe self.context = context
        unsafe pa_context_set_state_callback(context, contextStateChanged, Unmanaged.passUnretained(self).toOpaque())
        // A connection refused at once calls the callback first, which drops the context.
        unsafe pa_context_ref(context)
        defer { unsafe pa_context_unref(context) }
        if unsafe pa_context_connect(context, options.server, PA_CONTEXT_NOAUTOSPAWN, nil) < 0,
            unsafe self.context == context
        {
            lose(PulseError.noServer(address: options.server, code: unsafe pa_context_errno(context)))
        }
    }

    private func scheduleRetry() {
        guard isStarted, !isClosed, unsafe retryTimer == nil else { return }
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe retryTimer = makeTimer(in: backoff.next(), retryTimeReached, me)
    }

    func makeTimer(
        in delay: Double,
        _ callback: @escaping pa_time_event_cb_t,
        _ me: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        guard let api = unsafe loop.api else { return nil }
        var time = timeval()
        unsafe pa_gettimeofday(&time)
        unsafe pa_timeval_add(&time, UInt64(saturating: delay * 1_000_000))
        return unsafe api.pointee.time_new(api, &time, callback, me)
    }

    private func cancelRetry() {
        guard let timer = unsafe retryTimer, let api = unsafe loop.api else { return }
        unsafe api.pointee.time_free(timer)
        unsafe retryTimer = nil
    }

    func retry() {
        cancelRetry()
        reconnect()
    }

    func recordServer(_ info: pa_server_info) {
        record(serverName: unsafe info.server_name.map { unsafe String(cString: $0) })
    }

    private func record(serverName: String?) {
        isPipeWire.store(serverName?.contains("PipeWire") ?? false, ordering: .relaxed)
    }

    private func dropStream(disconnects: Bool) {
        guard let stream = unsafe stream else { return }
        unsafe pa_stream_set_state_callback(stream, nil, nil)
        unsafe pa_stream_set_write_callback(stream, nil, nil)
        unsafe pa_stream_set_moved_callback(stream, nil, nil)
        unsafe pa_stream_set_event_callback(stream, nil, nil)
        unsafe pa_stream_set_suspended_callback(stream, nil, nil)
        unsafe pa_stream_set_started_callback(stream, nil, nil)
        if let operation = unsafe shortHoldOperation {
            unsafe pa_operation_cancel(operation)
            unsafe pa_operation_unref(operation)
        }
        unsafe shortHoldOperation = nil
        cancelFormatQuestion()
        renderGuard.isOff = false
        if disconnects { unsafe pa_stream_disconnect(stream) }
        unsafe pa_stream_unref(stream)
        unsafe self.stream = nil
        streamQuestion = nil
        silenceRequestEnded()
    }

    private func dropContext(disconnects: Bool) {
        guard let context = unsafe context else { return }
        unsafe pa_context_set_state_callback(context, nil, nil)
        unsafe pa_context_set_subscribe_callback(context, nil, nil)
        isWatchingStream = false
        if disconnects { unsafe pa_context_disconnect(context) }
        unsafe pa_context_unref(context)
        unsafe self.context = nil
    }

    // MARK: Frames

    /// Sends as much as the server has room for.
    ///
    /// Called with the lock held: when the server asks, and when frames arrive that it was waiting for.
    ///
    /// - Parameter isTimely: Whether replacement frames have waited for the right time.
    func feed(isTimely: Bool = false) {
        guard let stream = unsafe stream, let ring, unsafe pa_stream_get_state(stream) == PA_STREAM_READY,
            !isFormatInQuestion
        else {
            isStarving.store(true, ordering: .sequentiallyConsistent)
            return
        }
        let size = format.bytesPerFrame
        let writable = unsafe pa_stream_writable_size(stream)
        var room = writable == .max ? 0 : writable
        let replaces = cursor.replaces
        if replaces, !isTimely, let delay = renderDelay { return feedLater(delay) }
        let isFirst = cursor.isFlushed || replaces
        if isFirst { room = max(room, format.frames(in: Self.leadLength) * size) }
        let before = cursor.position
        while room >= size {
            let available = ring.written - cursor.position
            guard available > 0 else {
                isStarving.store(true, ordering: .sequentiallyConsistent)
                // The decoder may have written since, without seeing that the stream starves.
                if ring.written > cursor.position { continue }
                break
            }
            var data: UnsafeMutableRawPointer?
            var bytes = min(room, available * size)
            guard unsafe pa_stream_begin_write(stream, &data, &bytes) >= 0, let data = unsafe data else { break }
            let frames = unsafe ring.read(at: cursor.position, into: data, count: bytes / size)
            guard frames > 0 else {
                // They have been taken back since.
                unsafe pa_stream_cancel_write(stream)
                continue
            }
            let mode = cursor.replaces ? PA_SEEK_ABSOLUTE : PA_SEEK_RELATIVE
            unsafe pa_stream_write(stream, data, frames * size, nil, cursor.rewriteIndex ?? 0, mode)
            cursor.sent(frames)
            room -= frames * size
        }
        guard cursor.position > before else { return }
        let hasStood = streamClock.withLock { $0.extend(to: cursor.position, at: .now) }
        if cursor.isFlushed {
            cursor.fill()
            setClock(frame: Double(cursor.firstAudible.index), isMoving: false)
            if isStarted { cork(false) }
        }
        updateTiming()
        // Readers of a clock that stood where frames ended must learn that it continues.
        if isFirst || hasStood { tell(.clockChanged) }
        if replaces { shortenHold() }
    }

    /// - Parameter hold: Seconds that the sink may take at once.
    func bufferAttributes(hold: Double) -> pa_buffer_attr {
        let size = format.bytesPerFrame
        return pa_buffer_attr(
            maxlength: .max,
            tlength: UInt32(format.frames(in: Self.bufferLength) * size),
            // A stream that ran dry pauses instead of playing silence, so nothing is skipped.
            prebuf: UInt32(format.frames(in: Self.leadLength) * size),
            minreq: UInt32(format.frames(in: (Self.bufferLength - hold) / 2) * size),
            fragsize: .max
        )
    }

    /// Silences the stream at once and clears the server's buffer.
    ///
    /// Flushing alone would let the sink play on with the frames it has taken, up to seconds; corking first makes it
    /// return them (`pa_sink_input_set_state_within_thread` in PulseAudio's sink-input.c). The next frames uncork.
    func flush() {
        cancelDeferredRewrite()
        renderGuard.renderTime = nil
        cork(true)
        cursor.flush()
        isStarving.store(true, ordering: .sequentiallyConsistent)
        guard let stream = unsafe stream, unsafe pa_stream_get_state(stream) == PA_STREAM_READY else { return }
        unsafe release(pa_stream_flush(stream, nil, nil))
    }

    func cork(_ isCorked: Bool) {
        guard let stream = unsafe stream, unsafe pa_stream_get_state(stream) == PA_STREAM_READY else { return }
        unsafe release(pa_stream_cork(stream, isCorked ? 1 : 0, nil, nil))
        updateTiming()
    }

    // MARK: Time

    /// Asks the server for the heard position.
    ///
    /// On demand only: libpulse's automatic updates wake the process all the time.
    func updateTiming() {
        guard let stream = unsafe stream, unsafe pa_stream_get_state(stream) == PA_STREAM_READY else { return }
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe release(pa_stream_update_timing_info(stream, streamTimingUpdated, me))
    }

    func timingUpdated() {
        guard let stream = unsafe stream, let info = unsafe pa_stream_get_timing_info(stream) else { return }
        let timing = unsafe info.pointee
        if timing.write_index_corrupt == 0 { cursor.place(writeIndex: timing.write_index) }
        guard timing.read_index_corrupt == 0, var frame = cursor.frame(at: timing.read_index) else { return }
        // A corked stream was rewound to the heard frame; what the sink still holds is not ours.
        let isCorked = unsafe pa_stream_is_corked(stream) > 0
        let delay = isCorked ? 0 : Double(timing.sink_usec) / 1_000_000 * Double(format.sampleRate)
        frame -= delay
        var wall = timeval()
        unsafe pa_gettimeofday(&wall)
        var stamp = timing.timestamp
        let age = unsafe min(Double(pa_timeval_diff(&wall, &stamp)) / 1_000_000, 1)
        let isMoving = isStarted && timing.playing != 0
        renderGuard.renderTime = isMoving ? HostTime.now + (Double(timing.sink_usec) / 1_000_000 - age) : nil
        if isMoving { frame += age * Double(format.sampleRate) }
        let expected = heardFrame
        let wasMoving = streamClock.withLock { $0.isMoving }
        setClock(frame: frame, isMoving: isMoving)
        // A clock that runs as predicted needs no event, which would wake threads.
        guard isMoving != wasMoving || abs(heardFrame - expected) > Self.drift * Double(format.sampleRate) else {
            return
        }
        tell(.clockChanged)
    }

    /// The frame heard now, as far as known.
    var heardFrame: Double {
        let now = HostTime.now
        return streamClock.withLock { $0.heard(at: now) }
    }

    func setClock(frame: Double, isMoving: Bool) {
        let rate = Double(format.sampleRate)
        // After the earlier frames that the sink still holds, the first frame is heard only later.
        let time = HostTime.now + max(0, Double(cursor.firstAudible.index) - frame) / rate
        streamClock.withLock {
            $0.set(cursor.audible(frame), at: time, rate: isMoving ? rate : 0, limit: cursor.position)
        }
    }

    func tell(_ event: OutputEvent) { events?(event) }

    /// The longest that PipeWire holds a frame back which it reports as played, in seconds.
    ///
    /// It counts a frame as soon as the block with it is passed on, the largest of which has 8,192 frames
    /// (`default.clock.max-quantum`), and a stream that is corked or flushed loses a block that is not full.
    private static let pipeWireHaste = 0.25

    /// How far back a stream goes on that PipeWire loses, in seconds: it tells some 0.16 s too early what was heard, at most
    /// times, and a little that is repeated disturbs less than what is skipped.
    private static let pipeWireReturn = 0.12

    package var spread: Double { isOnPipeWire ? Self.pipeWireHaste : 0 }

    /// Seconds ahead of the heard frame from which on PipeWire can replace frames.
    ///
    /// It passes frames on in blocks and recalls none of them; PulseAudio does.
    static let pipeWireMargin = 0.3
    /// Seconds ahead of the heard frame from which on frames are replaced in time: PulseAudio's own margin, and some
    /// for us.
    private static let pulseMargin = 0.03
    private static let slowMargin = pipeWireMargin + 0.05

    package var rewriteMargin: Double? {
        isOnPipeWire ? Self.slowMargin : Self.pulseMargin + (loop.locked { renderDelay } ?? 0)
    }

    var isOnPipeWire: Bool { isPipeWire.load(ordering: .relaxed) }

    /// Seconds by which the clock may be corrected without an event.
    private static let drift = 0.002
}
