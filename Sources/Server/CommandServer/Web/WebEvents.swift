internal import NIOCore
internal import NIOHTTP1
internal import TextEncodings
internal import WebRequests

/// The values that a client watches, as server-sent events (HTML Living Standard, section 9.2): a response that goes on until
/// the client leaves.
///
/// The lines are those of a dialogue in JSON: the response to `watch`, and notifications. Each comes whole.
final class WebEvents: WebAnswer {
    private enum State {
        case waiting
        case begun
        case ended
    }

    private let channel: any Channel
    private let version: HTTPVersion
    private var fields: HTTPHeaders
    private var state = State.waiting

    init(_ channel: any Channel, _ version: HTTPVersion, _ fields: HTTPHeaders) {
        (self.channel, self.version, self.fields) = (channel, version, fields)
        // nginx would keep events until it has many.
        self.fields.add(name: "X-Accel-Buffering", value: "no")
    }

    /// The message that begins a watch.
    static func message(_ request: WebRequest.Watch) -> ByteBuffer {
        var params: [JSON.Field] = []
        if !request.topics.isEmpty { params.append(.init("topics", .array(request.topics.map { .string($0) }))) }
        if !request.zones.isEmpty { params.append(.init("zones", .array(request.zones.map { .string($0) }))) }
        let message = JSON.object([
            .init("jsonrpc", .string("2.0")), .init("id", .integer(0)), .init("method", .string("watch")),
            .init("params", .object(params)),
        ])
        return ByteBuffer(string: message.text).asLine()
    }

    private static let result = Array(#"{"jsonrpc":"2.0","id":0,"result":"#.utf8)
    private static let notification = Array(#"{"jsonrpc":"2.0","method":"changed","params":"#.utf8)

    func write(_ bytes: [UInt8], _ writer: ReplyWriter) {
        guard state != .ended else { return }
        for line in bytes.split(separator: 0x0a) {
            let isSnapshot = state == .waiting
            guard line.starts(with: isSnapshot ? Self.result : Self.notification) else {
                if isSnapshot { refuse(line) }
                return
            }
            if isSnapshot { begin() }
            let data = line.dropFirst(isSnapshot ? Self.result.count : Self.notification.count).dropLast()
            send(isSnapshot ? "snapshot" : "changed", data, writer)
        }
    }

    private func begin() {
        state = .begun
        if version == .http1_1 { fields.add(name: "Transfer-Encoding", value: "chunked") }
        fields.add(name: "Connection", value: "close")
        channel.write(HTTPServerResponsePart.head(.init(version: version, status: .ok, headers: fields)), promise: nil)
    }

    private func send(_ name: String, _ data: ArraySlice<UInt8>, _ writer: ReplyWriter) {
        var event = channel.allocator.buffer(capacity: data.count + 64)
        event.writeString("event: \(name)\n")
        if let number = Self.version(in: data) { event.writeString("id: \(number)\n") }
        event.writeString("data: ")
        event.writeBytes(data)
        event.writeString("\n\n")
        writer.count(event.readableBytes, channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(event))))
    }

    /// The first member `version`; within texts, quotation marks have backslashes before them.
    private static func version(in data: ArraySlice<UInt8>) -> Int? {
        guard let range = data.firstRange(of: Array(#""version":"#.utf8)) else { return nil }
        let digits = data[range.upperBound...].prefix { (0x30...0x39).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    /// Answers with the reason why there are no events.
    private func refuse(_ line: ArraySlice<UInt8>) {
        state = .ended
        let message = (try? JSON(parsing: Array(line)))?["error"]?["message"]?.string ?? "There are no events."
        let body = channel.allocator.buffer(string: message + "\n")
        fields.replaceOrAdd(name: "Content-Type", value: "text/plain; charset=utf-8")
        fields.add(name: "Content-Length", value: "\(body.readableBytes)")
        fields.add(name: "Connection", value: "close")
        let head = HTTPResponseHead(version: version, status: .badRequest, headers: fields)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(body)), promise: nil)
        close()
    }

    func ping() {
        guard state == .begun else { return }
        let comment = channel.allocator.buffer(string: ":\n\n")
        channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(comment)), promise: nil)
    }

    func closeWhenEnded() {
        guard state == .begun else { return channel.close(promise: nil) }
        state = .ended
        close()
    }

    private func close() {
        let channel = channel
        channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in channel.close(promise: nil) }
    }
}
