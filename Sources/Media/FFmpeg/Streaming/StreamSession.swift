internal import AudioTypes

/// A medium of the network as packets, on the thread that reads ahead; heals itself as far as that can be done.
///
/// Everything blocks until the core's interrupt is raised.
protocol StreamSession: AnyObject {
    /// Whether it has no end.
    var isLive: Bool { get }

    /// Opens it, tried again as often as is useful.
    func open() throws -> StreamPart

    /// Takes what comes next.
    func read(into packet: borrowing Packet) throws -> StreamItem

    /// Goes to a place.
    ///
    /// - Returns: The part that begins there; `nil` when the part that was read goes on.
    func seek(_ order: StreamCore.SeekOrder) throws -> StreamPart?

    /// What packets belong to.
    var track: Track? { get }

    /// Hears how much is read ahead.
    func note(ahead: PacketQueue.Amount)

    /// Bits per second that came lately while they were waited for; `nil` until known.
    var throughput: Double? { get }
}

extension StreamSession {
    func note(ahead: PacketQueue.Amount) {}
}

/// What a session gives.
enum StreamItem {
    case packet
    case part(StreamPart)
    case tags(Tags)
    case end
}
