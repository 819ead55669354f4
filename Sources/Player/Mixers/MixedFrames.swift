internal import AudioTypes
internal import Mixing
internal import Outputs
internal import Synchronization

/// The frames that the output under a mixer reads.
///
/// The lock is a leaf: nothing is called with it held, because outputs read while holding locks of their own.
final class MixedFrames: FrameReading {
    var format: AudioFormat { mix.withLock { $0.format } }
    let mix: Mutex<Mix>

    init(format: AudioFormat) {
        mix = Mutex(Mix(format: format))
    }

    var written: FramePosition { mix.withLock { FramePosition($0.written) } }

    var kept: FramePosition { mix.withLock { FramePosition($0.kept) } }

    func read(at position: FramePosition, into target: UnsafeMutableRawPointer, count: Int) -> Int {
        mix.withLock { unsafe $0.read(at: position.index, into: target, count: count) }
    }

    /// Forwards an output's event to the channels that it concerns.
    ///
    /// - Returns: Whether the mixer is waiting for the sound to end.
    func tell(_ event: OutputEvent) -> Bool {
        let (listeners, isEnding) = mix.withLock { mix in
            switch event {
            case .lost, .routeLost: mix.loss = event
            case .restored: mix.loss = nil
            case .failed, .clockChanged, .routeChanged, .corkRequested, .volumeHeld, .formatChanged, .attributesChanged,
                .idle:
                break
            }
            let concerned = mix.tracks.filter { event != .clockChanged || $0.map.isOpen || $0.fadeEnd != nil }
            return (concerned.compactMap(\.events), mix.stop != nil)
        }
        for listener in listeners { listener(event) }
        return isEnding
    }
}
