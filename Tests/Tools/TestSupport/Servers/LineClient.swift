private import CLinux
import Glibc

/// What a client of a test could not do.
package struct ClientError: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
}

/// A client of a server, one line at a time, that sees everything as it comes.
///
/// An answer that takes longer than `.patience`, or another limit, reads as `<silence>`, an end of the connection as
/// `<closed>`.
package final class LineClient {
    package let descriptor: Int32
    private var received: [UInt8] = []
    /// How many of the received bytes were read.
    private var place = 0
    package private(set) var greeting = ""
    /// The server, which lives as long as it has clients.
    private let server: (any Sendable)?

    /// Connects and reads the greeting.
    package convenience init(_ address: SocketAddress, of server: (any Sendable)? = nil) throws {
        try self.init(descriptor: address.connect(), of: server)
        greeting = line()
    }

    /// The same as another user; only root can.
    package convenience init(
        _ address: SocketAddress,
        as user: UInt32,
        of server: (any Sendable)? = nil
    ) throws {
        try self.init(descriptor: address.connect(as: user), of: server)
        greeting = line()
    }

    package init(descriptor: Int32, of server: (any Sendable)? = nil) {
        self.descriptor = descriptor
        self.server = server
        limitWaits(to: .patience)
    }

    /// Sets how long an answer is waited for, in whole seconds.
    package func limitWaits(to duration: Duration) {
        var limit = timeval(tv_sec: time_t(duration.components.seconds), tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    // MARK: Writing

    package func send(_ text: String) { send(Array(text.utf8)) }

    /// Says whether all was taken.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                return unsafe Glibc.send(descriptor, base + done, bytes.count - done, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// Lets the connection be reset at the client's end, as when a machine is gone.
    package func resetsWhenClosed() {
        var time = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &time, socklen_t(MemoryLayout<linger>.size))
    }

    package func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    // MARK: Reading

    /// The binary chunk that came last.
    package private(set) var chunk: [UInt8] = []

    /// The next line without its end.
    package func line() -> String {
        while true {
            if let end = received[place...].firstIndex(of: 0x0a) {
                defer { place = end + 1 }
                return String(decoding: received[place..<end], as: UTF8.self)
            }
            if let problem = fill() { return problem }
        }
    }

    /// Waits for more bytes; says what came instead.
    private func fill() -> String? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var count: Int
        // A signal breaks off what has a limit of time.
        repeat { count = unsafe recv(descriptor, &chunk, chunk.count, 0) } while count < 0 && errno == EINTR
        guard count > 0 else { return count < 0 && errno == EAGAIN ? "<silence>" : "<closed>" }
        received.removeFirst(place)
        place = 0
        received += chunk[..<count]
        return nil
    }

    /// So many bytes; fewer where the connection ends before, or falls silent.
    package func bytes(_ count: Int) -> [UInt8] {
        while received.count - place < count, fill() == nil {}
        let end = min(place + count, received.count)
        defer { place = end }
        return Array(received[place..<end])
    }

    /// What has arrived and was not read; waits for the first byte.
    package func arrived() -> [UInt8] {
        if place == received.count { _ = fill() }
        defer { place = received.count }
        return Array(received[place...])
    }

    /// A reply with its last line, which says how it went.
    ///
    /// Binary chunks are told by their length and a sum of theirs.
    package func reply() -> [String] {
        var lines: [String] = []
        while true {
            let line = line()
            lines.append(line)
            if line == "OK" || line.hasPrefix("ACK ") || line == "<silence>" || line == "<closed>" { return lines }
            guard line.hasPrefix("binary: "), let count = Int(line.dropFirst(8)) else { continue }
            while received.count - place < count + 1 { if let problem = fill() { return lines + [problem] } }
            let sum = received[place..<place + count].reduce(UInt64(count)) { ($0 &* 31) &+ UInt64($1) }
            lines.append("<bytes \(sum)>")
            chunk = Array(received[place..<place + count])
            place += count + 1
        }
    }

    @discardableResult
    package func ask(_ line: String) -> [String] {
        send(line + "\n")
        return reply()
    }

    /// Asks, and fails when the reply is an error.
    @discardableResult
    package func order(_ line: String) throws -> [String] {
        let lines = ask(line)
        guard lines.last == "OK" else { throw ClientError(description: "\(line): \(lines.last ?? "")") }
        return lines.dropLast()
    }

    /// The values of a reply whose keys come once.
    package func values(_ line: String) throws -> [String: String] {
        var values: [String: String] = [:]
        for line in try order(line) {
            let parts = line.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
            values[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
        return values
    }

    /// Asks for the status until a value is there; returns the last status.
    @discardableResult
    package func wait(_ key: String, _ value: String, within limit: Duration = .patience) throws -> [String: String] {
        let deadline = ContinuousClock.now + limit
        while true {
            let status = try values("status")
            if status[key] == value { return status }
            guard ContinuousClock.now < deadline else {
                throw ClientError(description: "\(key) does not become \(value): \(status)")
            }
            usleep(2000)
        }
    }
}

/// Where to connect to.
package enum SocketAddress: Sendable {
    case unix(String)
    case abstract(String)
    case ipv4(UInt16)
    case ipv6(UInt16)
    /// A port of another machine, by its address.
    case ipv4Host(String, UInt16)

    package func connect() throws -> Int32 {
        switch self {
        case .unix(let path): try Self.connectUnix(Array(path.utf8))
        case .abstract(let name): try Self.connectUnix([0] + Array(name.utf8))
        case .ipv4(let port):
            try Self.connect(AF_INET, sockaddr_in(port: port))
        case .ipv6(let port):
            try Self.connect(AF_INET6, sockaddr_in6(port: port))
        case .ipv4Host(let host, let port): try Self.connectIPv4(host, port)
        }
    }

    package func connect(as user: UInt32) throws -> Int32 {
        // The thread stays another user's; a socket's peer is who connected.
        try onOwnThread {
            guard segue_act_as(user) == 0 else { throw ClientError(description: "setresuid: error \(errno)") }
            return try connect()
        }
    }

    private static func connectIPv4(_ host: String, _ port: UInt16) throws -> Int32 {
        var address = sockaddr_in(port: port)
        guard unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
            throw ClientError(description: "\(host) is no address")
        }
        return try connect(AF_INET, address)
    }

    private static func connectUnix(_ bytes: [UInt8]) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw ClientError(description: "the socket's path is too long")
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in unsafe place.copyBytes(from: bytes) }
        // An abstract name is as long as it is said to be.
        let isAbstract = bytes.first == 0
        let length = isAbstract ? 2 + bytes.count : MemoryLayout<sockaddr_un>.size
        return try connect(AF_UNIX, address, length)
    }

    private static func connect<Address>(_ family: Int32, _ address: Address, _ length: Int? = nil) throws -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ClientError(description: "socket: error \(errno)") }
        let length = socklen_t(length ?? MemoryLayout<Address>.size)
        let result = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, length)
            }
        }
        guard result == 0 else {
            let number = errno
            close(descriptor)
            throw ClientError(description: "connect: error \(number)")
        }
        return descriptor
    }
}

extension sockaddr_in {
    /// A port of this machine.
    package init(port: UInt16) {
        self.init()
        sin_family = sa_family_t(AF_INET)
        sin_port = port.bigEndian
        sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    }
}

extension sockaddr_in6 {
    package init(port: UInt16) {
        self.init()
        sin6_family = sa_family_t(AF_INET6)
        sin6_port = port.bigEndian
        sin6_addr = in6addr_loopback
    }
}
