internal import AudioTypes
package import LineProtocol
package import ValueText

/// An address to listen at, with the settings of the clients that connect there.
package struct Listener: Sendable, Hashable {
    package enum Address: Sendable, Hashable {
        /// A socket in the file system.
        case unix(path: String, mode: UInt32)
        /// A socket in Linux's abstract name space; the name is without the `@`.
        case abstract(name: String)
        /// A host name stands for each of its addresses that can be bound; `nil` is every address of this machine, IPv4
        /// and IPv6.
        case tcp(host: String?, port: UInt16)
        /// The same, encrypted (TLS).
        case tls(host: String?, port: UInt16)
    }

    package var address: Address
    /// The initial zone of clients; `nil` for the default zone.
    package var zone: String?
    /// The permissions of clients without a password; `nil` for those of the general rules.
    package var permissions: Permissions?

    package init(_ address: Address, zone: String? = nil, permissions: Permissions? = nil) {
        self.address = address
        self.zone = zone
        self.permissions = permissions
    }

    /// A socket file that only its owner can open.
    package static let privateMode: UInt32 = 0o600

    /// MPD's port.
    package static let standardPort: UInt16 = 6600
    /// The port of encrypted connections that clients try without being told one.
    package static let standardEncryptedPort: UInt16 = 6601
}

extension Listener {
    /// `unix:PATH`, `@NAME`, `tcp:HOST:PORT`, `tcp::PORT` or `tcp:PORT`, the same with `tls`, optionally followed by
    /// ` = ZONE`.
    package init(parsing text: String) throws(ArgumentProblem) {
        let (place, zone) = Self.splitZone(text)
        if zone?.isEmpty == true { throw ArgumentProblem("a zone must follow the = sign") }
        self.init(try Address(parsing: place), zone: zone)
    }

    /// A file name may contain an equals sign, so for paths the sign before a zone has a blank on either side.
    private static func splitZone(_ text: String) -> (place: String, zone: String?) {
        let isNetwork = text.hasPrefix("tcp:") || text.hasPrefix("tls:")
        let separator = isNetwork ? "=" : " = "
        let text = text.trimmed
        guard let range = text.lastRange(of: separator) else { return (text, nil) }
        return (String(text[..<range.lowerBound]).trimmed, String(text[range.upperBound...]).trimmed)
    }
}

extension Listener.Address {
    static let forms =
        "listeners are unix:PATH, @NAME, tcp:HOST:PORT, tcp::PORT (every address), and tls: in place of tcp:"

    package init(parsing text: String) throws(ArgumentProblem) {
        if text.hasPrefix("tcp:") {
            let (host, port) = try Self.place(text.dropFirst(4))
            self = .tcp(host: host, port: port)
            return
        }
        if text.hasPrefix("tls:") {
            let (host, port) = try Self.place(text.dropFirst(4))
            self = .tls(host: host, port: port)
            return
        }
        let path = text.hasPrefix("unix:") ? String(text.dropFirst(5)) : text
        if path.hasPrefix("@") {
            self = .abstract(name: String(path.dropFirst()))
        } else if text.hasPrefix("unix:") || path.hasPrefix("/") {
            self = .unix(path: path, mode: Listener.privateMode)
        } else {
            throw ArgumentProblem(Self.forms)
        }
        if let fault { throw ArgumentProblem(fault) }
    }

    /// `HOST:PORT`, `[ADDRESS]:PORT`, `:PORT` or `PORT`.
    private static func place(_ text: Substring) throws(ArgumentProblem) -> (host: String?, port: UInt16) {
        let parts = text.splitLast(":")
        guard let port = UInt16(parts?.last ?? text), port > 0 else {
            throw ArgumentProblem("a port is a number from 1 to 65535")
        }
        var host = String(parts?.first ?? "")
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard IPAddress(host) != nil else { throw ArgumentProblem("\(quoted(host)) is not an IPv6 address") }
        } else if host.contains(":") {
            throw ArgumentProblem("an IPv6 address is written in brackets, as tcp:[::1]:6600")
        }
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { throw ArgumentProblem(forms) }
        return (["", "*", "any"].contains(host) ? nil : host, port)
    }

    /// Why the system would refuse the address, as a clause for a message.
    package var fault: String? {
        switch self {
        case .unix(let path, _):
            if path.isEmpty || path.hasSuffix("/") { return "a path must follow unix:" }
            if path.utf8.contains(0) { return "a path must not contain NUL" }
            return path.utf8.count > 107 ? "a socket's path is at most 107 bytes long" : nil
        case .abstract(let name):
            if name.isEmpty { return "a name must follow @" }
            return name.utf8.count > 107 ? "a socket's name is at most 107 bytes long" : nil
        case .tcp, .tls: return nil
        }
    }

    /// Whether other machines can connect here.
    package var isOpenToNetwork: Bool {
        switch self {
        case .unix, .abstract: return false
        case .tcp(let host, _), .tls(let host, _):
            guard let host else { return true }
            return host != "localhost" && IPAddress(host)?.isLoopback != true
        }
    }

    /// The host and the port of a network address; `nil` for a socket of this machine.
    package var network: (host: String?, port: UInt16)? {
        switch self {
        case .unix, .abstract: nil
        case .tcp(let host, let port), .tls(let host, let port): (host, port)
        }
    }

    /// Whether connections are encrypted.
    package var isEncrypted: Bool {
        if case .tls = self { true } else { false }
    }
}

extension Listener.Address: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unix(let path, _): "unix:\(path)"
        case .abstract(let name): "@\(name)"
        case .tcp(let host, let port): "tcp:\(Self.spelled(host)):\(port)"
        case .tls(let host, let port): "tls:\(Self.spelled(host)):\(port)"
        }
    }

    private static func spelled(_ host: String?) -> String {
        guard let host else { return "" }
        return host.contains(":") ? "[\(host)]" : host
    }
}

extension Listener: CustomStringConvertible {
    package var description: String { zone.map { "\(address) = \($0)" } ?? "\(address)" }
}
