internal import Files
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
            let ready = Readiness.wait(for: [.readable(client), .readable(descriptor)])
            if ready[1] {
                guard let count = receiveSome(into: &buffer), sendAll(Array(buffer[..<count]), to: client) else {
                    return
                }
            }
            if ready[0] {
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
