package import AudioTypes
package import Mixing
private import Synchronization

/// A silent output in real time: a clock that moves while there are frames.
///
/// It has no thread and copies nothing.
package final class NullOutput: AudioOutput {
    package var format: AudioFormat { state.withLock { $0.format } }
    package let depth = 0.0
    package let lead = 0.0
    package let rewriteMargin: Double? = 0
    private let state: Mutex<State>

    private struct State {
        var format: AudioFormat
        var ring: (any FrameReading)?
        var events: (@Sendable (OutputEvent) -> Void)?
        /// As last told.
        var isStarted = false
        /// The frame heard at `time`, if running since then.
        var frame = 0.0
        var time = HostTime.now
        /// The end of the frames when last checked.
        var end = 0
    }

    package init(format: AudioFormat = .cd) {
        state = Mutex(State(format: format))
    }

    package func attach(
        _ ring: any FrameReading,
        at position: FramePosition,
        events: @escaping @Sendable (OutputEvent) -> Void
    ) {
        state.withLock {
            $0.ring = ring
            $0.events = events
            $0.frame = Double(position.index)
            $0.end = position.index
        }
    }

    package func reformat(to format: AudioFormat) {
        change { state in
            state.format = format
            state.ring = nil
            state.end = Int(sample: state.frame)
        }
    }

    package func start() { change { $0.isStarted = true } }

    package func pause() { change { $0.isStarted = false } }

    @discardableResult
    package func discard(to position: FramePosition) -> Double {
        change { state in
            defer {
                state.frame = Double(position.index)
                state.end = position.index
            }
            return state.frame
        }
    }

    package func rewind(to position: FramePosition) { change { $0.end = min($0.end, position.index) } }

    package func framesAvailable() {
        let wasDry = state.withLock { state in
            settle(&state, at: .now)
            let wasDry = state.frame >= Double(state.end)
            state.end = state.ring?.written.index ?? 0
            return wasDry && state.isStarted
        }
        if wasDry { state.withLock { $0.events }?(.clockChanged) }
    }

    package var clock: OutputClock {
        state.withLock { state in
            settle(&state, at: .now)
            let isMoving = state.isStarted && state.frame < Double(state.end)
            return OutputClock(
                frame: state.frame,
                time: state.time,
                rate: isMoving ? Double(state.format.sampleRate) : 0
            )
        }
    }

    package func close() { change { $0.isStarted = false } }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, events) = state.withLock { state in
            settle(&state, at: .now)
            let result = body(&state)
            return (result, state.events)
        }
        events?(.clockChanged)
        return result
    }

    /// Moves the clock to a moment; it stops where the frames end.
    private func settle(_ state: inout State, at now: HostTime) {
        if state.isStarted {
            let moved = state.frame + (now - state.time) * Double(state.format.sampleRate)
            state.frame = max(state.frame, min(moved, Double(state.end)))
        }
        state.time = now
    }
}
