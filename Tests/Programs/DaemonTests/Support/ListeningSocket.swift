import Glibc
import TestSupport
import Testing

/// A socket of the test's own, as a service manager or another server has them; children inherit it.
final class ListeningSocket {
    let descriptor: Int32

    private init(_ family: Int32, _ type: __socket_type) throws {
        descriptor = socket(family, Int32(type.rawValue), 0)
        try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    /// Listens at a path, or gets datagrams there.
    static func unix(_ path: String, datagrams: Bool = false) throws -> ListeningSocket {
        let made = try ListeningSocket(AF_UNIX, datagrams ? SOCK_DGRAM : SOCK_STREAM)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        try made.bind(&address)
        if datagrams {
            var limit = timeval(tv_sec: Int(Duration.patience.components.seconds), tv_usec: 0)
            unsafe setsockopt(made.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            _ = fcntl(made.descriptor, F_SETFD, FD_CLOEXEC)
        } else {
            try #require(listen(made.descriptor, 5) == 0)
        }
        return made
    }

    /// Listens at a port of this machine; at a free one without a number.
    static func tcp(port: UInt16 = 0) throws -> ListeningSocket {
        let made = try ListeningSocket(AF_INET, SOCK_STREAM)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        try made.bind(&address)
        try #require(listen(made.descriptor, 5) == 0)
        return made
    }

    private func bind<Address>(_ address: inout Address) throws {
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        try #require(result == 0)
    }

    /// Its TCP port.
    var port: Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// The next datagram.
    func next() throws -> String {
        var buffer = [UInt8](repeating: 0, count: 1_000)
        var count: Int
        // A signal breaks off what has a limit of time.
        repeat { count = unsafe recv(descriptor, &buffer, buffer.count, 0) } while count < 0 && errno == EINTR
        try #require(count > 0, "nothing was said (error \(errno))")
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}
