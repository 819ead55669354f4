internal import AudioTypes

/// The frame that is sent to a server next, and the places of frames in the server's stream.
///
/// A pure value.
struct SendCursor: Sendable, Hashable {
    private let bytesPerFrame: Int
    /// The next frame to send.
    private(set) var position = FramePosition.zero
    /// The first frame since the last jump: none before it can be heard any more.
    private(set) var firstAudible = FramePosition.zero
    /// Where the server's byte index 0 lies in the ring, in bytes; `nil` after a flush, until the timing is known.
    private var origin: Int64?
    /// The server's byte index of the next write, when it replaces sent frames.
    private(set) var rewriteIndex: Int64?
    /// Whether the server's buffer is empty, and was not left to run dry.
    private(set) var isFlushed = false

    init(bytesPerFrame: Int) { self.bytesPerFrame = bytesPerFrame }

    /// Whether the next frames replace sent ones.
    var replaces: Bool { rewriteIndex != nil }

    /// Whether it is known where frames lie in the stream.
    var isPlaced: Bool { origin != nil }

    private func byte(_ position: FramePosition) -> Int64 { Int64(position.index * bytesPerFrame) }

    // MARK: Jumps

    /// Continues in a new stream, in which bytes are counted from the next frame on.
    mutating func openStream() {
        origin = byte(position)
        rewriteIndex = nil
        isFlushed = true
    }

    /// Continues with the frames of another ring.
    mutating func attach(at position: FramePosition) {
        jump(to: position)
        // After a flush, the timing gives the origin.
        if origin != nil { origin = byte(position) }
    }

    /// Continues with another frame; those before cannot be heard any more.
    mutating func jump(to position: FramePosition) {
        self.position = position
        firstAudible = position
        rewriteIndex = nil
    }

    /// The server's buffer was cleared.
    mutating func flush() {
        origin = nil
        rewriteIndex = nil
        isFlushed = true
    }

    // MARK: Replacing sent frames

    /// The place and the number of frames that are sent again.
    enum Rewind: Sendable, Hashable {
        /// None of them was sent.
        case nothing
        /// They are written over.
        case overwriting
        /// The buffer has to be flushed: they are about to be heard, or it is not known where they lie.
        case flushing
    }

    /// Sends the frames from `position` on again, and where the buffer is flushed, those before it not heard yet.
    ///
    /// - Parameters:
    ///   - heard: The frame heard now.
    ///   - margin: Frames after it that cannot be written over.
    mutating func rewind(to position: FramePosition, heard: Double, margin: Double) -> Rewind {
        guard self.position > position else { return .nothing }
        if origin != nil, Double(position.index) > heard + margin {
            overwrite(from: position)
            return .overwriting
        }
        jump(to: min(position, FramePosition(Int(sample: heard))))
        return .flushing
    }

    /// Writes over the frames that were sent from `first` on.
    mutating func overwrite(from first: FramePosition) {
        guard let origin else { return }
        position = min(position, first)
        rewriteIndex = byte(position) - origin
    }

    // MARK: Sending

    /// Frames were written, at `rewriteIndex` if there is one.
    mutating func sent(_ frames: Int) {
        position += frames
        rewriteIndex = nil
    }

    /// The stream may start: enough was sent after a flush.
    mutating func fill() { isFlushed = false }

    // MARK: The server's answers

    /// Learns from the server's write index where frames lie.
    mutating func place(writeIndex: Int64) {
        if origin == nil { origin = byte(position) - writeIndex }
    }

    /// The frame at a byte index; `nil` while it is not known where frames lie.
    func frame(at index: Int64) -> Double? { origin.map { Double(index + $0) / Double(bytesPerFrame) } }

    /// The frame nearest to this one that can be heard.
    func audible(_ frame: Double) -> Double {
        min(max(frame, Double(firstAudible.index)), Double(max(position, firstAudible).index))
    }
}
