package import AudioTypes
internal import CPulse
private import Glibc
package import Mixing
internal import Synchronization

/// Plays through a PulseAudio server, or PipeWire's, with a deep buffer: about one wake-up a second, and yet every change
/// is heard at once, because what the server holds can be flushed or written over.
///
/// When the server goes away, the output keeps its place, tries again with back-off while it is to play, and goes on from
/// the last frame that was heard.
///
/// Sound as `@unchecked Sendable`: everything under "Guarded by the loop's lock" is touched with that lock held only.
@safe
package final class PulseOutput: AudioOutput, @unchecked Sendable {
    package struct Options: Sendable {
        /// `nil`: `PULSE_SERVER`, or where libpulse looks.
        package var server: String?
        /// `nil`: the server's default, also when that changes.
        package var sink: String?
        package var volume = Volume.full
        package var isMuted = false
        /// What mixers show.
        package var name = "Segue"

        package init() {}
    }

    package let format: AudioFormat
    package let depth = PulseOutput.bufferLength
    package let lead = PulseOutput.leadLength

    let loop: PulseLoop
    let options: Options
    let clockState: Mutex<ClockState>
    let isStarving = Atomic<Bool>(false)
    private let isPipeWire = Atomic<Bool>(false)

    // Guarded by the loop's lock:
    var context: OpaquePointer?
    var stream: OpaquePointer?
    var ring: (any FrameReading)?
    private var events: (@Sendable (OutputEvent) -> Void)?
    private var volume: Volume
    private var isMuted: Bool
    /// Whether the volume was set while the stream was being made with an older one.
    private var isVolumeUnsent = false
    /// The next frame the server gets.
    var position = FramePosition.zero
    /// Where the server's byte index 0 lies in the ring, in bytes; `nil` after a flush, until timing tells.
    var origin: Int64?
    /// The first frame since the last jump: none before it can be heard any more.
    var firstAudible = FramePosition.zero
    /// The place the next write goes to, in the server's byte index, when it replaces what was sent.
    var rewriteIndex: Int64?
    /// When the sink takes frames again, as far as known.
    var renderTime: HostTime?
    /// Frames from here on are to be replaced as soon as the sink has taken what it is about to.
    var deferredRewrite: FramePosition?
    var deferTimer: OpaquePointer?
    /// The request that the sink take less at once, and whether it does.
    var shortHoldOperation: OpaquePointer?
    var hasShortHold = false
    var isRunning = false
    private var isLost = false
    private var isClosed = false
    private var hasFlushed = false
    private var retryDelay = PulseOutput.firstRetryDelay
    private var retryTimer: OpaquePointer?

    struct ClockState {
        var clock: OutputClock
        /// What the server has; the clock stands there until it gets more.
        var limit: Int
    }

    /// What the server holds, in seconds, and how much of it must be gone before it asks for more.
    ///
    /// What the one exceeds twice the other by is what the sink itself may hold (`fix_playback_buffer_attr` in
    /// PulseAudio's protocol-native.c); without any, the server wakes up all the time.
    package static let bufferLength = 4.0
    static let requestLength = 1.0
    static let sinkLength = bufferLength - 2 * requestLength
    /// What must be there before the server begins to play, in seconds: more than its sink takes at once.
    ///
    /// A sink that runs dry in the middle of its own buffer loses what it had rendered but not played, because
    /// PulseAudio does not rewind a stream in an underrun (`sink_input_process_rewind_cb` in protocol-native.c).
    package static let leadLength = sinkLength + 0.25
    /// Seconds between attempts to reach a lost server: doubled from the first to the longest.
    private static let firstRetryDelay = 0.05
    private static let longestRetryDelay = 0.4

    /// Connects to the server and learns what its sink wants.
    ///
    /// Blocks until the server answers, a few milliseconds.
    package static func open(_ options: Options = Options()) throws(PulseError) -> PulseOutput {
        let loop = try PulseLoop()
        let connection = try PulseConnection(loop: loop, server: options.server)
        let sink = try connection.sink(named: options.sink)
        let output = PulseOutput(loop: loop, options: options, format: sink.format)
        loop.locked { unsafe output.adopt(connection.release()) }
        return output
    }

    private init(loop: PulseLoop, options: Options, format: AudioFormat) {
        self.loop = loop
        self.options = options
        self.format = format
        volume = options.volume
        isMuted = options.isMuted
        clockState = Mutex(ClockState(clock: OutputClock(frame: 0, time: .now, rate: 0), limit: 0))
    }

    package func attach(
        _ ring: any FrameReading,
        at position: FramePosition,
        events: @escaping @Sendable (OutputEvent) -> Void
    ) {
        loop.locked {
            if self.ring != nil { flush() }
            self.ring = ring
            self.events = events
            self.position = position
            firstAudible = position
            rewriteIndex = nil
            // Bytes are counted from here on; after a flush, timing tells where they are.
            if origin != nil { origin = Int64(position.index * format.bytesPerFrame) }
            setClock(frame: Double(position.index), isMoving: false)
            feed()
        }
    }

    // MARK: Transport

    package func start() {
        loop.locked {
            guard !isRunning, !isClosed else { return }
            isRunning = true
            if let stream = unsafe stream, unsafe pa_stream_get_state(stream) == PA_STREAM_READY {
                // After a jump the first frames set the stream going. The server tells when it has begun.
                if !hasFlushed { cork(false) }
                setClock(frame: heardFrame, isMoving: false)
            } else if unsafe context == nil {
                reconnect()
            }
            tell(.clockChanged)
        }
    }

    package func pause() {
        loop.locked {
            guard isRunning else { return }
            isRunning = false
            cancelRetry()
            setClock(frame: heardFrame, isMoving: false)
            cork(true)
            tell(.clockChanged)
        }
    }

    package func discard(to position: FramePosition) {
        loop.locked {
            self.position = position
            firstAudible = position
            rewriteIndex = nil
            flush()
            setClock(frame: Double(position.index), isMoving: false)
            tell(.clockChanged)
        }
    }

    package func framesAvailable() {
        guard isStarving.exchange(false, ordering: .sequentiallyConsistent) else { return }
        loop.locked { feed() }
    }

    package var clock: OutputClock {
        let now = HostTime.now
        return clockState.withLock { state in
            guard state.clock.frame(at: now) >= Double(state.limit) else { return state.clock }
            return OutputClock(frame: Double(state.limit), time: now, rate: 0)
        }
    }

    package func setVolume(_ volume: Volume, isMuted: Bool) {
        loop.locked {
            let changesVolume = volume != self.volume
            let changesMute = isMuted != self.isMuted
            self.volume = volume
            self.isMuted = isMuted
            sendVolume(changesVolume, mute: changesMute)
        }
    }

    private func sendVolume(_ sendsVolume: Bool, mute sendsMute: Bool) {
        guard let stream = unsafe stream, let context = unsafe context,
            unsafe pa_stream_get_state(stream) == PA_STREAM_READY
        else {
            isVolumeUnsent = true
            return
        }
        let index = unsafe pa_stream_get_index(stream)
        if sendsVolume {
            var value = PulseFormat.volume(volume, channels: format.channels.count)
            unsafe release(pa_context_set_sink_input_volume(context, index, &value, nil, nil))
        }
        if sendsMute {
            unsafe release(pa_context_set_sink_input_mute(context, index, isMuted ? 1 : 0, nil, nil))
        }
    }

    package func close() {
        loop.locked {
            isClosed = true
            isRunning = false
            cancelRetry()
            cancelDeferredRewrite()
            dropStream(disconnects: true)
            dropContext(disconnects: true)
            events = nil
        }
    }

    // MARK: The server

    /// Takes a connected context over and opens the stream on it.
    private func adopt(_ context: OpaquePointer?) {
        unsafe self.context = context
        guard let context = unsafe context else { return }
        unsafe pa_context_set_state_callback(context, contextStateChanged, Unmanaged.passUnretained(self).toOpaque())
        openStream()
    }

    func contextChanged() {
        guard let context = unsafe context else { return }
        switch unsafe pa_context_get_state(context) {
        case PA_CONTEXT_READY: openStream()
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
            lose(PulseError.noServer(address: options.server, code: unsafe pa_context_errno(context)))
        default: break
        }
    }

    private func openStream() {
        guard let context = unsafe context else { return }
        isVolumeUnsent = false
        var spec = PulseFormat.spec(format)
        var map = PulseFormat.map(format.channels)
        let properties = unsafe pa_proplist_new()
        defer { unsafe pa_proplist_free(properties) }
        unsafe pa_proplist_sets(properties, "media.role", "music")
        unsafe pa_proplist_sets(properties, "media.name", options.name)
        // A key of our own: module-stream-restore would otherwise give us the volume of every music player.
        unsafe pa_proplist_sets(properties, "module-stream-restore.id", "segue")
        guard let stream = unsafe pa_stream_new_with_proplist(context, options.name, &spec, &map, properties) else {
            return lose(PulseError.refused(code: unsafe pa_context_errno(context)))
        }
        unsafe self.stream = stream
        unsafe release(pa_context_get_server_info(context, serverTold, Unmanaged.passUnretained(self).toOpaque()))
        origin = Int64(position.index * format.bytesPerFrame)
        rewriteIndex = nil
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe pa_stream_set_state_callback(stream, streamStateChanged, me)
        unsafe pa_stream_set_write_callback(stream, streamWantsData, me)
        unsafe pa_stream_set_moved_callback(stream, streamMoved, me)
        unsafe pa_stream_set_suspended_callback(stream, streamMoved, me)
        unsafe pa_stream_set_started_callback(stream, streamMoved, me)
        var attributes = bufferAttributes(hold: Self.sinkLength)
        var flags = PA_STREAM_START_CORKED.rawValue | PA_STREAM_RELATIVE_VOLUME.rawValue
        flags |= isMuted ? PA_STREAM_START_MUTED.rawValue : PA_STREAM_START_UNMUTED.rawValue
        var volume = PulseFormat.volume(volume, channels: format.channels.count)
        let code = unsafe pa_stream_connect_playback(
            stream,
            options.sink,
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
            retryDelay = Self.firstRetryDelay
            let wasLost = isLost
            isLost = false
            hasFlushed = true
            if isVolumeUnsent { sendVolume(true, mute: true) }
            feed()
            if wasLost { tell(.restored) }
            tell(.clockChanged)
        case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
            // A context that fails tells of it itself, right after its streams.
            guard let context = unsafe context, unsafe pa_context_get_state(context) == PA_CONTEXT_READY else { return }
            lose(PulseError.refused(code: unsafe pa_context_errno(context)))
        default: break
        }
    }

    /// The server or the stream is gone: remember what was heard, and try again.
    private func lose(_ error: PulseError) {
        let heard = FramePosition(Int(heardFrame))
        setClock(frame: Double(heard.index), isMoving: false)
        position = heard
        firstAudible = heard
        cancelDeferredRewrite()
        renderTime = nil
        dropStream(disconnects: false)
        dropContext(disconnects: false)
        if !isLost {
            isLost = true
            tell(.lost("\(error)"))
        }
        scheduleRetry()
    }

    private func reconnect() {
        cancelRetry()
        guard !isClosed, isRunning, unsafe context == nil else { return }
        guard let api = unsafe loop.api, let context = unsafe PulseConnection.makeContext(api) else { return }
        unsafe self.context = context
        unsafe pa_context_set_state_callback(context, contextStateChanged, Unmanaged.passUnretained(self).toOpaque())
        // A connection that is refused at once tells the callback first, which drops the context.
        unsafe pa_context_ref(context)
        defer { unsafe pa_context_unref(context) }
        if unsafe pa_context_connect(context, options.server, PA_CONTEXT_NOAUTOSPAWN, nil) < 0,
            unsafe self.context == context
        {
            lose(PulseError.noServer(address: options.server, code: unsafe pa_context_errno(context)))
        }
    }

    private func scheduleRetry() {
        guard isRunning, !isClosed, unsafe retryTimer == nil else { return }
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe retryTimer = makeTimer(in: retryDelay, retryTimeReached, me)
        retryDelay = min(2 * retryDelay, Self.longestRetryDelay)
    }

    func makeTimer(
        in delay: Double,
        _ callback: @escaping pa_time_event_cb_t,
        _ me: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        guard let api = unsafe loop.api else { return nil }
        var time = timeval()
        unsafe pa_gettimeofday(&time)
        unsafe pa_timeval_add(&time, UInt64(delay * 1_000_000))
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

    func noteServer(_ info: pa_server_info) {
        let isPipeWire = unsafe info.server_name.map { unsafe strstr($0, "PipeWire") != nil } ?? false
        self.isPipeWire.store(isPipeWire, ordering: .relaxed)
    }

    private func dropStream(disconnects: Bool) {
        guard let stream = unsafe stream else { return }
        unsafe pa_stream_set_state_callback(stream, nil, nil)
        unsafe pa_stream_set_write_callback(stream, nil, nil)
        unsafe pa_stream_set_moved_callback(stream, nil, nil)
        unsafe pa_stream_set_suspended_callback(stream, nil, nil)
        unsafe pa_stream_set_started_callback(stream, nil, nil)
        if let operation = unsafe shortHoldOperation {
            unsafe pa_operation_cancel(operation)
            unsafe pa_operation_unref(operation)
        }
        unsafe shortHoldOperation = nil
        hasShortHold = false
        if disconnects { unsafe pa_stream_disconnect(stream) }
        unsafe pa_stream_unref(stream)
        unsafe self.stream = nil
    }

    private func dropContext(disconnects: Bool) {
        guard let context = unsafe context else { return }
        unsafe pa_context_set_state_callback(context, nil, nil)
        if disconnects { unsafe pa_context_disconnect(context) }
        unsafe pa_context_unref(context)
        unsafe self.context = nil
    }

    // MARK: Frames

    /// Sends what the server has room for.
    ///
    /// Called with the lock held: when the server asks, and when frames arrive that it waits for.
    ///
    /// - Parameter isTimely: Whether what replaces other frames has waited for its time.
    func feed(isTimely: Bool = false) {
        guard let stream = unsafe stream, let ring, unsafe pa_stream_get_state(stream) == PA_STREAM_READY else {
            isStarving.store(true, ordering: .sequentiallyConsistent)
            return
        }
        let size = format.bytesPerFrame
        let writable = unsafe pa_stream_writable_size(stream)
        var room = writable == .max ? 0 : writable
        let replaces = rewriteIndex != nil
        if replaces, !isTimely, let delay = renderDelay { return feedLater(delay) }
        let isFirst = hasFlushed || replaces
        if isFirst { room = max(room, format.frames(in: Self.leadLength) * size) }
        let before = position
        while room >= size {
            let available = ring.written - position
            guard available > 0 else {
                isStarving.store(true, ordering: .sequentiallyConsistent)
                // The decoder may have written since, and not have seen that we starve.
                if ring.written > position { continue }
                break
            }
            var data: UnsafeMutableRawPointer?
            var bytes = min(room, available * size)
            guard unsafe pa_stream_begin_write(stream, &data, &bytes) >= 0, let data = unsafe data else { break }
            let frames = unsafe ring.read(at: position, into: data, count: bytes / size)
            let mode = rewriteIndex == nil ? PA_SEEK_RELATIVE : PA_SEEK_ABSOLUTE
            let offset = rewriteIndex ?? 0
            rewriteIndex = nil
            unsafe pa_stream_write(stream, data, frames * size, nil, offset, mode)
            position += frames
            room -= frames * size
        }
        guard position > before else { return }
        let now = HostTime.now
        let hasStood = clockState.withLock { state in
            let hasStood = state.clock.rate > 0 && state.clock.frame(at: now) >= Double(state.limit)
            // It goes on from there, and only the server knows when.
            if hasStood { state.clock = OutputClock(frame: Double(state.limit), time: now, rate: 0) }
            state.limit = position.index
            return hasStood
        }
        if hasFlushed {
            hasFlushed = false
            setClock(frame: Double(firstAudible.index), isMoving: false)
            if isRunning { cork(false) }
        }
        updateTiming()
        // Who looked at a clock that stood where frames ended has to know that it goes on.
        if isFirst || hasStood { tell(.clockChanged) }
        if replaces { shortenHold() }
    }

    /// - Parameter hold: Seconds that the sink may take at once.
    func bufferAttributes(hold: Double) -> pa_buffer_attr {
        let size = format.bytesPerFrame
        return pa_buffer_attr(
            maxlength: .max,
            tlength: UInt32(format.frames(in: Self.bufferLength) * size),
            // A stream that ran dry stands still instead of playing silence, so nothing is skipped.
            prebuf: UInt32(format.frames(in: Self.leadLength) * size),
            minreq: UInt32(format.frames(in: (Self.bufferLength - hold) / 2) * size),
            fragsize: .max
        )
    }

    /// Silences the stream at once and makes the server forget what it holds.
    ///
    /// Flushing alone would let the sink play on what it has taken already, up to seconds; corking first makes it give
    /// that back (`pa_sink_input_set_state_within_thread` in PulseAudio's sink-input.c). The next frames uncork.
    func flush() {
        cancelDeferredRewrite()
        renderTime = nil
        cork(true)
        origin = nil
        hasFlushed = true
        isStarving.store(true, ordering: .sequentiallyConsistent)
        guard let stream = unsafe stream, unsafe pa_stream_get_state(stream) == PA_STREAM_READY else { return }
        unsafe release(pa_stream_flush(stream, nil, nil))
    }

    private func cork(_ isCorked: Bool) {
        guard let stream = unsafe stream, unsafe pa_stream_get_state(stream) == PA_STREAM_READY else { return }
        unsafe release(pa_stream_cork(stream, isCorked ? 1 : 0, nil, nil))
        updateTiming()
    }

    // MARK: Time

    /// Asks the server what is heard.
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
        let size = Int64(format.bytesPerFrame)
        if origin == nil, timing.write_index_corrupt == 0 {
            origin = Int64(position.index) * size - timing.write_index
        }
        guard let origin, timing.read_index_corrupt == 0 else { return }
        // A corked stream was rewound to what was heard; what the sink still holds is not ours.
        let isCorked = unsafe pa_stream_is_corked(stream) > 0
        let delay = isCorked ? 0 : Double(timing.sink_usec) / 1_000_000 * Double(format.sampleRate)
        var frame = Double(timing.read_index + origin) / Double(size) - delay
        var wall = timeval()
        unsafe pa_gettimeofday(&wall)
        var stamp = timing.timestamp
        let age = unsafe min(Double(pa_timeval_diff(&wall, &stamp)) / 1_000_000, 1)
        let isMoving = isRunning && timing.playing != 0
        renderTime = isMoving ? HostTime.now + (Double(timing.sink_usec) / 1_000_000 - age) : nil
        if isMoving { frame += age * Double(format.sampleRate) }
        let expected = heardFrame
        let wasMoving = clockState.withLock { $0.clock.rate > 0 }
        setClock(frame: frame, isMoving: isMoving)
        // A clock that runs as foreseen is no news to anybody, and news wake threads up.
        guard isMoving != wasMoving || abs(heardFrame - expected) > Self.drift * Double(format.sampleRate) else {
            return
        }
        tell(.clockChanged)
    }

    /// The frame that is heard now, as far as known.
    var heardFrame: Double {
        let now = HostTime.now
        return clockState.withLock { min($0.clock.frame(at: now), Double($0.limit)) }
    }

    func setClock(frame: Double, isMoving: Bool) {
        let first = Double(firstAudible.index)
        let last = Double(max(position, firstAudible).index)
        let rate = Double(format.sampleRate)
        // Behind what the sink still holds of before, the first frame is heard only later.
        let time = HostTime.now + max(0, first - frame) / rate
        clockState.withLock {
            $0.clock = OutputClock(frame: min(max(frame, first), last), time: time, rate: isMoving ? rate : 0)
            $0.limit = position.index
        }
    }

    func setLimit() { clockState.withLock { $0.limit = position.index } }

    private func tell(_ event: OutputEvent) { events?(event) }

    /// Seconds ahead of what is heard from which on PipeWire can replace what it was sent.
    ///
    /// It passes frames on in blocks and calls none of them back; PulseAudio does.
    static let pipeWireMargin = 0.3
    /// Seconds ahead of what is heard from which on frames are replaced in time: PulseAudio's own, with some for us.
    private static let pulseMargin = 0.03
    private static let slowMargin = pipeWireMargin + 0.05

    /// Seconds before and after the sink takes frames in which none are replaced.
    static let renderGuard = 0.012
    static let renderTail = 0.005

    package var rewriteMargin: Double? {
        isOnPipeWire ? Self.slowMargin : Self.pulseMargin + (loop.locked { renderDelay } ?? 0)
    }

    var isOnPipeWire: Bool { isPipeWire.load(ordering: .relaxed) }

    /// Seconds by which the clock may be corrected without telling.
    private static let drift = 0.002
}
