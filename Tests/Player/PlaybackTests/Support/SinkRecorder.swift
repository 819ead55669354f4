import AudioTypes
import Outputs
import Synchronization
import TestSupport

/// What a `SinkOutput` has given its sink; the sink can be held back, so that a test acts at a known frame.
final class SinkRecorder: Sendable {
    struct State: Sendable {
        var bytes: [UInt8] = []
        /// The sink blocks before it goes beyond so many frames.
        var limit = Int.max
        var isFinished = false
        /// Where each write began, in frames.
        var writes: [Int] = []
        /// Whether the sink waits at the limit.
        var isHeld = false
    }

    let format: AudioFormat
    let state: Watched<State>

    init(format: AudioFormat = .cd, limit: Int = .max) {
        self.format = format
        var state = State()
        state.limit = limit
        self.state = Watched(state)
    }

    var frames: Int { state.withLock { [format] in $0.bytes.count / format.bytesPerFrame } }

    /// Lets the sink go on up to so many frames.
    func release(to limit: Int = .max) {
        state.withLock {
            $0.limit = limit
            $0.isHeld = false
        }
    }

    /// Waits until the sink stands at its limit.
    func waitUntilHeld() async throws {
        guard await state.wait(within: deadline, until: { $0.isHeld }) else { throw Missing("the sink to be held") }
    }

    /// Waits until so many frames were taken.
    func waitForFrames(_ count: Int) async throws {
        let size = format.bytesPerFrame
        guard await state.wait(within: deadline, until: { $0.bytes.count >= count * size }) else {
            throw Missing("\(count) frames; there are \(frames)")
        }
    }

    /// One channel's samples.
    func samples(channel: Int = 0) -> [Int16] {
        let bytes = state.current.bytes
        let step = format.bytesPerFrame
        return stride(from: 2 * channel, to: bytes.count, by: step).map { place in
            Int16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
        }
    }

    /// One channel's samples; full scale is ±1.
    func signal(channel: Int = 0) -> [Float] { samples(channel: channel).map { Float($0) / 32_768 } }

    /// The sink; it may be used by one output.
    func sink() -> RecordingSink { RecordingSink(self) }
}

final class RecordingSink: FrameSink {
    private let recorder: SinkRecorder

    init(_ recorder: SinkRecorder) { self.recorder = recorder }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        let copy = unsafe [UInt8](bytes)
        let size = recorder.format.bytesPerFrame
        var rest = copy[...]
        while !rest.isEmpty {
            let taken = recorder.state.withLock { state in
                let room = state.limit == .max ? rest.count : state.limit * size - state.bytes.count
                let count = max(0, min(rest.count, room))
                state.isHeld = count == 0
                if count > 0 { state.writes.append(state.bytes.count / size) }
                state.bytes += rest.prefix(count)
                return count
            }
            rest = rest.dropFirst(taken)
            guard taken == 0 else { continue }
            let isReleased = recorder.state.waitBlocking(within: .patience) { $0.limit > $0.bytes.count / size }
            if !isReleased { throw Missing("the sink to be released") }
        }
    }

    func finish() throws { recorder.state.withLock { $0.isFinished = true } }
}

/// What a test waited for in vain.
struct Missing: Error, CustomStringConvertible {
    let what: String
    init(_ what: String) { self.what = what }
    var description: String { "waited in vain for \(what)" }
}

/// How long anything may take on a busy machine.
let deadline = Duration.seconds(60)
