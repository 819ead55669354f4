package import LineProtocol
package import ServerBasics
package import Threads

/// A long reply that is made piece by piece on a thread that may block on the disk.
package protocol PageMaker: Sendable {
    /// Appends the next piece of the reply.
    ///
    /// - Returns: Whether more may follow.
    mutating func makePage(_ bytes: inout [UInt8], _ cancellation: Cancellation) throws -> Bool
}

/// Bytes in memory, sent in pieces as the client reads them.
package struct ByteSource: ReplySource {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) { rest = bytes[...] }
    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    package mutating func fill(_ reply: inout Reply, upTo limit: Int) -> Bool {
        let piece = rest.prefix(max(0, limit - reply.bytes.count))
        reply.bytes.append(contentsOf: piece)
        rest = rest.dropFirst(piece.count)
        return rest.isEmpty
    }
}

extension ClientJobs {
    /// Streams a reply page by page: makes the next page once the client has read the one before.
    package func stream(
        _ maker: some PageMaker,
        for client: some JobClient,
        on workQueue: WorkQueue = .index
    ) throws(AckError) -> Outcome {
        let work = { @Sendable (cancellation: Cancellation) in
            var maker = maker
            var bytes: [UInt8] = []
            let hasMore = try maker.makePage(&bytes, cancellation)
            return Page(maker: maker, bytes: bytes, hasMore: hasMore)
        }
        return try perform(for: client, on: workQueue, work) { [unowned self, unowned client] page in
            guard page.hasMore else { return .stream(ByteSource(page.bytes)) }
            return .streamThen(ByteSource(page.bytes)) { [unowned self, unowned client] in
                try stream(page.maker, for: client, on: workQueue)
            }
        }
    }
}

private struct Page<Maker: PageMaker>: Sendable {
    let maker: Maker
    let bytes: [UInt8]
    let hasMore: Bool
}
