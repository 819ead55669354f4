import Glibc

/// A connected stream socket; closed with this value.
struct Socket: ~Copyable {
    /// A system call's failure.
    struct Failure: Error {
        var code: Int32

        var isTimeout: Bool { code == EAGAIN || code == EINPROGRESS || code == ETIMEDOUT }
        var reason: String { unsafe String(cString: strerror(code)) }
    }

    let descriptor: Int32
    /// `nil` for a connection that is not encrypted.
    private var session: TLSSession?

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        session?.end()
        close(descriptor)
    }

    // MARK: Connecting

    /// Connects to an address; all addresses of a host are tried.
    ///
    /// - Parameter seconds: The timeout for each.
    /// - Throws: `Attempt` with the reason.
    static func connect(to address: ServerAddress, within seconds: Double) throws(RemoteError.Attempt) -> Socket {
        do {
            switch address {
            case .socket(let path): return try connect(localName: Array(path.utf8), within: seconds)
            case .abstract(let name): return try connect(localName: [0] + Array(name.utf8), within: seconds)
            case .network(let host, let port), .encrypted(let host, let port):
                return try connect(host: host, port: port, within: seconds)
            }
        } catch let failure as Failure {
            let reason = failure.isTimeout ? "it did not answer within \(RemoteError.brief(seconds)) s" : failure.reason
            throw RemoteError.Attempt(address: address, reason: reason)
        } catch let failure as ResolverFailure {
            throw RemoteError.Attempt(address: address, reason: failure.reason, isUnknownName: true)
        } catch {
            throw RemoteError.Attempt(address: address, reason: "\(error)")
        }
    }

    private struct ResolverFailure: Error { var reason: String }

    private static func connect(localName: [UInt8], within seconds: Double) throws -> Socket {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: localName) }
        let socket = try make(AF_UNIX, within: seconds)
        // An abstract name has an explicit length; a path ends at its null byte.
        let length = socklen_t(2 + localName.count + (localName.first == 0 ? 0 : 1))
        try unsafe withUnsafeBytes(of: &address) { bytes in
            let pointer = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            try unsafe socket.connect(pointer, length)
        }
        return socket
    }

    private static func connect(host: String, port: Int, within seconds: Double) throws -> Socket {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard code == 0, let first = unsafe list else {
            throw ResolverFailure(reason: unsafe String(cString: gai_strerror(code)))
        }
        defer { unsafe freeaddrinfo(first) }
        var failure = Failure(code: ECONNREFUSED)
        var next: UnsafeMutablePointer<addrinfo>? = unsafe first
        while let entry = unsafe next {
            unsafe next = entry.pointee.ai_next
            do {
                let socket = try make(unsafe entry.pointee.ai_family, within: seconds)
                try unsafe socket.connect(entry.pointee.ai_addr, entry.pointee.ai_addrlen)
                var on: Int32 = 1
                _ = unsafe setsockopt(socket.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
                // A client that waits for changes for days must notice that the server's machine is gone.
                _ = unsafe setsockopt(socket.descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, 4)
                return socket
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func make(_ family: Int32, within seconds: Double) throws(Failure) -> Socket {
        let descriptor = Glibc.socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        let socket = Socket(descriptor: descriptor)
        socket.limit(SO_SNDTIMEO, to: seconds)
        return socket
    }

    private func connect(_ address: UnsafePointer<sockaddr>?, _ length: socklen_t) throws(Failure) {
        while unsafe Glibc.connect(descriptor, address, length) != 0 {
            guard errno == EINTR else { throw Failure(code: errno) }
        }
    }

    // MARK: Encryption

    /// Encrypts what is sent from now on.
    ///
    /// - Parameters:
    ///   - host: The server's.
    ///   - certificate: The path of this client's certificate and key; `nil` for none.
    /// - Returns: The pin of the server's certificate, which the caller judges.
    mutating func encrypt(for host: String, certificate: String?) throws(TLSSession.Failure) -> String {
        let isAddress = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
        let session = try TLSSession(descriptor, host: isAddress ? nil : host, certificate: certificate)
        self.session = session
        return try session.pin()
    }

    // MARK: Sending and receiving

    /// Sets the timeout for sending and receiving; 0 is none.
    func limitTalking(to seconds: Double) {
        limit(SO_SNDTIMEO, to: seconds)
        limit(SO_RCVTIMEO, to: seconds)
    }

    private func limit(_ option: Int32, to seconds: Double) {
        var time = timeval(
            tv_sec: Int(saturating: seconds),
            tv_usec: Int(saturating: (seconds - seconds.rounded(.down)) * 1e6)
        )
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ bytes: [UInt8]) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            if let session {
                sent += max(0, try session.send(bytes[sent...]))
                continue
            }
            let count = unsafe bytes[sent...].withUnsafeBytes { rest in
                unsafe Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 {
                guard errno == EINTR else { throw Failure(code: errno) }
            } else {
                sent += count
            }
        }
    }

    /// Receives the available bytes, at least one; 0 when the other side has closed.
    func receive(into buffer: inout [UInt8]) throws(Failure) -> Int {
        while true {
            if let session {
                let count = try session.receive(into: &buffer)
                if count >= 0 { return count }
                continue
            }
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count >= 0 { return count }
            guard errno == EINTR else { throw Failure(code: errno) }
        }
    }
}
