internal import LineProtocol
internal import NIOCore
internal import NIOHTTP1
internal import ProtocolClient
internal import WebRequests

/// The response to a request for a picture: the reply to the command `artwork`, whose lines become the head, and whose picture
/// the body, piece by piece as it is read.
final class WebPicture: WebAnswer {
    private enum State {
        /// For the lines before the picture.
        case waiting
        case sending
        /// The picture has come, and the line behind it is to come.
        case ending
        case ended
    }

    private let channel: any Channel
    private let head: HTTPRequestHead
    private let picture: PictureRequest
    private var fields: HTTPHeaders
    private let keepsAlive: Bool
    /// Called with the writing of the end, or with the reason why there is no picture; then nothing is written.
    private let ended: (Result<EventLoopFuture<Void>, WebRefusal>) -> Void
    private var state = State.waiting
    private var line: [UInt8] = []
    private var version = ""
    /// Of the picture, in bytes.
    private var size = 0
    /// How many of them have come.
    private var place = 0
    /// The part of them that is sent.
    private var part = 0..<0
    private var lastWrite: EventLoopFuture<Void>?

    init(
        _ channel: any Channel,
        _ head: HTTPRequestHead,
        _ picture: PictureRequest,
        _ fields: HTTPHeaders,
        keepsAlive: Bool,
        ended: @escaping (Result<EventLoopFuture<Void>, WebRefusal>) -> Void
    ) {
        self.channel = channel
        self.head = head
        self.picture = picture
        self.fields = fields
        self.keepsAlive = keepsAlive
        self.ended = ended
    }

    func write(_ bytes: [UInt8], _ writer: ReplyWriter) {
        var rest = bytes[...]
        while state == .waiting, let end = rest.firstIndex(of: 0x0a) {
            read(String(decoding: line + rest[..<end], as: UTF8.self))
            line = []
            rest = rest[(end + 1)...]
        }
        switch state {
        case .waiting: line += rest
        case .sending, .ending: send(rest, writer)
        case .ended: break
        }
    }

    // MARK: The head

    private func read(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1)
        switch words.first {
        case "type:": fields.replaceOrAdd(name: "Content-Type", value: String(words.last ?? ""))
        case "version:": version = String(words.last ?? "")
        case "binary:": begin(size: words.last.flatMap { Int($0) } ?? 0)
        case "size:": break
        default: refuse(Refusal(parsing: line))
        }
    }

    private func begin(size: Int) {
        self.size = size
        state = size > 0 ? .sending : .ending
        // The same picture in the same form may have been made of it by other means.
        let tag = "\"\(version)-\(picture.size)-\(picture.format)-\(size)\""
        fields.replaceOrAdd(
            name: "Cache-Control",
            value: isNamed ? "private, max-age=31536000, immutable" : "private, no-cache"
        )
        fields.add(name: "ETag", value: tag)
        fields.add(name: "Accept-Ranges", value: "bytes")
        switch picture.conditions.selection(of: tag, size: size) {
        case .whole: begin(.ok, 0..<size)
        case .part(let part):
            fields.add(name: "Content-Range", value: "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)")
            begin(.partialContent, part)
        case .unsatisfiable:
            fields.add(name: "Content-Range", value: "bytes */\(size)")
            begin(.rangeNotSatisfiable, 0..<0)
        case .notModified: begin(.notModified, 0..<0)
        }
    }

    /// Whether the address names this picture, so that it will never be another one.
    private var isNamed: Bool { picture.version == version }

    private func begin(_ status: HTTPResponseStatus, _ part: Range<Int>) {
        if status == .notModified || part.isEmpty { fields.remove(name: "Content-Type") }
        if status != .notModified { fields.add(name: "Content-Length", value: "\(part.count)") }
        if head.method != .HEAD { self.part = part }
        if !keepsAlive || head.version != .http1_1 {
            fields.add(name: "Connection", value: keepsAlive ? "keep-alive" : "close")
        }
        let head = HTTPResponseHead(version: head.version, status: status, headers: fields)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
    }

    private func refuse(_ refusal: Refusal?) {
        state = .ended
        ended(.failure(refusal.map { WebRefusal($0) } ?? .noPicture))
    }

    // MARK: The body

    private func send(_ bytes: ArraySlice<UInt8>, _ writer: ReplyWriter) {
        let pictureBytes = bytes.prefix(size - place)
        let start = min(max(0, part.lowerBound - place), pictureBytes.count)
        let end = min(max(start, part.upperBound - place), pictureBytes.count)
        place += pictureBytes.count
        if place == size { state = .ending }
        let wanted = pictureBytes.dropFirst(start).prefix(end - start)
        if !wanted.isEmpty {
            let body = HTTPServerResponsePart.body(.byteBuffer(channel.allocator.buffer(bytes: wanted)))
            writer.count(wanted.count, state == .ending ? channel.write(body) : channel.writeAndFlush(body))
        }
        // A line feed ends the picture, and `OK` the reply.
        line += bytes.dropFirst(pictureBytes.count)
        if line.last == 0x0a, line.count > 1 { finish(writer) }
    }

    private func finish(_ writer: ReplyWriter) {
        state = .ended
        let written = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        writer.count(0, written)
        lastWrite = written
        ended(.success(written))
    }

    // It comes to an end without one.
    func ping() {}

    func closeWhenEnded() {
        let channel = channel
        guard let lastWrite else { return channel.close(promise: nil) }
        lastWrite.whenComplete { _ in channel.close(promise: nil) }
    }
}
