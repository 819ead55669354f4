internal import AudioTypes
internal import CFFmpeg
internal import DequeModule
internal import FFmpegValues

/// Packets read ahead and, for a while, those already taken: a short seek back needs no new data.
///
/// Owns the packets.
@safe
struct PacketQueue: ~Copyable {
    /// A mark between two packets.
    enum Mark {
        /// Another part follows, such as after a live stream was reopened.
        case part(StreamPart)
        /// These tags apply from here on.
        case tags(Tags)
    }

    fileprivate enum Element {
        case packet(QueuedPacket)
        case mark(Mark)
    }

    private var elements: Deque<Element> = []
    /// The next element; those before it were taken.
    private var next = 0
    /// The amounts of packets not taken yet, and of those taken.
    private(set) var ahead = Amount()
    private var behind = Amount()

    /// The amount of some packets.
    struct Amount {
        var seconds = 0.0
        var bytes = 0

        fileprivate static func += (amount: inout Self, packet: QueuedPacket) {
            amount.seconds += packet.seconds
            amount.bytes += packet.byteCount
        }

        fileprivate static func -= (amount: inout Self, packet: QueuedPacket) {
            amount.seconds -= packet.seconds
            amount.bytes -= packet.byteCount
        }
    }

    /// Limits of the packets kept after they were taken: those decoded and not heard yet, and some twenty seconds of
    /// heard ones.
    private static let keptSeconds = 32.0
    private static let keptBytes = 8 << 20

    init() {}

    deinit {
        for element in elements { Self.free(element) }
    }

    /// Whether no element is left to take.
    var isEmpty: Bool { next == elements.count }

    /// Whether the next element is a mark.
    var hasMark: Bool {
        guard next < elements.count, case .mark = elements[next] else { return false }
        return true
    }

    /// Takes over a packet's data; `packet` is empty afterwards.
    mutating func append(_ packet: borrowing Packet, of track: Track) throws(FFmpegError) {
        let owned = try QueuedPacket(moving: packet, track)
        ahead += owned
        elements.append(.packet(owned))
    }

    mutating func append(_ mark: Mark) { elements.append(.mark(mark)) }

    /// The result of `take`.
    enum Taken {
        case nothing
        case packet
        case mark(Mark)
    }

    /// Returns the next packet, or the mark before it.
    mutating func take(into packet: borrowing Packet) throws(FFmpegError) -> Taken {
        guard next < elements.count else { return .nothing }
        switch elements[next] {
        case .mark(let mark):
            next += 1
            return .mark(mark)
        case .packet(let owned):
            packet.clear()
            try FFmpegError.check(unsafe av_packet_ref(packet.pointer, owned.pointer), "cannot read on")
            next += 1
            // Rounding errors of many differences would add up.
            if isEmpty { ahead = Amount() } else { ahead -= owned }
            behind += owned
            trim()
            return .packet
        }
    }

    /// Drops packets taken long ago.
    private mutating func trim() {
        while next > 0, behind.seconds > Self.keptSeconds || behind.bytes > Self.keptBytes {
            let first = elements.removeFirst()
            next -= 1
            if case .packet(let packet) = first { behind -= packet }
            Self.free(first)
        }
    }

    /// Moves to the last packet that starts at or before a timestamp of the current part.
    ///
    /// - Returns: Whether there is one; if not, nothing changes.
    mutating func seek(to timestamp: Int64) -> Bool {
        // Only within one part: the timestamps of another have another meaning.
        var first = next
        while first > 0, !elements[first - 1].beginsPart { first -= 1 }
        var found: Int?
        var index = first
        while index < elements.count, !elements[index].beginsPart {
            if case .packet(let packet) = elements[index] {
                guard let start = packet.timestamp else { return false }
                if start > timestamp { break }
                found = index
            }
            index += 1
        }
        // After the last packet, the position is in data not received yet.
        guard let found, index < elements.count else { return false }
        move(to: found)
        return true
    }

    private mutating func move(to place: Int) {
        while next > place {
            next -= 1
            if case .packet(let packet) = elements[next] {
                behind -= packet
                ahead += packet
            }
        }
        while next < place {
            if case .packet(let packet) = elements[next] {
                ahead -= packet
                behind += packet
            }
            next += 1
        }
    }

    /// Drops everything.
    mutating func removeAll() {
        for element in elements { Self.free(element) }
        elements.removeAll(keepingCapacity: true)
        next = 0
        ahead = Amount()
        behind = Amount()
    }

    private static func free(_ element: Element) {
        if case .packet(let packet) = element { packet.free() }
    }
}

extension PacketQueue.Element {
    /// Whether timestamps have another meaning from here on.
    fileprivate var beginsPart: Bool {
        if case .mark(.part) = self { true } else { false }
    }
}

/// A packet owned by the queue.
@safe
private struct QueuedPacket {
    let pointer: UnsafeMutablePointer<AVPacket>
    let seconds: Double
    var byteCount: Int { unsafe Int(pointer.pointee.size) }

    init(moving packet: borrowing Packet, _ track: Track) throws(FFmpegError) {
        unsafe pointer = try FFmpegError.unwrap(av_packet_alloc(), "cannot allocate a packet")
        unsafe av_packet_move_ref(pointer, packet.pointer)
        seconds = unsafe Double(pointer.pointee.duration) * av_q2d(track.timeBase)
    }

    /// In the track's time base; `nil` when unknown.
    var timestamp: Int64? {
        let time = unsafe pointer.pointee.pts == segue_AV_NOPTS_VALUE ? pointer.pointee.dts : pointer.pointee.pts
        return time == segue_AV_NOPTS_VALUE ? nil : time
    }

    func free() {
        var owned: UnsafeMutablePointer<AVPacket>? = unsafe pointer
        unsafe av_packet_free(&owned)
    }
}
