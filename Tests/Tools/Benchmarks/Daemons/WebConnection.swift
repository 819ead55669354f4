private import Glibc
import TestSupport

/// A connection by HTTP, or a WebSocket, that costs its server nothing but its requests: bytes out, bytes in.
final class WebConnection {
    private let descriptor: Int32
    /// Bytes that have come and were not taken yet.
    private var received: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    init(_ path: String) throws { descriptor = try SocketAddress.unix(path).connect() }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    descriptor,
                    bytes.baseAddress?.advanced(by: sent),
                    bytes.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { throw LineSocketError.closed }
            sent += count
        }
    }

    private func receive() throws {
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw LineSocketError.closed }
        received += buffer[..<count]
    }

    private func readHead() throws -> String {
        while true {
            if let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
                defer { received.removeSubrange(..<end.upperBound) }
                return String(decoding: received[..<end.lowerBound], as: UTF8.self)
            }
            try receive()
        }
    }

    // MARK: WebSockets

    func openSocket() throws {
        let fields = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        try send(Array("GET /api/ws HTTP/1.1\r\nHost: localhost\r\n\(fields)\(key)\r\n".utf8))
        let head = try readHead()
        guard head.hasPrefix("HTTP/1.1 101") else { throw LineSocketError.refused(head) }
    }

    /// Sends a message of less than 126 bytes.
    func sendMessage(_ text: String) throws {
        let key: [UInt8] = [1, 2, 3, 4]
        let payload = text.utf8.enumerated().map { $0.element ^ key[$0.offset % 4] }
        try send([0x81, 0x80 | UInt8(payload.count)] + key + payload)
    }

    /// Reads a message, which is one frame.
    func readMessage() throws {
        while received.count < 2 { try receive() }
        let short = Int(received[1] & 0x7f)
        let lengthBytes = short == 126 ? 2 : short == 127 ? 8 : 0
        while received.count < 2 + lengthBytes { try receive() }
        let length = lengthBytes == 0 ? short : received[2..<2 + lengthBytes].reduce(0) { $0 << 8 | Int($1) }
        while received.count < 2 + lengthBytes + length { try receive() }
        received.removeFirst(2 + lengthBytes + length)
    }
}
