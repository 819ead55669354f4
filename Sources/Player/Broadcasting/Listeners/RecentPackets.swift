internal import DequeModule
internal import NIOCore

/// The last packets of a stream, which all its readers share, each from a place of its own.
///
/// Packets that are too old or too many are dropped, whoever has not read them.
struct RecentPackets {
    struct Packet {
        var header: ByteBuffer
        /// The number of its stream among those that followed each other.
        var stream: Int
        var bytes: ByteBuffer
        var seconds: Double
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
        var packet = packet
        // One copy of a header for all packets of its stream.
        if let last = packets.last, last.stream == packet.stream { packet.header = last.header }
        packets.append(packet)
        seconds += packet.seconds
        byteCount += packet.bytes.readableBytes
        while packets.count > 1, seconds > longest || byteCount > most || packets.count > Self.mostPackets { drop() }
    }

    /// Drops all packets.
    mutating func clear() { while !packets.isEmpty { drop() } }

    /// The packet with which the last so many seconds of the last stream begin.
    func number(before end: Double) -> Int {
        var number = self.end
        var length = 0.0
        while length < end, let packet = self[number - 1], packet.stream == packets.last?.stream {
            number -= 1
            length += packet.seconds
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

extension RecentPackets.Packet {
    init(_ packet: StreamPacket) {
        self.init(
            header: ByteBuffer(bytes: packet.header),
            stream: packet.stream,
            bytes: ByteBuffer(bytes: packet.bytes),
            seconds: packet.seconds
        )
    }
}

/// One reader's place in a stream.
struct StreamReading {
    /// The number of the next packet.
    private var number: Int
    /// The stream whose header was read.
    private var stream: Int?

    init(next number: Int) { self.number = number }

    /// The next bytes: a packet's, or before them the header of its stream.
    ///
    /// A listener that has fallen behind the packets that are kept goes on with the newest one.
    mutating func next(in recent: RecentPackets) -> ByteBuffer? {
        if number < recent.first { number = max(recent.first, recent.end - 1) }
        guard let packet = recent[number] else { return nil }
        guard packet.stream == stream else {
            stream = packet.stream
            return packet.header
        }
        number += 1
        return packet.bytes
    }
}
