private import Glibc

/// A connection that costs its server nothing but the commands: bytes out, bytes in, no strings made of them.
final class RawClient {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 20)

    /// Connects and reads the greeting.
    init(_ path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, size)
            }
        }
        guard code == 0 else { throw LineSocketError.cannotConnect(path) }
        _ = try receive()
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, sendFlags)
            }
            guard count > 0 else { throw LineSocketError.closed }
            sent += count
        }
    }

    /// Reads to the end of a reply, however long.
    ///
    /// - Returns: Its length in bytes.
    @discardableResult
    func readReply() throws -> Int {
        var length = 0
        while true {
            let count = try receive()
            length += count
            if try endsReply(count, isWhole: length == count) { return length }
        }
    }

    /// Reads what has come of a long reply, without waiting.
    ///
    /// - Returns: Whether that is all of it.
    func drainReply() throws -> Bool {
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN { return false }
            guard count > 0 else { throw LineSocketError.closed }
            if try endsReply(count, isWhole: false) { return true }
        }
    }

    /// Sends a command and reads the reply.
    @discardableResult
    func command(_ line: String) throws -> Int {
        try send(Array((line + "\n").utf8))
        return try readReply()
    }

    /// The reply to a command whose reply is short, as text.
    func answer(_ line: String) throws -> String {
        let count = try command(line)
        return String(decoding: buffer[..<min(count, buffer.count)], as: UTF8.self)
    }

    private func receive() throws -> Int {
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw LineSocketError.closed }
        return count
    }

    /// Whether the piece ends with `OK`, which begins a line.
    ///
    /// - Throws: What an `ACK` says.
    private func endsReply(_ count: Int, isWhole: Bool) throws -> Bool {
        guard count >= 3 else { return false }
        if isWhole, buffer[0] == 0x41, buffer[1] == 0x43, buffer[2] == 0x4b {
            throw LineSocketError.refused(String(decoding: buffer[..<count], as: UTF8.self))
        }
        let isOK = buffer[count - 1] == 0x0a && buffer[count - 2] == 0x4b && buffer[count - 3] == 0x4f
        return isOK && (count == 3 || buffer[count - 4] == 0x0a)
    }
}

private let sendFlags = Int32(MSG_NOSIGNAL)
