internal import CPulse
private import Glibc
private import Synchronization
internal import Threads

/// The news from a sound server about the streams of other programs.
package enum PulseStreamNews: Sendable, Hashable {
    /// A stream is new, or is another than before.
    case changed(PulseStream)
    case gone(index: UInt32)
    /// All streams that there were have been told of.
    case listed
    /// The server is away, and all streams with it.
    case lost
    /// There are more streams than may be watched; told once until they are fewer.
    case tooMany
    /// The server's memory of volumes has a stream's level, which is gone.
    case remembered(key: String)
}

/// Watches the streams of other programs for a `PulseMonitor`, over its connection, and changes their levels.
///
/// Sound as `@unchecked Sendable`: what is not under the mutex is accessed only with the monitor's loop locked, by the
/// monitor or in callbacks.
@safe
final class PulseStreams: @unchecked Sendable {
    private let loop: PulseLoop
    private let host = hostName()

    // Guarded by the loop's lock:
    private var context: OpaquePointer?
    private var map = SinkMap()
    private var streams: [UInt32: PulseStream] = [:]
    private var sent: [UInt32: SentLevels] = [:]
    private var fades: [UInt32: Fade] = [:]
    /// The numbers of the last orders for the streams' levels.
    private var orders: [UInt32: Int] = [:]
    /// Whom the streams were last told to.
    private var served = 0
    /// The streams that were asked about, in the order of the answers, and how often their levels had been changed then.
    private var questions: [(index: UInt32, changes: Int)] = []
    /// Those that have changed since.
    private var stale: Set<UInt32> = []
    /// Whether there are streams over the limit, which are looked for when there is room.
    private var isFull = false
    /// Whether they are being looked for.
    private var isListing = false
    private var timer: OpaquePointer?
    private var wakeEvent: OpaquePointer?
    private var pendingFlushes: [@Sendable () -> Void] = []
    private var memory = RestoreMemory()
    /// The keys that were written into the server's memory, for each list of streams that was asked for since.
    private var written: [[String]] = []

    private let wake = Interrupt()
    private let mailbox = Mutex(Mailbox())

    private struct Mailbox {
        var observer: (@Sendable (PulseStreamNews) -> Void)?
        /// How often the observer has changed.
        var changes = 0
        var limit = 0
        var orders: [Order] = []
    }

    enum Order: Sendable {
        /// Leads a stream to a level in so many steps, the first one at once.
        case fade(UInt32, StreamLevel, steps: Int, number: Int)
        case set(UInt32, StreamLevel)
        /// Looks for streams that were over the limit.
        case lookAgain
        /// Writes a level into the server's memory of volumes, for a stream that is gone.
        case remember(String, StreamLevel)
        /// Calls back when all before is done.
        case flush(@Sendable () -> Void)
    }

    private struct Fade {
        var ramp: LevelRamp
        /// In microseconds of the wall clock, as libpulse's timers have it.
        let start: UInt64
    }

    /// In microseconds.
    private static let stepTime: UInt64 = 10_000

    init(loop: PulseLoop) { self.loop = loop }

    // MARK: Any thread

    var isWatching: Bool { mailbox.withLock { $0.observer != nil } }

    /// Sets who is told of the streams; `nil` for none.
    func observe(atMost limit: Int, _ observer: (@Sendable (PulseStreamNews) -> Void)?) {
        mailbox.withLock { mailbox in
            (mailbox.limit, mailbox.observer) = (limit, observer)
            mailbox.changes += 1
        }
    }

    func limit(to limit: Int) {
        let isMore = mailbox.withLock { mailbox in
            defer { mailbox.limit = limit }
            return limit > mailbox.limit
        }
        if isMore { post(.lookAgain) }
    }

    func post(_ order: Order) {
        mailbox.withLock { $0.orders.append(order) }
        wake.raise()
    }

    private func tell(_ news: PulseStreamNews) { mailbox.withLock { $0.observer }?(news) }

    // MARK: The monitor, with the loop's lock held

    /// There is a new observer, and the connection stands.
    func observerChanged(_ context: OpaquePointer) {
        if served != mailbox.withLock({ $0.changes }) { unsafe connected(context) }
    }

    /// The connection stands.
    func connected(_ context: OpaquePointer) {
        unsafe self.context = context
        forget()
        served = mailbox.withLock { $0.changes }
        guard isWatching else { return }
        listen()
        unsafe release(pa_context_get_sink_input_info_list(context, listedStreamArrived, me))
    }

    func disconnected() {
        guard unsafe context != nil else { return }
        unsafe context = nil
        questions = []
        forget()
        let flushes = pendingFlushes
        pendingFlushes = []
        tell(.lost)
        for flush in flushes { flush() }
    }

    private func forget() {
        (streams, sent, fades, orders, stale) = ([:], [:], [:], [:], [])
        (isFull, isListing) = (false, false)
        (memory, written) = (RestoreMemory(), [])
        cancelTimer()
    }

    func close() {
        disconnected()
        guard let event = unsafe wakeEvent, let api = unsafe loop.api else { return }
        unsafe api.pointee.io_free(event)
        unsafe wakeEvent = nil
    }

    /// The server's sinks have changed: where streams are heard is known by their names.
    func sinksChanged(_ map: SinkMap) {
        self.map = map
        for (index, stream) in streams.sorted(by: { $0.key < $1.key }) {
            let name = map.sink(at: stream.sinkIndex)?.name
            guard name != stream.sink else { continue }
            streams[index]?.sink = name
            if let changed = streams[index] { tell(.changed(changed)) }
        }
    }

    func streamEvent(_ type: UInt32, _ index: UInt32) {
        guard isWatching else { return }
        guard type != PA_SUBSCRIPTION_EVENT_REMOVE.rawValue else { return remove(index) }
        askAgain(index)
    }

    // MARK: Questions

    private var me: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    private func askAgain(_ index: UInt32) {
        if questions.contains(where: { $0.index == index }) { stale.insert(index) } else { ask(index) }
    }

    private func ask(_ index: UInt32) {
        guard let context = unsafe context else { return }
        questions.append((index, sent[index]?.count ?? 0))
        unsafe release(pa_context_get_sink_input_info(context, index, askedStreamArrived, me))
    }

    fileprivate func answered() {
        guard !questions.isEmpty else { return }
        let index = questions.removeFirst().index
        if stale.remove(index) != nil { ask(index) }
    }

    fileprivate func listed() { tell(.listed) }

    /// Looks for the streams that there was no room for.
    private func listOthers() {
        guard isFull, !isListing, hasRoom, let context = unsafe context else { return }
        isListing = true
        unsafe release(pa_context_get_sink_input_info_list(context, otherStreamArrived, me))
    }

    fileprivate func learnOther(_ info: pa_sink_input_info) {
        if unsafe streams[info.index] == nil, hasRoom { unsafe learn(info) }
    }

    /// All streams were looked at; where there is still room, no other one is left.
    fileprivate func listedOthers() {
        isListing = false
        isFull = isFull && !hasRoom
    }

    private var hasRoom: Bool { streams.count < mailbox.withLock { $0.limit } }

    fileprivate func learn(_ info: pa_sink_input_info) {
        let index = unsafe info.index
        guard streams[index] != nil || hasRoom else {
            if !isFull { tell(.tooMany) }
            isFull = true
            return
        }
        guard var stream = unsafe PulseStream(info, onHost: host) else { return }
        stream.sink = map.sink(at: stream.sinkIndex)?.name
        if sent[index] == nil {
            sent[index] = SentLevels(stream.level)
        } else if sent[index]?.report(stream.level, asked: changesWhenAsked(index)) == true {
            stream.isLevelSet = true
        } else {
            // The user's word counts for more than a fade.
            fades[index] = nil
        }
        stream.order = orders[index] ?? 0
        stream.isLevelSettled = isSettled(index)
        guard streams[index] != stream else { return }
        streams[index] = stream
        tell(.changed(stream))
    }

    private func isSettled(_ index: UInt32) -> Bool { fades[index] == nil && sent[index]?.isSettled == true }

    private func changesWhenAsked(_ index: UInt32) -> Int {
        questions.first?.index == index ? questions[0].changes : -1
    }

    private func remove(_ index: UInt32) {
        stale.remove(index)
        (sent[index], fades[index], orders[index]) = (nil, nil, nil)
        guard streams.removeValue(forKey: index) != nil else { return }
        tell(.gone(index: index))
        listOthers()
    }

    // MARK: Orders

    /// Lets other threads wake the loop without its lock.
    private func listen() {
        guard unsafe wakeEvent == nil, let api = unsafe loop.api else { return }
        unsafe wakeEvent = api.pointee.io_new(api, wake.descriptor, PA_IO_EVENT_INPUT, ordersArrived, me)
    }

    fileprivate func applyOrders() {
        wake.lowerAll()
        let orders = mailbox.withLock { mailbox in
            defer { mailbox.orders = [] }
            return mailbox.orders
        }
        for order in orders { carryOut(order) }
    }

    private func carryOut(_ order: Order) {
        switch order {
        case .fade(let index, let level, let steps, let number):
            orders[index] = number
            fade(index, to: level, steps)
        case .set(let index, let level):
            guard streams[index] != nil else { return }
            fades[index] = nil
            make(.volume(level.volumes), of: index)
            make(.mute(level.isMuted), of: index)
        case .lookAgain: listOthers()
        case .remember(let key, let level):
            if let context = unsafe context, memory.add(key, level) { unsafe readMemory(context) }
        case .flush(let done):
            guard let context = unsafe context else { return done() }
            pendingFlushes.append(done)
            unsafe release(pa_context_get_server_info(context, flushArrived, me))
        }
    }

    fileprivate func flushed() { if !pendingFlushes.isEmpty { pendingFlushes.removeFirst()() } }

    private func fade(_ index: UInt32, to level: StreamLevel, _ steps: Int) {
        guard let current = sent[index]?.current else { return }
        let ramp = LevelRamp(from: current, to: level, steps: steps)
        fades[index] = ramp.isOver ? nil : Fade(ramp: ramp, start: pa_rtclock_now())
        guard ramp.isOver else { return advance() }
        askAgain(index)
    }

    // MARK: Fades

    /// Makes the steps that are due, and has the loop call again for the next ones.
    fileprivate func advance() {
        cancelTimer()
        let now = pa_rtclock_now()
        for index in fades.keys.sorted() {
            guard var fade = fades[index] else { continue }
            let count = Int(clamping: (now - min(now, fade.start)) / Self.stepTime) + 1
            for change in fade.ramp.advance(to: count) { make(change, of: index) }
            fades[index] = fade.ramp.isOver ? nil : fade
            // The server reports no change where the last step made none.
            if fade.ramp.isOver { askAgain(index) }
        }
        let starts = fades.values.map { $0.start + Self.stepTime * ((now - min(now, $0.start)) / Self.stepTime + 1) }
        if let next = starts.min() { wait(for: next - now) }
    }

    private func make(_ change: LevelRamp.Change, of index: UInt32) {
        guard let context = unsafe context else { return }
        sent[index]?.send(change)
        switch change {
        case .mute(let isMuted):
            unsafe release(pa_context_set_sink_input_mute(context, index, isMuted ? 1 : 0, nil, nil))
        case .volume(let volumes):
            var volume = pa_cvolume(volumes)
            unsafe release(pa_context_set_sink_input_volume(context, index, &volume, nil, nil))
        }
    }

    private func wait(for microseconds: UInt64) {
        guard let api = unsafe loop.api else { return }
        var time = timeval()
        unsafe pa_gettimeofday(&time)
        unsafe pa_timeval_add(&time, microseconds)
        unsafe timer = api.pointee.time_new(api, &time, fadeTimeReached, me)
    }

    private func cancelTimer() {
        guard let timer = unsafe timer, let api = unsafe loop.api else { return }
        unsafe api.pointee.time_free(timer)
        unsafe self.timer = nil
    }

    // MARK: The server's memory

    private func readMemory(_ context: OpaquePointer) {
        let operation = unsafe pa_ext_stream_restore_read(context, rememberedStreamArrived, me)
        if unsafe operation == nil { memory = RestoreMemory() }
        unsafe release(operation)
    }

    fileprivate func learnMemory(_ info: pa_ext_stream_restore_info) { unsafe memory.learn(info) }

    /// All of the server's memory has been told of, or it has none.
    fileprivate func learnedMemory(isComplete: Bool) {
        guard let context = unsafe context else { return }
        if isComplete {
            unsafe tellWhenWritten(memory.write(context), context)
        } else {
            tellRemembered(memory.forgetAll())
        }
        if memory.start() { unsafe readMemory(context) }
    }

    /// Tells of the keys once all streams are known that have begun before, with the level that was in the memory then.
    private func tellWhenWritten(_ keys: [String], _ context: OpaquePointer) {
        guard !keys.isEmpty else { return }
        guard let operation = unsafe pa_context_get_sink_input_info_list(context, laterStreamArrived, me) else {
            return tellRemembered(keys)
        }
        written.append(keys)
        unsafe release(operation)
    }

    private func tellRemembered(_ keys: [String]) { for key in keys { tell(.remembered(key: key)) } }

    fileprivate func listedLaterStreams() {
        if !written.isEmpty { tellRemembered(written.removeFirst()) }
    }
}

extension pa_cvolume {
    fileprivate init(_ volumes: [UInt32]) {
        self.init()
        let volumes = volumes.prefix(StreamLevel.channelLimit)
        channels = UInt8(volumes.count)
        unsafe withUnsafeMutableBytes(of: &values) { bytes in
            let places = unsafe bytes.bindMemory(to: UInt32.self)
            for (place, volume) in volumes.enumerated() { unsafe places[place] = volume }
        }
    }
}

/// The machine's name, as libpulse has it.
private func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    return unsafe pa_get_host_name(&buffer, buffer.count).map { unsafe String(cString: $0) } ?? ""
}

// libpulse calls these on its own thread. They are global functions because a closure written in an isolated context
// would inherit that isolation and trap.

private func streams(_ pointer: UnsafeMutableRawPointer?) -> PulseStreams? {
    unsafe pointer.map { unsafe Unmanaged<PulseStreams>.fromOpaque($0).takeUnretainedValue() }
}

private func listedStreamArrived(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_sink_input_info>?,
    _ isLast: Int32,
    _ me: UnsafeMutableRawPointer?
) {
    guard isLast == 0, let info = unsafe info else { return unsafe streams(me)?.listed() ?? () }
    unsafe streams(me)?.learn(info.pointee)
}

private func otherStreamArrived(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_sink_input_info>?,
    _ isLast: Int32,
    _ me: UnsafeMutableRawPointer?
) {
    guard isLast == 0, let info = unsafe info else { return unsafe streams(me)?.listedOthers() ?? () }
    unsafe streams(me)?.learnOther(info.pointee)
}

private func laterStreamArrived(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_sink_input_info>?,
    _ isLast: Int32,
    _ me: UnsafeMutableRawPointer?
) {
    guard isLast == 0, let info = unsafe info else { return unsafe streams(me)?.listedLaterStreams() ?? () }
    unsafe streams(me)?.learnOther(info.pointee)
}

private func askedStreamArrived(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_sink_input_info>?,
    _ isLast: Int32,
    _ me: UnsafeMutableRawPointer?
) {
    // A stream that is there is followed by an end of the list, a missing one by an error.
    guard isLast == 0, let info = unsafe info else { return unsafe streams(me)?.answered() ?? () }
    unsafe streams(me)?.learn(info.pointee)
}

private func ordersArrived(
    _ api: UnsafeMutablePointer<pa_mainloop_api>?,
    _ event: OpaquePointer?,
    _ descriptor: Int32,
    _ flags: pa_io_event_flags_t,
    _ me: UnsafeMutableRawPointer?
) {
    unsafe streams(me)?.applyOrders()
}

private func fadeTimeReached(
    _ api: UnsafeMutablePointer<pa_mainloop_api>?,
    _ timer: OpaquePointer?,
    _ time: UnsafePointer<timeval>?,
    _ me: UnsafeMutableRawPointer?
) {
    unsafe streams(me)?.advance()
}

private func flushArrived(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_server_info>?,
    _ me: UnsafeMutableRawPointer?
) {
    unsafe streams(me)?.flushed()
}

private func rememberedStreamArrived(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_ext_stream_restore_info>?,
    _ isLast: Int32,
    _ me: UnsafeMutableRawPointer?
) {
    guard isLast == 0, let info = unsafe info else {
        return unsafe streams(me)?.learnedMemory(isComplete: isLast > 0) ?? ()
    }
    unsafe streams(me)?.learnMemory(info.pointee)
}
