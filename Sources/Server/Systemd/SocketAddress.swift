internal import AudioTypes
internal import Glibc
internal import Settings

/// Conversions from and to the kernel's socket addresses.
enum SocketAddress {
    /// The offset of the path in `sockaddr_un`.
    private static let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \sockaddr_un.sun_path) ?? 2

    /// Runs `body` with the address of a Unix socket; a name that begins with `@` is in the abstract name space.
    ///
    /// - Returns: `nil` when the name is too long.
    static func withUnix<Result>(_ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
        var bytes = Array(name.utf8)
        var address = sockaddr_un()
        guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        // An abstract name consists of all bytes that the length covers, so the length must end with the name.
        let length = socklen_t(pathOffset + bytes.count)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }

    /// The address that a socket is bound to; `nil` for address families that Segue does not serve.
    static func listener(of descriptor: Int32) -> Listener.Address? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        guard status == 0 else { return nil }
        let bytes = unsafe withUnsafeBytes(of: &storage) { unsafe Array($0.prefix(Int(length))) }
        switch Int32(storage.ss_family) {
        case AF_UNIX: return unix(Array(bytes.dropFirst(pathOffset)))
        case AF_INET where bytes.count >= 8:
            return tcp(
                IPAddress(bytes: Array(bytes[4..<8])),
                port: bytes[2...3],
                isAny: bytes[4..<8].allSatisfy { $0 == 0 }
            )
        case AF_INET6 where bytes.count >= 24:
            return tcp(
                IPAddress(bytes: Array(bytes[8..<24])),
                port: bytes[2...3],
                isAny: bytes[8..<24].allSatisfy { $0 == 0 }
            )
        default: return nil
        }
    }

    private static func unix(_ path: [UInt8]) -> Listener.Address? {
        guard let first = path.first else { return nil }
        if first == 0 { return .abstract(name: String(decoding: path.dropFirst(), as: UTF8.self)) }
        return .unix(path: String(decoding: path.prefix { $0 != 0 }, as: UTF8.self), mode: Listener.privateMode)
    }

    /// The port is in network byte order.
    private static func tcp(_ address: IPAddress?, port: ArraySlice<UInt8>, isAny: Bool) -> Listener.Address? {
        guard let address, let high = port.first, let low = port.last else { return nil }
        return .tcp(host: isAny ? nil : address.description, port: UInt16(high) << 8 | UInt16(low))
    }
}
