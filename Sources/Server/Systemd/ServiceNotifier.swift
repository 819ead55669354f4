private import Glibc

/// Reports the daemon's state to the service manager (`sd_notify(3)`: one datagram for each message).
package struct ServiceNotifier: Sendable, Hashable {
    package enum Message: Sendable, Hashable {
        /// The server accepts clients; also ends a reload.
        case ready
        /// The configuration is being reloaded.
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

    /// - Parameter environment: The process's environment.
    /// - Returns: `nil` when there is no service manager to notify.
    package init?(environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@") else { return nil }
        socket = name
    }

    /// Sends messages in one datagram; a manager that does not listen is not an error.
    ///
    /// - Returns: Whether they were sent.
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
