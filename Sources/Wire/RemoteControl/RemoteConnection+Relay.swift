private import Glibc

extension RemoteConnection {
    /// Carries what a local client and the server say to each other, until either ends; blocks.
    ///
    /// - Parameter client: The client's socket, which stays open.
    package func relay(to client: Int32) {
        guard sendAll(Array("OK MPD \(version)\n".utf8), to: client) else { return }
        var buffer = [UInt8](repeating: 0, count: 1 << 15)
        waitAnyTime()
        while true {
            var both = [client, descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&both, 2, -1) > 0 else {
                if errno == EINTR { continue }
                return
            }
            if both[1].revents != 0 {
                guard let count = receiveSome(into: &buffer), sendAll(Array(buffer[..<count]), to: client) else {
                    return
                }
            }
            if both[0].revents != 0 {
                let count = unsafe recv(client, &buffer, buffer.count, 0)
                guard count > 0, sendSome(Array(buffer[..<count])) else { return }
            }
        }
    }

    private func sendAll(_ bytes: [UInt8], to client: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 || errno == EINTR else { return false }
            sent += max(0, count)
        }
        return true
    }
}
