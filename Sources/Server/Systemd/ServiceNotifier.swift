private import Glibc

/// Tells the service manager how the daemon is doing (`sd_notify(3)`: one datagram for each message).
package struct ServiceNotifier: Sendable, Hashable {
    package enum Message: Sendable, Hashable {
        /// Clients are served; ends a reload, too.
        case ready
        /// The configuration is being read again.
        case reloading
        case stopping
        /// One line for people, in `systemctl status`.
        case status(String)

        var text: String {
            switch self {
            case .ready: "READY=1"
            case .reloading: "RELOADING=1"
            case .stopping: "STOPPING=1"
            case .status(let text): "STATUS=" + text.map { $0.isNewline ? " " : String($0) }.joined()
            }
        }
    }

    private let socket: String

    /// - Parameter environment: The process's.
    /// - Returns: `nil` when nobody wants to know.
    package init?(environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@") else { return nil }
        socket = name
    }

    /// Sends messages, together; that the manager does not listen is no reason to stop.
    ///
    /// - Returns: Whether they are on their way.
    @discardableResult
    package func send(_ messages: Message...) -> Bool {
        let bytes = Array(messages.map(\.text).joined(separator: "\n").utf8)
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let count = unsafe SocketAddress.withUnix(socket) { address, length in
            unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
        }
        return count == bytes.count
    }
}
