import Foundation
import Outputs
import Playback
import Synchronization
import TestSupport

/// A web server with one file, which it sends as slowly as a test wants it to, and holds back where it is told to.
final class PacedServer: Sendable {
    struct State: Sendable {
        /// No byte at or behind this one is sent until it is released.
        var limit = Int.max
        /// Bytes per second of each connection; `nil` is as fast as can be.
        var rate: Double?
        /// The end of what was sent on any connection.
        var end = 0
        /// Where requests began, in bytes.
        var requests: [Int] = []
        /// What is said instead of the file.
        var refusal: String?
        /// Connections are cut off at the limit instead of being kept waiting.
        var cuts = false
    }

    let state: Watched<State>
    let bytes: [UInt8]
    private let server: HostileServer

    init(_ path: String, limit: Int = .max, rate: Double? = nil) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var first = State()
        first.limit = limit
        first.rate = rate
        let state = Watched(first)
        self.bytes = bytes
        self.state = state
        server = try HostileServer { exchange in Self.serve(exchange, bytes, state) }
    }

    var url: String { server.url("file.mp3") }
    /// Connections that live.
    var open: Int { server.state.withLock { $0.open } }

    /// Sends up to a byte.
    func release(to limit: Int = .max) { state.withLock { $0.limit = limit } }

    /// Waits until so many requests have come.
    func waitForRequests(_ count: Int) async throws {
        guard await state.wait(within: deadline, until: { $0.requests.count >= count }) else {
            throw Missing("\(count) requests; there were \(state.current.requests)")
        }
    }

    /// Waits until bytes were sent.
    func sent(_ count: Int) async -> Bool { await state.wait(within: deadline) { $0.end >= count } }

    private static func serve(_ exchange: HostileServer.Exchange, _ bytes: [UInt8], _ state: Watched<State>) {
        let start = firstByte(exchange.head)
        state.withLock { $0.requests.append(start) }
        if let refusal = state.withLock({ $0.refusal }) { return exchange.answer(refusal) }
        let size = bytes.count
        let isPart = exchange.head.lowercased().contains("\r\nrange:")
        let range = isPart ? ["Content-Range: bytes \(start)-\(size - 1)/\(size)"] : ["Accept-Ranges: bytes"]
        let lines =
            ["HTTP/1.1 \(isPart ? "206 Partial Content" : "200 OK")", "Content-Type: audio/mpeg"]
            + ["Content-Length: \(size - start)"] + range
        guard exchange.send((lines + ["", ""]).joined(separator: "\r\n")) else { return }
        var sent = start
        while sent < size {
            let (limit, rate, cuts) = state.withLock { ($0.limit, $0.rate, $0.cuts) }
            let step = rate.map { max(1, Int($0 / 20)) } ?? 16_384
            let next = min(sent + step, size, limit)
            if next > sent {
                guard exchange.send(bytes[sent..<next]) else { return }
                sent = next
                state.withLock { $0.end = max($0.end, sent) }
                if rate != nil, !exchange.pause(0.05) { return }
            } else {
                if cuts { return exchange.reset() }
                if !exchange.pause(0.01) { return }
            }
        }
    }

    private static func firstByte(_ head: String) -> Int {
        guard let place = head.lowercased().range(of: "range: bytes=") else { return 0 }
        return Int(head[place.upperBound...].prefix { $0.isNumber }) ?? 0
    }
}
