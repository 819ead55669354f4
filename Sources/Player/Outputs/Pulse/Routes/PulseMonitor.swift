internal import CPulse
private import Glibc
internal import Synchronization
internal import Threads

/// Watches the sinks of one sound server over a connection of its own, which all outputs and the server share.
///
/// The server tells what changes, so nothing is polled. While it is away, the connection is tried again ever more
/// rarely, and at once when an output has reached it.
///
/// Sound as `@unchecked Sendable`: everything under "Guarded by the loop's lock" is accessed only with that lock held,
/// by callers or on libpulse's thread, which holds it in callbacks.
@safe
package final class PulseMonitor: @unchecked Sendable {
    private let loop: PulseLoop
    private let server: String?
    private let shared = Mutex(Shared())

    /// The streams of other programs, where they are watched.
    private let streams: PulseStreams

    // Guarded by the loop's lock:
    private var context: OpaquePointer?
    private var retryTimer: OpaquePointer?
    private var backoff = Backoff(from: 0.1, to: 30)
    /// The facts that the answers have told so far.
    private var draft = SinkMap()
    private var isAsking = false
    /// Whether something has changed since the last question.
    private var isStale = false
    private var isClosed = false

    private struct Shared {
        var map = SinkMap()
        /// Whether there is a connection, or one is being made.
        var isConnected = false
        var observers: [Int: @Sendable (SinkMap) -> Void] = [:]
        var nextObserver = 0
    }

    private init(server: String?) throws(PulseError) {
        loop = try PulseLoop()
        streams = PulseStreams(loop: loop)
        self.server = server
        loop.locked { connect() }
    }

    // MARK: Observing

    /// Interest in a server's sinks; ends with `cancel`, or when it is released.
    package final class Observation: Sendable {
        private let monitor: PulseMonitor
        private let number: Int

        fileprivate init(_ monitor: PulseMonitor, _ number: Int) {
            self.monitor = monitor
            self.number = number
        }

        deinit { cancel() }

        /// The sinks, as last told; empty while the server is away.
        package var map: SinkMap { monitor.shared.withLock { $0.map } }

        /// Connects at once, where the monitor waits before another try; may be called with any locks held.
        package func connectNow() { monitor.connectSoon() }

        package func cancel() { PulseMonitor.remove(number, from: monitor) }

        /// Begins to observe the streams of other programs; there is one such observer at a time.
        ///
        /// - Parameters:
        ///   - limit: How many streams are told of at most.
        ///   - body: Called on the monitor's thread.
        package func observeStreams(
            atMost limit: Int,
            _ body: @escaping @Sendable (PulseStreamNews) -> Void
        ) -> StreamObservation {
            monitor.streams.observe(atMost: limit, body)
            monitor.beginStreams()
            return StreamObservation(self, monitor.streams)
        }
    }

    /// The monitors in use, by their servers' addresses.
    private static let monitors = Mutex<[String: PulseMonitor]>([:])

    /// Begins to observe a server's sinks.
    ///
    /// - Parameters:
    ///   - server: The address; `nil` is that of `PULSE_SERVER`, or libpulse's default.
    ///   - body: Called on the monitor's thread with every change other than a sink's state.
    package static func observe(
        _ server: String?,
        _ body: @escaping @Sendable (SinkMap) -> Void
    ) throws(PulseError) -> Observation {
        let address = server ?? ""
        if let observation = monitors.withLock({ $0[address]?.add(body) }) { return observation }
        let fresh = try PulseMonitor(server: server)
        let (observation, isSpare) = monitors.withLock { monitors in
            let monitor = monitors[address] ?? fresh
            monitors[address] = monitor
            return (monitor.add(body), monitor !== fresh)
        }
        if isSpare { fresh.close() }
        return observation
    }

    private func add(_ body: @escaping @Sendable (SinkMap) -> Void) -> Observation {
        shared.withLock { shared in
            shared.nextObserver += 1
            shared.observers[shared.nextObserver] = body
            return Observation(self, shared.nextObserver)
        }
    }

    /// Removes an observer; the last one ends the monitor, on a thread of its own: its loop's thread cannot wait for
    /// itself.
    private static func remove(_ observer: Int, from monitor: PulseMonitor) {
        let isLast = monitors.withLock { monitors in
            let isLast = monitor.shared.withLock { shared in
                shared.observers.removeValue(forKey: observer) != nil && shared.observers.isEmpty
            }
            if isLast { monitors[monitor.server ?? ""] = nil }
            return isLast
        }
        if isLast { WorkThread.startWhenPossible(named: "segue-close") { monitor.close() } }
    }

    private func close() {
        loop.locked {
            isClosed = true
            cancelRetry()
            streams.close()
            drop(disconnects: true)
        }
    }

    private func publish() {
        let observers = shared.withLock { shared -> [@Sendable (SinkMap) -> Void] in
            let isNews = shared.map.withoutStates() != draft.withoutStates()
            shared.map = draft
            return isNews ? shared.observers.sorted { $0.key < $1.key }.map(\.value) : []
        }
        for observer in observers { observer(draft) }
        streams.sinksChanged(draft)
    }

    // MARK: The connection

    /// Connects on a thread of its own: outputs call this holding their loops' locks, which observers take while the
    /// monitor's is held.
    private func connectSoon() {
        guard !shared.withLock({ $0.isConnected }) else { return }
        WorkThread.startWhenPossible(named: "segue-monitor") { [self] in
            loop.locked {
                guard unsafe context == nil else { return }
                backoff.reset()
                connect()
            }
        }
    }

    private func connect() {
        cancelRetry()
        guard !isClosed, let api = unsafe loop.api, let context = unsafe PulseConnection.makeContext(api) else {
            return
        }
        unsafe self.context = context
        shared.withLock { $0.isConnected = true }
        unsafe pa_context_set_state_callback(context, monitorStateChanged, Unmanaged.passUnretained(self).toOpaque())
        // A connection refused at once calls the callback first, which drops the context.
        unsafe pa_context_ref(context)
        defer { unsafe pa_context_unref(context) }
        if unsafe pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) < 0, unsafe self.context == context {
            lose()
        }
    }

    fileprivate func stateChanged() {
        guard let context = unsafe context else { return }
        switch unsafe pa_context_get_state(context) {
        case PA_CONTEXT_READY: unsafe subscribe(context)
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED: lose()
        default: break
        }
    }

    private func subscribe(_ context: OpaquePointer) {
        backoff.reset()
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe pa_context_set_subscribe_callback(context, somethingChanged, me)
        unsafe chooseEvents(context)
        ask()
        unsafe streams.connected(context)
    }

    private func chooseEvents(_ context: OpaquePointer) {
        var mask =
            PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SERVER.rawValue
            | PA_SUBSCRIPTION_MASK_CARD.rawValue | PA_SUBSCRIPTION_MASK_SOURCE.rawValue
        if streams.isWatching { mask |= PA_SUBSCRIPTION_MASK_SINK_INPUT.rawValue }
        unsafe release(pa_context_subscribe(context, pa_subscription_mask_t(rawValue: mask), nil, nil))
    }

    /// Watches streams from now on, on a thread of its own: the caller is not to wait for the loop's lock.
    private func beginStreams() {
        WorkThread.startWhenPossible(named: "segue-monitor") { [self] in
            loop.locked {
                guard let context = unsafe context, unsafe pa_context_get_state(context) == PA_CONTEXT_READY else {
                    return
                }
                unsafe chooseEvents(context)
                unsafe streams.observerChanged(context)
            }
        }
    }

    fileprivate func changed(_ event: UInt32, _ index: UInt32) {
        let facility = event & PA_SUBSCRIPTION_EVENT_FACILITY_MASK.rawValue
        let type = event & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
        // Of sources only their number is of interest.
        if facility == PA_SUBSCRIPTION_EVENT_SOURCE.rawValue, type == PA_SUBSCRIPTION_EVENT_CHANGE.rawValue { return }
        guard facility == PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue else { return ask() }
        streams.streamEvent(type, index)
    }

    private func lose() {
        drop(disconnects: false)
        draft = SinkMap()
        publish()
        scheduleRetry()
    }

    private func drop(disconnects: Bool) {
        isAsking = false
        streams.disconnected()
        shared.withLock { $0.isConnected = false }
        guard let context = unsafe context else { return }
        unsafe pa_context_set_state_callback(context, nil, nil)
        unsafe pa_context_set_subscribe_callback(context, nil, nil)
        if disconnects { unsafe pa_context_disconnect(context) }
        unsafe pa_context_unref(context)
        unsafe self.context = nil
    }

    private func scheduleRetry() {
        guard !isClosed, unsafe retryTimer == nil, let api = unsafe loop.api else { return }
        var time = timeval()
        unsafe pa_gettimeofday(&time)
        unsafe pa_timeval_add(&time, UInt64(saturating: backoff.next() * 1_000_000))
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe retryTimer = api.pointee.time_new(api, &time, monitorRetryTimeReached, me)
    }

    private func cancelRetry() {
        guard let timer = unsafe retryTimer, let api = unsafe loop.api else { return }
        unsafe api.pointee.time_free(timer)
        unsafe retryTimer = nil
    }

    fileprivate func retry() { connect() }

    // MARK: Questions

    /// Asks for the default sink and all sinks; changes meanwhile are asked for once it has the answers.
    fileprivate func ask() {
        guard !isAsking, let context = unsafe context else {
            isStale = true
            return
        }
        isAsking = true
        isStale = false
        draft = SinkMap()
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe release(pa_context_get_server_info(context, defaultSinkArrived, me))
        unsafe release(pa_context_get_source_info_list(context, monitoredSourceArrived, me))
        unsafe release(pa_context_get_sink_info_list(context, monitoredSinkArrived, me))
    }

    fileprivate func learn(defaultSink: String?) { draft.defaultSink = defaultSink }

    fileprivate func learnSource() { draft.hasSource = true }

    fileprivate func learn(_ sink: PulseSink) {
        if draft.sinks.count < Self.sinkLimit { draft.sinks.append(sink) }
    }

    fileprivate func learnedAll() {
        isAsking = false
        for place in draft.sinks.indices { draft.sinks[place].isDefault = draft.sinks[place].name == draft.defaultSink }
        publish()
        if isStale { ask() }
    }

    /// The greatest number of sinks that are looked at.
    private static let sinkLimit = 1_000
}

// libpulse calls these on its own thread. They are global functions because a closure written in an isolated context
// would inherit that isolation and trap.

private func monitor(_ pointer: UnsafeMutableRawPointer?) -> PulseMonitor? {
    unsafe pointer.map { unsafe Unmanaged<PulseMonitor>.fromOpaque($0).takeUnretainedValue() }
}

private func monitorStateChanged(_ context: OpaquePointer?, _ me: UnsafeMutableRawPointer?) {
    unsafe monitor(me)?.stateChanged()
}

private func somethingChanged(
    _ context: OpaquePointer?,
    _ event: pa_subscription_event_type_t,
    _ index: UInt32,
    _ me: UnsafeMutableRawPointer?
) {
    unsafe monitor(me)?.changed(event.rawValue, index)
}

private func monitorRetryTimeReached(
    _ api: UnsafeMutablePointer<pa_mainloop_api>?,
    _ timer: OpaquePointer?,
    _ time: UnsafePointer<timeval>?,
    _ me: UnsafeMutableRawPointer?
) {
    unsafe monitor(me)?.retry()
}

private func defaultSinkArrived(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_server_info>?,
    _ me: UnsafeMutableRawPointer?
) {
    let name = unsafe info?.pointee.default_sink_name.map { unsafe String(cString: $0) }
    unsafe monitor(me)?.learn(defaultSink: name)
}

private func monitoredSinkArrived(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_sink_info>?,
    _ isLast: Int32,
    _ me: UnsafeMutableRawPointer?
) {
    guard let monitor = unsafe monitor(me) else { return }
    guard isLast == 0, let info = unsafe info else { return monitor.learnedAll() }
    monitor.learn(unsafe PulseSink(info.pointee))
}

private func monitoredSourceArrived(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_source_info>?,
    _ isLast: Int32,
    _ me: UnsafeMutableRawPointer?
) {
    guard isLast == 0, let info = unsafe info, unsafe info.pointee.monitor_of_sink == UInt32.max else { return }
    unsafe monitor(me)?.learnSource()
}
