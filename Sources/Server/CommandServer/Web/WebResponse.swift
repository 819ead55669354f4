internal import NIOCore
internal import NIOHTTP1
internal import Settings

/// The response to a request by HTTP that a connection's dialogue answers, in lines.
protocol WebAnswer: AnyObject {
    /// Sends lines, or a piece of one.
    func write(_ bytes: [UInt8], _ writer: ReplyWriter)
    /// Sends a sign of life.
    func ping()
    /// Ends the connection with the response.
    func closeWhenEnded()
}

/// The response to a message by HTTP: the line that a dialogue writes is its body.
///
/// A short one is sent with its length, a longer one in chunks, as it is made.
final class WebResponse: WebAnswer {
    private enum State {
        case waiting
        case begun
        case ended
    }

    private let channel: any Channel
    private let version: HTTPVersion
    /// Of a page elsewhere that may read it.
    private let origin: WebOrigin?
    private let date: String
    /// The head as bytes, up to the length of the body, for a response that comes whole; `nil` where it has further fields.
    private let head: [UInt8]?
    private(set) var keepsAlive: Bool
    /// Called with the writing of the end, and whether the connection goes on.
    private let ended: (EventLoopFuture<Void>, _ keepsAlive: Bool) -> Void
    private var state = State.waiting
    private var lastWrite: EventLoopFuture<Void>?

    init(
        _ channel: any Channel,
        _ version: HTTPVersion,
        for origin: WebOrigin?,
        at date: String,
        head: [UInt8]?,
        keepsAlive: Bool,
        ended: @escaping (EventLoopFuture<Void>, _ keepsAlive: Bool) -> Void
    ) {
        self.channel = channel
        self.version = version
        (self.origin, self.date) = (origin, date)
        self.head = head
        // Without chunks, the end of the connection is that of a body whose length is not known.
        self.keepsAlive = keepsAlive && version == .http1_1
        self.ended = ended
    }

    /// Sends a piece of the line; its last byte is a line feed.
    func write(_ bytes: [UInt8], _ writer: ReplyWriter) {
        guard state != .ended else { return }
        let isLast = bytes.last == 0x0a
        // An empty line is no response.
        let body = state == .waiting && bytes.count == 1 && isLast ? [] : bytes
        if state == .waiting, isLast, !body.isEmpty, let written = sendWhole(body, writer) {
            state = .ended
            return end(written)
        }
        if state == .waiting { begin(length: isLast ? body.count : nil) }
        state = isLast ? .ended : .begun
        if !body.isEmpty {
            let part = HTTPServerResponsePart.body(.byteBuffer(channel.allocator.buffer(bytes: body)))
            writer.count(body.count, isLast ? channel.write(part) : channel.writeAndFlush(part))
        }
        guard isLast else { return }
        let written = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        writer.count(0, written)
        end(written)
    }

    /// - Returns: `nil` where it has to be made by the channel's handlers.
    private func sendWhole(_ body: [UInt8], _ writer: ReplyWriter) -> EventLoopFuture<Void>? {
        guard var bytes = head else { return nil }
        bytes.append(contentsOf: "\(body.count)\r\n\r\n".utf8)
        return writer.sendResponse(bytes + body)
    }

    /// - Parameter length: `nil` where it is not known yet.
    private func begin(length: Int?) {
        var fields = WebTexts.fields(type: "application/json", origin, date)
        if let length, length > 0 {
            fields.add(name: "Content-Length", value: "\(length)")
        } else if length == nil, version == .http1_1 {
            fields.add(name: "Transfer-Encoding", value: "chunked")
        }
        // A message of notifications has no response.
        if length == 0 { fields.remove(name: "Content-Type") }
        if !keepsAlive { fields.replaceOrAdd(name: "Connection", value: "close") }
        let head = HTTPResponseHead(version: version, status: length == 0 ? .noContent : .ok, headers: fields)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
    }

    private func end(_ written: EventLoopFuture<Void>) {
        lastWrite = written
        ended(written, keepsAlive)
    }

    // It comes to an end without one.
    func ping() {}

    func closeWhenEnded() {
        keepsAlive = false
        guard state == .ended else {
            // It cannot be completed any more.
            return channel.close(promise: nil)
        }
        let channel = channel
        lastWrite?.whenComplete { _ in channel.close(promise: nil) }
    }
}
