internal import AudioTypes
internal import Mixing
internal import Outputs
internal import Synchronization

/// What the output under a mixer reads.
///
/// The lock is a leaf: nobody is called with it held, since outputs read with locks of their own held.
final class MixedFrames: FrameReading {
    let format: AudioFormat
    let mix: Mutex<Mix>

    init(format: AudioFormat) {
        self.format = format
        mix = Mutex(Mix(format: format))
    }

    var written: FramePosition { mix.withLock { FramePosition($0.written) } }

    var kept: FramePosition { mix.withLock { FramePosition($0.kept) } }

    func read(at position: FramePosition, into target: UnsafeMutableRawPointer, count: Int) -> Int {
        mix.withLock { unsafe $0.read(at: position.index, into: target, count: count) }
    }

    /// Passes on what the output tells, to whom it concerns.
    ///
    /// - Returns: Whether the mixer waits for something to end.
    func tell(_ event: OutputEvent) -> Bool {
        let (listeners, isEnding) = mix.withLock { mix in
            switch event {
            case .lost(let reason): mix.loss = reason
            case .restored: mix.loss = nil
            case .failed, .clockChanged: break
            }
            let concerned = mix.tracks.filter { event != .clockChanged || $0.map.isOpen || $0.fadeEnd != nil }
            return (concerned.compactMap(\.events), mix.stop != nil)
        }
        for listener in listeners { listener(event) }
        return isEnding
    }
}
