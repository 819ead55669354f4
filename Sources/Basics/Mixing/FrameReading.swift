package import AudioTypes

/// What an output takes its frames from: a player's ring, or what several of them are mixed to.
///
/// May be read by several threads, each at its own place.
package protocol FrameReading: AnyObject, Sendable {
    var format: AudioFormat { get }

    /// The end of what can be read; it may go back, and whoever is beyond it is told before.
    var written: FramePosition { get }

    /// The first frame that is still there.
    var kept: FramePosition { get }

    /// Copies frames from a position on, as many as are there.
    ///
    /// Real-time safe: does not allocate, and waits for nobody who does.
    func read(at position: FramePosition, into target: UnsafeMutableRawPointer, count: Int) -> Int
}
