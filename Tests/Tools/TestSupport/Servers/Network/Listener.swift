private import Foundation
private import Glibc

/// A listening socket whose connections are each handed to a thread of their own, unless they have to stay in order.
///
/// It can stop listening, as a server that is away does, and begin again at the same port.
package final class Listener: Sendable {
    package let port: UInt16
    private let descriptor = Watched<Int32>(-1)
    private let inOrder: Bool
    private let onConnection: @Sendable (Int32) -> Void

    /// - Parameters:
    ///   - inOrder: Whether connections are handed over in the order in which they were made, on one thread.
    ///   - onConnection: Gets each connection's descriptor, which it has to close.
    package init(inOrder: Bool = false, onConnection: @escaping @Sendable (Int32) -> Void) throws {
        self.inOrder = inOrder
        self.onConnection = onConnection
        port = try steadyPort()
        try listen()
    }

    deinit { stop() }

    func listen() throws {
        stop()
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        unsafe setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let address = sockaddr_in(port: port)
        let code = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0, Glibc.listen(socket, 64) == 0 else {
            let number = errno
            close(socket)
            throw ChildProcessError.cannotStart("a server at port \(port)", number)
        }
        descriptor.withLock { $0 = socket }
        let onConnection = onConnection
        Thread.detachNewThread { [descriptor, inOrder] in
            while true {
                let client = accept(socket, nil, nil)
                if client < 0, errno == EINTR || errno == ECONNABORTED { continue }
                guard client >= 0 else { break }
                if inOrder { onConnection(client) } else { Thread.detachNewThread { onConnection(client) } }
            }
            // Forgotten first: numbers of closed descriptors are soon used again.
            descriptor.withLock { if $0 == socket { $0 = -1 } }
            close(socket)
        }
    }

    /// Connections are refused from now on; those that are there live on.
    func stop() {
        descriptor.withLock { socket in
            // Ends the thread, which closes it.
            if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
            socket = -1
        }
    }
}

/// What is done to connections.
enum Connections {
    /// Has the other side see a reset, not an end; the descriptor stays to be closed.
    static func reset(_ descriptor: Int32) {
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNSPEC)
        _ = unsafe connect(descriptor, &address, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Sends all of it; says whether that was possible.
    static func send(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
        bytes.withContiguousStorageIfAvailable { buffer in
            var done = 0
            while done < buffer.count {
                guard let base = buffer.baseAddress else { return true }
                let count = unsafe Glibc.send(descriptor, base + done, buffer.count - done, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        } ?? send(Array(bytes), to: descriptor)
    }
}
