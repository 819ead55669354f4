internal import LineProtocol

/// A long reply that is made piece by piece on a thread that may wait for a disk.
protocol PageMaker: Sendable {
    /// Adds the next piece of the reply.
    ///
    /// - Returns: Whether there may be more.
    mutating func makePage(_ bytes: inout [UInt8]) throws -> Bool
}

/// Bytes that are there, cut into pieces as the client reads them.
struct ByteSource: ReplySource {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func fill(_ reply: inout Reply, upTo limit: Int) -> Bool {
        let end = min(bytes.count, place + max(0, limit - reply.bytes.count))
        reply.bytes.append(contentsOf: bytes[place..<end])
        place = end
        return place == bytes.count
    }
}

extension ServerState {
    /// Sends a reply that is made by pages: the next one only when the client has read the one before.
    func stream(_ maker: some PageMaker, for client: Client, isSlow: Bool = false) -> Outcome {
        let work = { @Sendable in
            var maker = maker
            var bytes: [UInt8] = []
            let hasMore = try maker.makePage(&bytes)
            return Page(maker: maker, bytes: bytes, hasMore: hasMore)
        }
        return perform(for: client, on: workers(isSlow: isSlow), work) { [unowned self, unowned client] page in
            guard page.hasMore else { return .stream(ByteSource(page.bytes)) }
            return .streamThen(ByteSource(page.bytes)) { [unowned self, unowned client] in
                stream(page.maker, for: client, isSlow: isSlow)
            }
        }
    }
}

private struct Page<Maker: PageMaker>: Sendable {
    let maker: Maker
    let bytes: [UInt8]
    let hasMore: Bool
}
