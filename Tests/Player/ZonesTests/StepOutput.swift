import AudioTypes
import Mixing
import Outputs
import TestSupport

/// Plays to nowhere, as fast as frames come, up to a limit, so that a test acts at a known frame.
final class StepOutput: AudioOutput {
    struct State: Sendable {
        var ring: (any FrameReading)?
        var events: (@Sendable (OutputEvent) -> Void)?
        var isRunning = false
        /// Where in the ring is heard, and where its frames end.
        var place = 0
        var end = 0
        /// The frames heard since the beginning.
        var heard = 0
        var limit: Int
        /// How often frames were taken back.
        var rewinds = 0
        /// The frames there are since the beginning.
        var decoded: Int { heard + end - place }
    }

    let format = AudioFormat.cd
    let depth = 0.0
    let lead = 0.0
    private let state: Watched<State>

    init(limit: Int = .max) { state = Watched(State(limit: limit)) }

    /// The frames heard since the beginning.
    var frames: Int { state.withLock { $0.heard } }

    /// Lets so many frames be heard since the beginning.
    func release(to limit: Int = .max) { change { $0.limit = limit } }

    /// Waits until all frames were heard that may be.
    func waitUntilHeld() async throws {
        guard await state.wait(within: deadline, until: { $0.heard >= $0.limit }) else {
            throw Missing("the limit; \(frames) frames were heard")
        }
    }

    /// Once there are more frames than so many, does something after which they are not to be heard, and waits until they
    /// were taken back: the thread that decodes does that later than it is told to.
    func takeBack(to count: Int, _ body: () async throws -> Void) async throws {
        guard await state.wait(within: deadline, until: { $0.decoded > count }) else {
            throw Missing("frames past \(count)")
        }
        let before = state.current.rewinds
        try await body()
        guard await state.wait(within: deadline, until: { $0.rewinds > before }) else {
            throw Missing("frames to be taken back to \(count)")
        }
    }

    /// - Parameter isNews: Whether the clock has changed also when nothing was heard.
    private func change(isNews: Bool = true, _ body: (inout State) -> Void) {
        let events = state.withLock { state in
            body(&state)
            guard state.isRunning else { return isNews ? state.events : nil }
            let count = max(0, min(state.end - state.place, state.limit - state.heard))
            state.place += count
            state.heard += count
            return isNews || count > 0 ? state.events : nil
        }
        events?(.clockChanged)
    }

    // MARK: What a player asks for

    func attach(_ ring: any FrameReading, at position: FramePosition, events: @escaping @Sendable (OutputEvent) -> Void)
    {
        state.withLock {
            $0.ring = ring
            $0.events = events
            $0.place = position.index
            $0.end = position.index
        }
    }

    func start() { change { $0.isRunning = true } }
    func pause() { change { $0.isRunning = false } }
    func framesAvailable() { change(isNews: false) { $0.end = $0.ring?.written.index ?? 0 } }
    func rewind(to position: FramePosition) {
        change {
            $0.end = min($0.end, position.index)
            $0.rewinds += 1
        }
    }
    func close() { change { $0.isRunning = false } }

    func discard(to position: FramePosition) -> Double {
        var heard = 0
        change {
            heard = $0.place
            $0.place = position.index
            $0.end = position.index
        }
        return Double(heard)
    }

    var clock: OutputClock { state.withLock { OutputClock(frame: Double($0.place), time: .now, rate: 0) } }
}

/// What a test waited for in vain.
struct Missing: Error, CustomStringConvertible {
    let what: String
    init(_ what: String) { self.what = what }
    var description: String { "waited in vain for \(what)" }
}

/// How long anything may take on a busy machine.
let deadline = Duration.seconds(30)
