internal import LineProtocol
internal import NIOCore
internal import NIOHTTP1
internal import ProtocolClient
internal import WebRequests

/// The response to a request for a picked item: replies to the command `picker load`, each with a piece of it.
///
/// A piece is read when the one before has been written, so that a film takes as much memory as one piece.
final class WebPicked: WebAnswer {
    private enum State {
        /// For the lines before a piece.
        case lines
        /// So many bytes of the piece are still to come.
        case piece(Int)
        /// For the line behind it.
        case ending
        case ended
    }

    private let channel: any Channel
    private let head: HTTPRequestHead
    private let request: PickedRequest
    private var fields: HTTPHeaders
    private let keepsAlive: Bool
    /// Has a piece read, of so many bytes at most, which this response is to get.
    private let load: (WebPicked, _ offset: Int, _ count: Int) -> Void
    /// Called with the writing of the end, or with the reason why there is nothing; then nothing is written.
    private let ended: (Result<EventLoopFuture<Void>, WebRefusal>) -> Void
    private var state = State.lines
    private var line: [UInt8] = []
    /// Of the whole, in bytes.
    private var size = 0
    /// The bytes that are still to be sent; `nil` before the head is.
    private var rest: Range<Int>?
    /// The place of the piece's next byte.
    private var place = 0
    /// How many bytes the piece may have.
    private var asked = 0
    private var lastWrite: EventLoopFuture<Void>?

    /// In bytes; a slow client takes it before it counts as gone.
    private static let pieceLength = 256 << 10

    init(
        _ channel: any Channel,
        _ head: HTTPRequestHead,
        _ request: PickedRequest,
        _ fields: HTTPHeaders,
        keepsAlive: Bool,
        load: @escaping (WebPicked, _ offset: Int, _ count: Int) -> Void,
        ended: @escaping (Result<EventLoopFuture<Void>, WebRefusal>) -> Void
    ) {
        (self.channel, self.head, self.request, self.fields) = (channel, head, request, fields)
        (self.keepsAlive, self.load, self.ended) = (keepsAlive, load, ended)
    }

    /// Asks for the first piece; where another part is wanted, for the size alone.
    func begin() { load(0, head.method == .GET && request.conditions.beginsAtStart ? Self.pieceLength : 0) }

    private func load(_ offset: Int, _ count: Int) {
        (state, place, asked) = (.lines, offset, count)
        load(self, offset, count)
    }

    func write(_ bytes: [UInt8], _ writer: ReplyWriter) {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            switch state {
            case .lines, .ending: readLine(&bytes, writer)
            case .piece(let count):
                send(bytes.prefix(count), writer)
                state = count > bytes.count ? .piece(count - bytes.count) : .ending
                bytes = bytes.dropFirst(count)
            case .ended: return
            }
        }
    }

    // MARK: Lines

    private func readLine(_ bytes: inout ArraySlice<UInt8>, _ writer: ReplyWriter) {
        guard let end = bytes.firstIndex(of: 0x0a) else {
            line += bytes
            bytes = []
            return
        }
        let text = String(decoding: line + bytes[..<end], as: UTF8.self)
        line = []
        bytes = bytes[(end + 1)...]
        let words = text.split(separator: " ", maxSplits: 1)
        switch words.first {
        case "size:": size = words.last.flatMap { Int($0) } ?? 0
        case "type:": fields.replaceOrAdd(name: "Content-Type", value: String(words.last ?? ""))
        case "version:": break
        case "binary:":
            if rest == nil { sendHead() }
            let count = words.last.flatMap { Int($0) } ?? 0
            // A piece without bytes would be asked for without end.
            if asked > 0, count == 0, rest?.isEmpty == false { return fail(nil) }
            state = count > 0 ? .piece(count) : .ending
        // A line feed ends the piece.
        case nil: break
        case "OK": pieceEnded(writer)
        default: fail(Refusal(parsing: text))
        }
    }

    private func sendHead() {
        let tag = "\"\(request.handle)\""
        fields.add(name: "ETag", value: tag)
        fields.add(name: "Accept-Ranges", value: "bytes")
        switch request.conditions.selection(of: tag, size: size) {
        case .whole: sendHead(.ok, 0..<size)
        case .part(let part):
            fields.add(name: "Content-Range", value: "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)")
            sendHead(.partialContent, part)
        case .unsatisfiable:
            fields.add(name: "Content-Range", value: "bytes */\(size)")
            sendHead(.rangeNotSatisfiable, 0..<0)
        case .notModified: sendHead(.notModified, 0..<0)
        }
    }

    private func sendHead(_ status: HTTPResponseStatus, _ part: Range<Int>) {
        if status == .notModified || part.isEmpty { fields.remove(name: "Content-Type") }
        if status != .notModified { fields.add(name: "Content-Length", value: "\(part.count)") }
        if !keepsAlive || head.version != .http1_1 {
            fields.add(name: "Connection", value: keepsAlive ? "keep-alive" : "close")
        }
        rest = head.method == .HEAD ? 0..<0 : part
        let head = HTTPResponseHead(version: head.version, status: status, headers: fields)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
    }

    // MARK: The body

    private func send(_ bytes: ArraySlice<UInt8>, _ writer: ReplyWriter) {
        defer { place += bytes.count }
        guard let part = rest, part.lowerBound == place else { return }
        let wanted = bytes.prefix(part.count)
        guard !wanted.isEmpty else { return }
        rest = (place + wanted.count)..<part.upperBound
        let body = HTTPServerResponsePart.body(.byteBuffer(channel.allocator.buffer(bytes: wanted)))
        let written = channel.writeAndFlush(body)
        writer.count(wanted.count, written)
        lastWrite = written
    }

    private func pieceEnded(_ writer: ReplyWriter) {
        guard let rest, !rest.isEmpty else { return finish(writer) }
        let (loop, next) = (channel.eventLoop, NIOLoopBound(self, eventLoop: channel.eventLoop))
        let count = min(rest.count, Self.pieceLength)
        // The connection is in the middle of sending this piece's reply.
        (lastWrite ?? loop.makeSucceededVoidFuture()).whenSuccess {
            loop.execute { next.value.load(rest.lowerBound, count) }
        }
    }

    private func finish(_ writer: ReplyWriter) {
        state = .ended
        let written = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        writer.count(0, written)
        lastWrite = written
        ended(.success(written))
    }

    /// - Parameter refusal: `nil` for a piece that is not what was asked for.
    private func fail(_ refusal: Refusal?) {
        state = .ended
        // A response that has begun is cut short, so that it is not taken for the whole.
        guard rest == nil, let refusal else { return channel.close(promise: nil) }
        ended(.failure(WebRefusal(refusal)))
    }

    // It comes to an end without one.
    func ping() {}

    func closeWhenEnded() {
        let channel = channel
        guard let lastWrite else { return channel.close(promise: nil) }
        lastWrite.whenComplete { _ in channel.close(promise: nil) }
    }
}
