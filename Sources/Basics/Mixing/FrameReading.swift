package import AudioTypes

/// A source of frames for outputs: a player's ring, or a mix of several.
///
/// May be read by several threads, each at its own position.
package protocol FrameReading: AnyObject, Sendable {
    var format: AudioFormat { get }

    /// The end of the readable frames; it may move back, after readers beyond it were notified.
    var written: FramePosition { get }

    /// The first frame that is still available.
    var kept: FramePosition { get }

    /// Copies frames from a position on, as many as are available.
    ///
    /// Real-time safe: does not allocate, nor wait for a thread that does.
    func read(at position: FramePosition, into target: UnsafeMutableRawPointer, count: Int) -> Int
}
