internal import Threads

/// Interest in the streams of other programs at a sound server, and control of their levels; ends when it is released.
///
/// May be used from any thread, and never blocks.
package final class StreamObservation: Sendable {
    private let monitor: PulseMonitor.Observation
    private let streams: PulseStreams

    init(_ monitor: PulseMonitor.Observation, _ streams: PulseStreams) {
        self.monitor = monitor
        self.streams = streams
    }

    deinit { streams.observe(atMost: 0, nil) }

    /// Leads a stream to a level, in steps of 10 ms; a level that the user sets meanwhile stays.
    ///
    /// - Parameter number: The order's, by which reports of the stream tell that it was carried out.
    package func fade(_ index: UInt32, to level: StreamLevel, steps: Int, number: Int) {
        streams.post(.fade(index, level, steps: steps, number: number))
    }

    /// Gives a stream a level at once.
    package func set(_ index: UInt32, to level: StreamLevel) { streams.post(.set(index, level)) }

    /// Has the server's memory of volumes keep a level for the next stream of that name; told by
    /// ``PulseStreamNews/remembered(key:)`` if it has one.
    package func remember(_ key: String, _ level: StreamLevel) { streams.post(.remember(key, level)) }

    /// Changes how many streams may be watched; those that are watched already stay.
    package func limit(to limit: Int) { streams.limit(to: limit) }

    /// Calls back when the server has done all that was ordered before, or is away.
    package func flush(_ done: @escaping @Sendable () -> Void) { streams.post(.flush(done)) }
}
