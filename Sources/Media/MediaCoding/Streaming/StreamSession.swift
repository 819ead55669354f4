internal import AudioTypes
internal import FFmpegValues

/// A network medium as packets, on the read-ahead thread; recovers from errors as far as possible.
///
/// Every method blocks until the core's interrupt is raised.
protocol StreamSession: AnyObject {
    /// Whether it has no end.
    var isLive: Bool { get }

    /// Opens it, with retries as long as they are useful.
    func open() throws -> StreamPart

    /// Reads the next packet.
    func read(into packet: borrowing Packet) throws -> StreamItem

    /// Seeks.
    ///
    /// - Returns: The part that starts there; `nil` when the current part continues.
    func seek(_ order: StreamCore.SeekOrder) throws -> StreamPart?

    /// The packets' track.
    var track: Track? { get }

    /// Receives the amount that is read ahead.
    func record(ahead: PacketQueue.Amount)

    /// Bits per second received lately while waiting for data; `nil` until known.
    var throughput: Double? { get }
}

extension StreamSession {
    func record(ahead: PacketQueue.Amount) {}
}

/// An item of a session.
enum StreamItem {
    case packet
    case part(StreamPart)
    case tags(Tags)
    case end
}
