private import Glibc
internal import NIOCore
internal import NIOPosix
internal import Threads

/// Looks up the addresses of one host, on a thread that ends with that.
///
/// The resolver that comes with NIO uses a queue of libdispatch, whose threads wake up once a second for ever. The address of
/// a literal is known at once.
final class NameResolver: Resolver, Sendable {
    private let v4: EventLoopPromise<[SocketAddress]>
    private let v6: EventLoopPromise<[SocketAddress]>

    struct Problem: Error {}

    init(on loop: any EventLoop) {
        v4 = loop.makePromise()
        v6 = loop.makePromise()
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { v4.futureResult }

    /// Looks for addresses of both kinds; called once, beside `initiateAQuery`.
    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        if let literal = try? SocketAddress(ipAddress: host, port: port) {
            succeed([literal])
        } else {
            WorkThread.startWhenPossible(named: "segue-resolve") { [self] in
                do throws(Problem) { succeed(try Self.addresses(of: host, port)) } catch { fail(error) }
            }
        }
        return v6.futureResult
    }

    func cancelQueries() {}

    private func succeed(_ addresses: [SocketAddress]) {
        v6.succeed(addresses.filter { $0.protocol == .inet6 })
        v4.succeed(addresses.filter { $0.protocol == .inet })
    }

    private func fail(_ problem: Problem) {
        v6.fail(problem)
        v4.fail(problem)
    }

    /// Blocks.
    private static func addresses(of host: String, _ port: Int) throws(Problem) -> [SocketAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0, let first = unsafe list else {
            throw Problem()
        }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next: UnsafeMutablePointer<addrinfo>? = unsafe first
        while let entry = unsafe next {
            unsafe next = entry.pointee.ai_next
            if let address = unsafe entry.pointee.ai_addr, let found = unsafe SocketAddress(address) {
                addresses.append(found)
            }
        }
        return addresses
    }
}

extension SocketAddress {
    /// `nil` for what is no address of the Internet's.
    fileprivate init?(_ address: UnsafeMutablePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET: self = unsafe SocketAddress(raw.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6: self = unsafe SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self))
        default: return nil
        }
    }
}
