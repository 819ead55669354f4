package import AudioTypes

/// The principal that a client acts for, as far as grants are kept for it.
package enum PrincipalID: Sendable, Hashable {
    /// A user of this machine, by a Unix socket.
    case user(UInt32)
    /// An address on a network; its clients say nothing else about themselves.
    case address(IPAddress)
    /// A client that the server's owner gave a name and a password.
    case named(ClientName)

    package var isNamed: Bool { if case .named = self { true } else { false } }
}

extension PrincipalID {
    /// Parses `uid 1000` (or `uid:1000`), an address, or a client's name.
    package init?(_ text: String) {
        if let number = Self.number(after: "uid ", text) ?? Self.number(after: "uid:", text) {
            self = .user(number)
        } else if let address = IPAddress(text) {
            self = .address(address)
        } else if let name = ClientName(text) {
            self = .named(name)
        } else {
            return nil
        }
    }

    private static func number(after prefix: String, _ text: String) -> UInt32? {
        guard text.hasPrefix(prefix) else { return nil }
        let digits = text.dropFirst(prefix.count)
        return digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt32(digits) : nil
    }
}

extension PrincipalID: CustomStringConvertible {
    package var description: String {
        switch self {
        case .user(let uid): "uid \(uid)"
        case .address(let address): address.description
        case .named(let name): name.text
        }
    }
}

extension PrincipalID: Comparable {
    package static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}

/// The name of a client: 1 to 64 letters, digits, `-`, `_` and `.`, which are no address.
package struct ClientName: Sendable, Hashable {
    package let text: String

    package init?(_ text: String) {
        let isWord = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || "-_.".utf8.contains(byte)
        }
        guard isWord, (1...64).contains(text.utf8.count), IPAddress(text) == nil else { return nil }
        self.init(unchecked: text)
    }

    init(unchecked text: String) { self.text = text }
}
