private import Foundation
private import Glibc

/// A server that says what a test wants it to, byte by byte, however wrong that is.
package final class HostileServer: Sendable {
    package struct State: Sendable {
        /// The first lines of the requests that came.
        package internal(set) var requests: [String] = []
        /// Bytes sent to all clients.
        package internal(set) var bytes = 0
        /// Connections that live.
        package internal(set) var open = 0
    }

    /// One connection on which a request has come.
    package struct Exchange: Sendable {
        /// The request's head.
        package var head: String
        fileprivate var descriptor: Int32
        fileprivate var state: Watched<State>

        /// The path that is asked for.
        package var path: String {
            let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
            return words.count > 1 ? String(words[1]) : ""
        }

        /// Sends all of it; says whether that was possible.
        @discardableResult
        package func send(_ bytes: some Collection<UInt8>) -> Bool {
            let isSent = Connections.send(bytes, to: descriptor)
            if isSent { state.withLock { $0.bytes += bytes.count } }
            return isSent
        }

        @discardableResult
        package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        /// Sends an answer with a body and its true length, unless `length` says another.
        package func answer(
            _ status: String = "200 OK",
            _ type: String = "audio/mpeg",
            _ body: [UInt8] = [],
            length: Int? = nil,
            headers: [String] = []
        ) {
            let lines = ["HTTP/1.1 \(status)", "Content-Type: \(type)", "Content-Length: \(length ?? body.count)"]
            send((lines + headers + ["", ""]).joined(separator: "\r\n"))
            send(body)
        }

        /// Waits until the client has gone, saying nothing.
        package func waitForEnd() {
            var byte: UInt8 = 0
            while true {
                let count = unsafe recv(descriptor, &byte, 1, 0)
                guard count > 0 || count < 0 && errno == EINTR else { return }
            }
        }

        /// Waits a little, unless the client goes: for servers that are slow.
        ///
        /// - Returns: Whether it is still there.
        package func pause(_ seconds: Double) -> Bool {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN) | Int16(0x2000), revents: 0)
            return unsafe poll(&request, 1, Int32(seconds * 1000)) == 0
        }

        /// Ends the connection with a reset; without, it ends as the exchange does.
        package func reset() { Connections.reset(descriptor) }
    }

    package let state = Watched(State())
    private let listener: Listener
    package var port: UInt16 { listener.port }

    /// - Parameter answer: Answers a request, on a thread of the connection's own; the connection ends when it returns.
    package init(_ answer: @escaping @Sendable (Exchange) -> Void) throws {
        let state = state
        listener = try Listener { descriptor in
            state.withLock { $0.open += 1 }
            if let head = Self.readHead(descriptor) {
                state.withLock { $0.requests.append(String(head.prefix { $0 != "\r\n" })) }
                answer(Exchange(head: head, descriptor: descriptor, state: state))
            }
            close(descriptor)
            state.withLock { $0.open -= 1 }
        }
    }

    /// One that accepts, reads and never says a word.
    package static func silent() throws -> HostileServer { try HostileServer { $0.waitForEnd() } }

    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

    private static func readHead(_ descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !bytes.contains(Array("\r\n\r\n".utf8)) {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
