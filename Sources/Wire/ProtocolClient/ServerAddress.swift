/// The address of a server.
package enum ServerAddress: Sendable, Hashable {
    case socket(path: String)
    /// A socket in Linux's abstract name space; the name is without its `@`.
    case abstract(name: String)
    case network(host: String, port: Int)
    /// The same, encrypted (TLS).
    case encrypted(host: String, port: Int)

    /// MPD's default port.
    package static let usualPort = 6600
    /// The default port of encrypted connections.
    package static let usualEncryptedPort = 6601
    /// The beginning of a text that names an encrypted server.
    package static let encryptedScheme = "tls://"

    /// Whether it is a socket of this machine, by which a server sees the same files.
    package var isSocket: Bool {
        switch self {
        case .socket, .abstract: true
        case .network, .encrypted: false
        }
    }

    /// Whether the address can only be a server on this machine.
    package var isLocal: Bool {
        switch self {
        case .socket, .abstract: true
        case .network(let host, _), .encrypted(let host, _): ["localhost", "127.0.0.1", "::1"].contains(host)
        }
    }
}

extension ServerAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .socket(let path): path
        case .abstract(let name): "@\(name)"
        case .network(let host, let port): Self.place(host, port)
        case .encrypted(let host, let port): Self.encryptedScheme + Self.place(host, port)
        }
    }

    static func place(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// Why a server's address is invalid: half a sentence.
package struct AddressProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// A server's address in text form: `host`, `host:port`, `[::1]:6600`, `/path/to/socket`, `@abstract`, any of them
/// after `password@`; and `tls://` before the first three, or before their password, for an encrypted connection.
package struct HostText: Sendable, Hashable {
    package var address: ServerAddress
    package var password: String?

    /// Parses a text.
    ///
    /// The first `@` that is not the first character ends a password, as in libmpdclient; a path has none.
    ///
    /// - Parameters:
    ///   - port: The port of a network address without one.
    ///   - encryptedPort: The same for an encrypted connection.
    package init(
        parsing text: String,
        port: Int = ServerAddress.usualPort,
        encryptedPort: Int = ServerAddress.usualEncryptedPort
    ) throws(AddressProblem) {
        if let scheme = text.firstRange(of: ServerAddress.encryptedScheme),
            text[..<scheme.lowerBound].isEmpty || text[..<scheme.lowerBound].hasSuffix("@")
        {
            let rest = String(text[..<scheme.lowerBound]) + String(text[scheme.upperBound...])
            let plain = try HostText(plain: rest, port: encryptedPort)
            guard case .network(let host, let port) = plain.address else {
                throw AddressProblem("a host must follow \(ServerAddress.encryptedScheme)")
            }
            password = plain.password
            self.address = .encrypted(host: host, port: port)
        } else {
            self = try HostText(plain: text, port: port)
        }
    }

    private init(plain text: String, port: Int) throws(AddressProblem) {
        var rest = text[...]
        if !text.hasPrefix("/"), let at = text.firstIndex(of: "@"), at != text.startIndex {
            password = String(text[..<at])
            rest = text[text.index(after: at)...]
        }
        guard !rest.isEmpty else { throw AddressProblem("it names no host") }
        address = try Self.address(rest, port: port)
    }

    private static func address(_ text: Substring, port: Int) throws(AddressProblem) -> ServerAddress {
        if text.hasPrefix("/") {
            guard text.utf8.count <= 107 else { throw AddressProblem("a socket's path has at most 107 bytes") }
            return .socket(path: String(text))
        }
        if text.hasPrefix("@") {
            guard (2...107).contains(text.utf8.count) else {
                throw AddressProblem("an abstract socket's name has 1 to 106 bytes")
            }
            return .abstract(name: String(text.dropFirst()))
        }
        if text.hasPrefix("[") { return try bracketed(text.dropFirst(), port: port) }
        let colons = text.count { $0 == ":" }
        guard colons == 1, let colon = text.firstIndex(of: ":") else {
            // More than one colon and no brackets: an IPv6 address.
            return .network(host: String(text), port: port)
        }
        guard colon != text.startIndex else { throw AddressProblem("it names no host") }
        return .network(host: String(text[..<colon]), port: try Self.port(text[text.index(after: colon)...]))
    }

    private static func bracketed(_ text: Substring, port: Int) throws(AddressProblem) -> ServerAddress {
        guard let end = text.firstIndex(of: "]"), end != text.startIndex else {
            throw AddressProblem("an IPv6 address with a port is written [::1]:6600")
        }
        let rest = text[text.index(after: end)...]
        let host = String(text[..<end])
        if rest.isEmpty { return .network(host: host, port: port) }
        guard rest.hasPrefix(":") else { throw AddressProblem("an IPv6 address with a port is written [::1]:6600") }
        return .network(host: host, port: try Self.port(rest.dropFirst()))
    }

    /// A TCP port's number.
    package static func port(_ text: some StringProtocol) throws(AddressProblem) -> Int {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(text), (1...65_535).contains(port)
        else { throw AddressProblem("a port is a number from 1 to 65535") }
        return port
    }
}
