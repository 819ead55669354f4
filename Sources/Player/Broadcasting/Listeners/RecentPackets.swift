internal import DequeModule
internal import NIOCore

/// The last packets of a stream, which all its readers share, each from a place of its own.
///
/// What is too old or too much is dropped, whoever has not read it.
struct RecentPackets {
    struct Packet {
        var bytes: ByteBuffer
        var seconds: Double
        /// The header of the stream that begins here, if one does.
        var header: ByteBuffer?
    }

    private var packets: Deque<Packet> = []
    /// The number of the first packet that is kept; numbers never repeat.
    private(set) var first = 0
    private var seconds = 0.0
    private var byteCount = 0
    private let longest: Double
    private let most: Int

    init(seconds: Double, bytes: Int) { (longest, most) = (seconds, bytes) }

    /// The number of the next packet.
    var end: Int { first + packets.count }

    subscript(number: Int) -> Packet? { number >= first && number < end ? packets[number - first] : nil }

    mutating func append(_ packet: Packet) {
        packets.append(packet)
        seconds += packet.seconds
        byteCount += packet.bytes.readableBytes
        while packets.count > 1, seconds > longest || byteCount > most || packets.count > Self.mostPackets { drop() }
    }

    /// Drops all packets.
    mutating func clear() { while !packets.isEmpty { drop() } }

    /// The packet with which the last so many seconds begin; not before the last header.
    func number(before end: Double) -> Int {
        var number = self.end
        var length = 0.0
        while number > first, length < end, let packet = self[number - 1] {
            number -= 1
            length += packet.seconds
            if packet.header != nil { break }
        }
        return number
    }

    private mutating func drop() {
        guard let packet = packets.popFirst() else { return }
        first += 1
        seconds -= packet.seconds
        byteCount -= packet.bytes.readableBytes
    }

    private static let mostPackets = 1_024
}
