import AudioTypes
import Mixing
import Outputs
import TestSupport

/// An output that passes everything on to another one and remembers what it was told.
final class WatchedOutput: AudioOutput, VolumeControl {
    enum Call: Sendable, Hashable {
        case start, pause
        /// With the number of frames written until then, less those that were taken back.
        case framesAvailable(Int)
        case discard(FramePosition)
        case rewind(FramePosition)
    }

    private let output: any AudioOutput
    private let ring = Watched<(any FrameReading)?>(nil)
    let calls = Watched<[Call]>([])

    init(_ output: any AudioOutput) { self.output = output }

    var format: AudioFormat { output.format }
    var depth: Double { output.depth }
    var lead: Double { output.lead }
    var keepsTime: Bool { output.keepsTime }
    var history: Double { output.history }
    var clock: OutputClock { output.clock }

    func attach(_ ring: any FrameReading, at position: FramePosition, events: @escaping @Sendable (OutputEvent) -> Void)
    {
        self.ring.withLock { $0 = ring }
        output.attach(ring, at: position, events: events)
    }

    func start() {
        output.start()
        calls.withLock { $0.append(.start) }
    }

    func pause() {
        output.pause()
        calls.withLock { $0.append(.pause) }
    }

    func discard(to position: FramePosition) -> Double {
        let heard = output.discard(to: position)
        calls.withLock { $0.append(.discard(position)) }
        return heard
    }

    func rewind(to position: FramePosition) {
        output.rewind(to: position)
        calls.withLock { $0.append(.rewind(position)) }
    }

    func framesAvailable() {
        output.framesAvailable()
        let written = ring.withLock { $0?.written.index ?? 0 }
        calls.withLock { $0.append(.framesAvailable(written)) }
    }

    func setVolume(_ volume: Volume, isMuted: Bool) {
        output.volumeControl?.setVolume(volume, isMuted: isMuted)
    }

    func close() { output.close() }

    /// The number of times that what follows was taken back.
    var rewindCount: Int { calls.withLock { $0.count { if case .rewind = $0 { true } else { false } } } }

    /// Waits until the number of frames written is as wanted.
    func waitUntilWritten(_ isWanted: @escaping @Sendable (Int) -> Bool) async throws {
        let isThere = await calls.wait(within: deadline) { calls in
            // Starting and pausing write nothing.
            guard case .framesAvailable(let written) = calls.last(where: { $0 != .start && $0 != .pause }) else {
                return false
            }
            return isWanted(written)
        }
        if !isThere { throw Missing("frames to be written; the last of \(calls.current.suffix(10))") }
    }

    /// Waits until what follows has been taken back so many times, and something else was decoded.
    func waitForRewinds(_ count: Int) async throws {
        let isThere = await calls.wait(within: deadline) { calls in
            var left = count
            for call in calls {
                if case .rewind = call { left -= 1 }
                if left <= 0, case .framesAvailable = call { return true }
            }
            return false
        }
        if !isThere { throw Missing("\(count) rewinds; there were \(rewindCount)") }
    }
}
