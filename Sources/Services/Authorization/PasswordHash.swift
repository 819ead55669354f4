private import CCrypt
private import Cryptography
private import Glibc

/// A salted hash of a password, as yescrypt writes it (crypt(5)).
package struct PasswordHash: Sendable, Hashable {
    package let text: String

    /// A hash from a journal; `nil` unless it is one of yescrypt.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.method), text.utf8.count < 384 else { return nil }
        self.text = text
    }

    /// Hashes a password with a new salt; takes some 20 ms and 16 MB.
    ///
    /// - Returns: `nil` when there is no memory.
    package init?(hashing password: String) {
        // The second argument is the cost: 0 is the library's default. Without random bytes it takes the kernel's.
        guard let setting = unsafe crypt_gensalt_ra(Self.method, 0, nil, 0) else { return nil }
        defer { unsafe free(setting) }
        guard let text = Self.crypt(password, unsafe String(cString: setting)) else { return nil }
        self.text = text
    }

    /// Whether a password is the right one; takes as long as making the hash.
    package func matches(_ password: String) -> Bool {
        guard let other = Self.crypt(password, text) else { return false }
        return text.utf8.isEqualInConstantTime(to: other.utf8)
    }

    private static func crypt(_ password: String, _ setting: String) -> String? {
        var data: UnsafeMutableRawPointer?
        var size: Int32 = 0
        defer {
            if let data = unsafe data { unsafe explicit_bzero(data, Int(size)) }
            unsafe free(data)
        }
        // Failures are texts that begin with an asterisk.
        guard let result = unsafe crypt_ra(password, setting, &data, &size) else { return nil }
        let text = unsafe String(cString: result)
        return text.hasPrefix(method) ? text : nil
    }

    private static let method = "$y$"

    /// A hash of a password that was thrown away, so that an unknown name takes as long as a wrong password.
    package static let decoy = PasswordHash(hashing: ClientPassword.random(for: ClientName.decoy).secret)
}

/// The password of a named client, as its program sends it: `NAME:SECRET`.
package struct ClientPassword: Sendable, Hashable {
    package let name: ClientName
    package let secret: String

    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = ClientName(String(parts[0])), (1...256).contains(parts[1].utf8.count),
            !parts[1].utf8.contains(0)
        else { return nil }
        self.init(name, secret: String(parts[1]))
    }

    private init(_ name: ClientName, secret: String) {
        self.name = name
        self.secret = secret
    }

    package var text: String { "\(name.text):\(secret)" }

    /// A password of 60 random bits, in letters and digits that are not mistaken for each other.
    package static func random(for name: ClientName) -> ClientPassword {
        let symbols = Array("abcdefghjkmnpqrstuvwxyz23456789")
        var generator = SystemRandomNumberGenerator()
        let groups = (0..<3).map { _ in
            String((0..<4).map { _ in symbols[Int.random(in: symbols.indices, using: &generator)] })
        }
        return ClientPassword(name, secret: groups.joined(separator: "-"))
    }
}

extension ClientName {
    fileprivate static let decoy = ClientName(unchecked: "decoy")
}
