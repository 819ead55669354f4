internal import AudioTypes
internal import CFFmpeg
internal import FFmpegValues
internal import Files
private import Glibc
internal import HTTP
internal import Synchronization
internal import Threads

/// The state shared by the thread that reads a network medium ahead and the thread that decodes it.
///
/// All methods may be called from any thread; only `waitForNews` waits for the network.
final class StreamCore: Sendable {
    let entry: MediaEntry
    let selection: TrackSelection
    let context: StreamContext
    /// Interrupts the reading thread's waits.
    let interrupt = Interrupt()
    /// Rung by the reading thread when it has ended.
    let hasEnded = Doorbell()
    private let room = Doorbell()
    private let news = Interrupt()
    private let state: Mutex<State>

    struct State: ~Copyable {
        var queue = PacketQueue()
        var status = StreamStatus()
        var options: StreamOptions
        /// The packets end here; no more are read before a seek.
        var ending: Ending?
        var seek: SeekOrder?
        /// The decoder has run out of packets; it is woken when there are some.
        var isStarved = false
        /// The decoding thread waits in `waitForNews`.
        var isAwaited = false
        var isCancelled = false
    }

    enum Ending {
        case end
        case failure(any Error)
    }

    /// A position to continue from.
    struct SeekOrder {
        /// A sample of the track, counted from the first audible one; may be negative.
        var sample: Int
        /// The timestamp, in samples, of the first audible sample.
        var zero: Int
        var sampleRate: Int
        /// For `Interrupt.lower`.
        var request: Int
    }

    /// Limits of reading ahead, unless another length is preferred.
    fileprivate static let usualLength = 60.0
    private static let usualLimit = 16 << 20
    private static let wantedLimit = 256 << 20
    /// The share below which reading continues, so that it comes in bursts and not packet by packet.
    private static let refill = 0.75
    /// Seconds that are buffered before a decoder without packets is woken.
    private static let wakingLength = 0.15

    init(_ entry: MediaEntry, _ selection: TrackSelection, _ context: StreamContext) {
        self.entry = entry
        self.selection = selection
        self.context = context
        var options = context.options
        options.http.access = entry.access
        state = Mutex(State(options: options))
    }

    // MARK: The decoding thread

    /// The result of `take`.
    enum Taken {
        case packet
        case part(StreamPart)
        case tags(Tags)
        /// No packet is available; `context.wake` is called when there is one.
        case nothing
        case end
    }

    func take(into packet: borrowing Packet) throws -> Taken {
        var makesRoom = false
        defer { if makesRoom { room.ring() } }
        return try state.withLock { state throws -> Taken in
            switch try state.queue.take(into: packet) {
            case .packet:
                makesRoom = state.status.isFull && state.isBelow(Self.refill)
                return .packet
            case .mark(.part(let part)): return .part(part)
            case .mark(.tags(let tags)): return .tags(tags)
            case .nothing: break
            }
            switch state.ending {
            case .end: return .end
            case .failure(let error): throw error
            case nil:
                state.isStarved = true
                return .nothing
            }
        }
    }

    /// Waits until there is a packet to take.
    func waitForNews(_ interrupt: Interrupt) throws(FFmpegError) {
        while true {
            let isThere = state.withLock { state in
                let isThere = !state.queue.isEmpty || state.ending != nil
                state.isAwaited = !isThere
                return isThere
            }
            if isThere { return }
            if interrupt.isRaised { throw FFmpegError(code: segue_AVERROR_EXIT, operation: "cannot continue reading") }
            Readiness.wait(for: [.readable(interrupt.descriptor), .readable(news.descriptor)])
            news.lowerAll()
        }
    }

    /// Continues with packets from a position: from the buffer, or from the network.
    func seek(before sample: Int, zero: Int, timestamp: Int64, sampleRate: Int) {
        let isThere = state.withLock { state in
            if case .failure = state.ending {} else if state.queue.seek(to: timestamp) { return true }
            state.queue.removeAll()
            state.ending = nil
            state.seek = SeekOrder(sample: sample, zero: zero, sampleRate: sampleRate, request: interrupt.raise())
            return false
        }
        if !isThere { room.ring() }
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        interrupt.raise()
        room.ring()
    }

    /// The status, with the buffer as it is now.
    var status: StreamStatus { state.withLock { $0.current } }

    func setOptions(_ options: StreamOptions) {
        var options = options
        options.http.access = entry.access
        state.withLock { [options] in $0.options = options }
        room.ring()
    }

    // MARK: The reading thread

    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var options: StreamOptions { state.withLock { $0.options } }

    func takeSeek() -> SeekOrder? {
        let order = state.withLock { $0.seek.take() }
        if let order { interrupt.lower(to: order.request) }
        return order
    }

    /// Waits until there is room for more, or a request.
    func waitForRoom() {
        while true {
            let mayGoOn = state.withLock { state in
                if state.isCancelled || state.seek != nil { return true }
                if state.ending != nil { return false }
                state.status.isFull = !state.isBelow(state.status.isFull ? Self.refill : 1)
                return !state.status.isFull
            }
            if mayGoOn { return }
            room.wait()
        }
    }

    /// - Parameter throughput: Bits per second received lately while waiting for data.
    /// - Returns: The amount buffered now.
    func put(
        _ packet: borrowing Packet,
        of track: Track,
        throughput: Double?
    ) throws(FFmpegError)
        -> PacketQueue.Amount
    {
        var ahead = PacketQueue.Amount()
        try change { state throws(FFmpegError) in
            guard state.seek == nil else { return }
            state.status.throughput = throughput
            try state.queue.append(packet, of: track)
            ahead = state.queue.ahead
        }
        return ahead
    }

    func put(_ mark: PacketQueue.Mark) {
        change { state in
            guard state.seek == nil else { return }
            state.queue.append(mark)
            if case .part(let part) = mark {
                state.status.bitRate = part.info.playedBitRate ?? state.status.bitRate
            }
        }
    }

    func end(_ ending: Ending) {
        change { state in
            guard state.seek == nil else { return }
            state.ending = ending
        }
        if case .end = ending { update { $0.connection = .complete } }
    }

    /// Changes the status, and reports it if it differs.
    func update(_ change: (inout StreamStatus) -> Void) {
        let told = state.withLock { state -> StreamStatus? in
            let before = state.status.connection
            change(&state.status)
            return state.status.connection == before ? nil : state.current
        }
        if let told { context.report(.changed(told)) }
    }

    /// Handles an event of the HTTP source.
    func hear(_ event: StreamEvent) {
        switch event {
        // Whether all was read is decided by the packets.
        case .changed(let status): if status.connection != .complete { update { $0.connection = status.connection } }
        case .progressed(let transfer): update { $0.transfer = transfer }
        case .transferred(let transfer):
            update { if $0.transfer?.isSame(as: transfer) == true { $0.transfer = nil } }
            context.report(event)
        case .failed: context.report(event)
        }
    }

    private func change<Failure: Error>(_ body: (inout State) throws(Failure) -> Void) throws(Failure) {
        let (wakes, tells) = try state.withLock { state throws(Failure) -> (Bool, Bool) in
            let before = state.offers
            try body(&state)
            let offers = state.offers
            // A waiting decoder may only have checked the amount, or want more than there was.
            let wakes = !offers.subtracting(before).isEmpty || (state.isStarved && !offers.isEmpty)
            if wakes { state.isStarved = false }
            let tells = state.isAwaited && (state.ending != nil || !state.queue.isEmpty)
            if tells { state.isAwaited = false }
            return (wakes, tells)
        }
        if tells { news.raise() }
        if wakes { context.wake() }
    }
}

extension StreamOptions {
    fileprivate var wantedLength: Double? { preferredForwardBuffer.flatMap { $0 > 0 ? $0 : nil } }

    /// Seconds that are read ahead.
    var bufferLength: Double { wantedLength ?? StreamCore.usualLength }
}

extension StreamCore.State {
    /// The data available for a waiting decoder.
    fileprivate struct Offers: OptionSet {
        let rawValue: Int
        static let mark = Offers(rawValue: 1)
        static let packets = Offers(rawValue: 2)
        static let ending = Offers(rawValue: 4)
    }

    fileprivate var offers: Offers {
        var offers: Offers = []
        if queue.hasMark { offers.insert(.mark) }
        if queue.ahead.seconds >= StreamCore.wakingLength { offers.insert(.packets) }
        if ending != nil { offers.insert(.ending) }
        return offers
    }

    /// Whether less than a share of the read-ahead limit is buffered.
    fileprivate func isBelow(_ share: Double) -> Bool {
        let limit = options.wantedLength == nil ? StreamCore.usualLimit : StreamCore.wantedLimit
        return queue.ahead.seconds < share * options.bufferLength
            && Double(queue.ahead.bytes) < share * Double(limit)
    }

    fileprivate var current: StreamStatus {
        var status = status
        status.bufferedDuration = max(0, queue.ahead.seconds)
        status.bufferedBytes = queue.ahead.bytes
        status.hasEnded = ending != nil
        return status
    }
}
