internal import NIOCore

/// One listener's way through a stream: its packets, and titles between them for those who read these.
struct TitledReading {
    private var reading: StreamReading
    /// Bytes until the next title; `nil` without titles.
    private var untilTitle: Int?
    private var knownTitle = -1

    /// - Parameter number: That of the first packet.
    init(from number: Int, withTitles: Bool) {
        reading = StreamReading(next: number)
        if withTitles { untilTitle = ListenerResponse.titleInterval }
    }

    /// The next bytes, in parts; `nil` when no more are there yet.
    mutating func next(of server: ListenerServer) -> [ByteBuffer]? {
        guard var bytes = reading.next(in: server.recent) else { return nil }
        guard var rest = untilTitle else { return [bytes] }
        var parts: [ByteBuffer] = []
        while bytes.readableBytes >= rest {
            if let part = bytes.readSlice(length: rest) { parts.append(part) }
            parts.append(titleBlock(server))
            rest = ListenerResponse.titleInterval
        }
        rest -= bytes.readableBytes
        untilTitle = rest
        if bytes.readableBytes > 0 { parts.append(bytes) }
        return parts
    }

    private mutating func titleBlock(_ server: ListenerServer) -> ByteBuffer {
        guard knownTitle != server.titleNumber else { return ByteBuffer(bytes: ICYTitle.unchanged) }
        knownTitle = server.titleNumber
        return server.title
    }
}
