private import Glibc

/// A server that accepts no connection and whose queue is full, so that a client that connects waits and is not refused.
///
/// An address at which no host is would do as well, but on some machines a network answers in its place.
package final class FullServer: Sendable {
    package let port: UInt16
    private let sockets: [Int32]

    package init() throws {
        port = try steadyPort()
        let address = sockaddr_in(port: port)
        let listener = Self.socket()
        var sockets = [listener]
        try unsafe Self.with(address) { address, size in
            guard unsafe bind(listener, address, size) == 0, listen(listener, 0) == 0 else {
                throw ClientError(description: "cannot listen")
            }
            // Linux keeps one connection more than it is asked for; the next one has to wait already.
            for _ in 0..<2 {
                let client = Self.socket()
                sockets.append(client)
                _ = unsafe connect(client, address, size)
            }
        }
        self.sockets = sockets
    }

    deinit { for socket in sockets { close(socket) } }

    private static func socket() -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        return Glibc.socket(AF_INET, type, 0)
    }

    private static func with(
        _ address: sockaddr_in,
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
    ) throws {
        try unsafe withUnsafePointer(to: address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
