internal import AudioTypes

/// The streams of a player's events and times.
struct Audience: Sendable {
    /// A stream of events.
    private struct Listener: Sendable {
        let tell: @Sendable (PlayerEvent, _ order: Int) -> Void
        let finish: @Sendable () -> Void
    }

    /// A stream of times.
    private struct Observation: Sendable {
        var observer: TimeObserver
        let continuation: AsyncStream<MediaTime>.Continuation
    }

    private var listeners: [Int: Listener] = [:]
    private var observations: [Int: Observation] = [:]
    private var nextNumber = 0
    private var isFinished = false
    /// The event that told of the output's loss, until the output is restored.
    private var loss: PlayerEvent?
    /// The number of events so far.
    private(set) var eventCount = 0
    /// The number of the caller's order that last took effect, which events carry.
    var order = 0

    // MARK: Streams

    /// A stream of all events from now on; the first tells that the output is lost, if it is.
    ///
    /// - Parameter onEnd: Receives the stream's number for `remove` when it is not read any more.
    mutating func listen<Element>(
        _ element: @escaping @Sendable (PlayerEvent, _ order: Int) -> Element,
        onEnd: @escaping @Sendable (Int) -> Void
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
        let number = admit(continuation, onEnd)
        listeners[number] = Listener(
            tell: { continuation.yield(element($0, $1)) },
            finish: { continuation.finish() }
        )
        if let loss { continuation.yield(element(loss, order)) }
        return stream
    }

    /// A stream of ticks.
    ///
    /// - Parameter time: Where the player is.
    mutating func observe(
        _ kind: TimeObserver.Kind,
        at time: MediaTime,
        onEnd: @escaping @Sendable (Int) -> Void
    ) -> AsyncStream<MediaTime> {
        let policy: AsyncStream<MediaTime>.Continuation.BufferingPolicy
        if case .periodic = kind { policy = .bufferingNewest(1) } else { policy = .unbounded }
        let (stream, continuation) = AsyncStream.makeStream(of: MediaTime.self, bufferingPolicy: policy)
        let number = admit(continuation, onEnd)
        observations[number] = Observation(observer: TimeObserver(kind, at: time), continuation: continuation)
        return stream
    }

    private mutating func admit<Element>(
        _ continuation: AsyncStream<Element>.Continuation,
        _ onEnd: @escaping @Sendable (Int) -> Void
    ) -> Int {
        defer { nextNumber += 1 }
        if isFinished { continuation.finish() }
        continuation.onTermination = { [number = nextNumber] _ in onEnd(number) }
        return nextNumber
    }

    mutating func remove(_ number: Int) {
        listeners[number] = nil
        observations[number] = nil
    }

    /// Ends all streams, also those that are begun later.
    mutating func finish() {
        isFinished = true
        endStreams()
        listeners = [:]
        observations = [:]
    }

    /// Ends the streams of a player that is released.
    func endStreams() {
        for listener in listeners.values { listener.finish() }
        for observation in observations.values { observation.continuation.finish() }
    }

    // MARK: News

    mutating func tell(_ event: PlayerEvent) {
        eventCount += 1
        switch event {
        case .outputLost, .routeLost, .outputFailed: loss = event
        case .outputRestored: loss = nil
        default: break
        }
        for listener in listeners.values { listener.tell(event, order) }
    }

    /// Gives observers their ticks.
    mutating func tick(_ ticks: (inout TimeObserver) -> [MediaTime]) {
        for number in observations.keys {
            guard var observation = observations[number] else { continue }
            for time in ticks(&observation.observer) { observation.continuation.yield(time) }
            observations[number] = observation
        }
    }

    /// The times of the next ticks, of one for each observer that has another.
    var nextTicks: [MediaTime] { observations.values.compactMap(\.observer.next) }
}
