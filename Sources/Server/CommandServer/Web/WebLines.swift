internal import LineProtocol
internal import NIOCore
internal import NIOHTTP1
internal import ProtocolClient
internal import WebRequests

/// The short reply to a command in lines, of which a response is made.
final class WebLines: WebAnswer {
    private let channel: any Channel
    /// Called with the reply's lines; `nil` once it was.
    private var ended: ((Result<[Pair], Refusal>) -> Void)?
    private var parser = ReplyParser()
    private var lines: [Pair] = []

    init(_ channel: any Channel, ended: @escaping (Result<[Pair], Refusal>) -> Void) {
        (self.channel, self.ended) = (channel, ended)
    }

    func write(_ bytes: [UInt8], _ writer: ReplyWriter) {
        parser.receive(bytes)
        while ended != nil, let item = try? parser.next() {
            switch item {
            case .pair(let pair): lines.append(pair)
            case .ok: ended.take()?(.success(lines))
            case .refused(let refusal): ended.take()?(.failure(refusal))
            case .binary, .listOK: break
            }
        }
    }

    // It comes to an end without one.
    func ping() {}

    func closeWhenEnded() { channel.close(promise: nil) }
}

extension WebRefusal {
    /// The reason why a command was not carried out.
    init(_ refusal: Refusal) {
        let status: HTTPResponseStatus =
            switch refusal.known {
            case .doesNotExist: .notFound
            case .badArgument: .badRequest
            case .permission: .forbidden
            case .system: .serviceUnavailable
            default: .internalServerError
            }
        self.init(status, refusal.text)
    }
}
