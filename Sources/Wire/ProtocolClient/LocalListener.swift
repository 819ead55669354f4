private import Glibc

/// A listening socket of this machine, which others cannot reach; blocks.
package final class LocalListener: Sendable {
    /// Why it could not be opened: half a sentence.
    package struct Problem: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    private let descriptor: Int32
    /// Of the socket's file.
    private let path: String?

    /// Listens at a socket that only this user can open, or at a port of the loopback interface.
    package init(at address: ServerAddress) throws(Problem) {
        switch address {
        case .socket(let path):
            descriptor = try Self.socket(path)
            self.path = path
        case .network(let host, let port) where ["localhost", "127.0.0.1"].contains(host):
            descriptor = try Self.port(UInt16(clamping: port))
            path = nil
        default: throw Problem(description: "it is a socket's path, or a port of this machine such as localhost:6600")
        }
    }

    deinit {
        close(descriptor)
        if let path { unsafe unlink(path) }
    }

    /// The next connection; `nil` when none can be accepted any more.
    package func accept() -> Int32? {
        while true {
            let connection = Glibc.accept(descriptor, nil, nil)
            if connection >= 0 {
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                return connection
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    private static func socket(_ path: String) throws(Problem) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard (1...107).contains(bytes.count) else { throw Problem(description: "a path has at most 107 bytes") }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let descriptor = try make(AF_UNIX)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        // No client may come before the file has its mode.
        let mask = umask(0o177)
        defer { umask(mask) }
        let code = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe bind(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, size)
        }
        return try listening(descriptor, code)
    }

    private static func port(_ port: UInt16) throws(Problem) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let descriptor = try make(AF_INET)
        var on: Int32 = 1
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, 4)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe bind(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, size)
        }
        return try listening(descriptor, code)
    }

    private static func make(_ family: Int32) throws(Problem) -> Int32 {
        let descriptor = Glibc.socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw problem() }
        return descriptor
    }

    private static func listening(_ descriptor: Int32, _ code: Int32) throws(Problem) -> Int32 {
        guard code == 0, listen(descriptor, 64) == 0 else {
            let problem = problem()
            close(descriptor)
            throw problem
        }
        return descriptor
    }

    private static func problem() -> Problem { Problem(description: unsafe String(cString: strerror(errno))) }
}
