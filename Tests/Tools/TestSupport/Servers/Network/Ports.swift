private import Glibc

/// A TCP port that no program has, and that no connection is given either while its server is away.
///
/// Ports of connections come from 32768 on: a client that tries to come back to one of those may meet itself. No other test
/// process of this machine is given the port while this one lives.
package func steadyPort() throws -> UInt16 {
    for _ in 0..<1000 {
        let port = UInt16.random(in: 12_000..<32_000)
        if claim(port), isFree(port) { return port }
    }
    throw ClientError(description: "no free port")
}

/// Claims a port among test processes: by a socket with an abstract name, which the kernel removes with the process.
private func claim(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array("segue-test-port-\(port)".utf8)
    // An abstract name begins with a zero byte.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
        for (place, byte) in name.enumerated() { unsafe path[place + 1] = byte }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.count)
    let isClaimed = unsafe withUnsafePointer(to: address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) == 0 }
    }
    if !isClaimed { close(descriptor) }
    return isClaimed
}

private func isFree(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    // A program that is started at this moment has the socket until it runs, and must not keep the server from its port.
    var yes: Int32 = 1
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let address = sockaddr_in(port: port)
    return unsafe withUnsafePointer(to: address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}

/// Waits until a server accepts connections at a port.
///
/// - Parameters:
///   - host: The server's address.
///   - network: Where the server is, if not on this machine's own network.
package func waitForPort(
    _ port: UInt16,
    of server: ChildProcess,
    at host: String = "127.0.0.1",
    in network: NetworkNamespace? = nil,
    within deadline: Duration = .patience
) async throws {
    let end = ContinuousClock.now + deadline
    while true {
        if accepts(port, at: host, in: network) { return }
        guard ContinuousClock.now < end, server.isRunning else {
            throw SoundServerError.notReady(server.outputText + server.errorText)
        }
        try await Task.sleep(for: .milliseconds(2))
    }
}

private func accepts(_ port: UInt16, at host: String, in network: NetworkNamespace?) -> Bool {
    do {
        // Not `try? network?.connect(…) ?? …`: where that throws, Swift 6.3 gives 1 instead of nothing when it optimises.
        let descriptor: Int32
        if let network {
            descriptor = try network.connect(host, port)
        } else {
            descriptor = try SocketAddress.ipv4Host(host, port).connect()
        }
        close(descriptor)
        return true
    } catch {
        return false
    }
}
