internal import NIOCore
internal import NIOHTTP1
internal import WebRequests

/// A request by HTTP while it is being received.
struct WebIncoming {
    let head: HTTPRequestHead
    let admission: Result<WebRequest, WebRefusal>
    /// Its body; that of a request that was refused is passed over.
    private(set) var body = ByteBuffer()
    private var size = 0

    init(_ head: HTTPRequestHead, _ admission: Result<WebRequest, WebRefusal>) {
        (self.head, self.admission) = (head, admission)
    }

    /// Whether it says which named client's it is.
    var claims: Bool { (try? admission.get()).map { $0.claim != nil || $0.cookie != nil } ?? false }

    /// - Returns: Whether the body is not longer than a limit in bytes.
    mutating func append(_ bytes: ByteBuffer, limit: Int) -> Bool {
        size += bytes.readableBytes
        guard size <= limit else { return false }
        if case .success = admission { body.writeImmutableBuffer(bytes) }
        return true
    }

    /// Whether the body is said to be longer than a limit in bytes.
    func isTooLong(limit: Int) -> Bool {
        guard let field = head.headers["content-length"].first else { return false }
        return Int(field).map { $0 > limit } ?? true
    }

    /// Whether the client waits for leave to send the body.
    var asksBefore: Bool { head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" } }

    /// Whether the connection goes on behind the response: not where the client has offered to leave HTTP, for then the decoder
    /// reads no further.
    var keepsAlive: Bool { head.isKeepAlive && head.method != .CONNECT && !head.headers.contains(name: "upgrade") }

    /// The body as a line of a dialogue: JSON takes a carriage return for a blank where it does a line feed, and takes neither
    /// within texts.
    var line: ByteBuffer { body.asLine() }
}

extension ByteBuffer {
    /// A message of JSON, as a line.
    func asLine() -> ByteBuffer {
        var line = ByteBuffer()
        line.reserveCapacity(readableBytes + 1)
        line.writeBytes(readableBytesView.lazy.map { $0 == 0x0a ? 0x0d : $0 })
        line.writeInteger(UInt8(0x0a))
        return line
    }
}
