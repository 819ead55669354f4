package import Cryptography
internal import TextEncodings

/// The named clients that were paired, by the digests of their tokens, and who is not to be asked about any more.
package struct TokenStore: Sendable {
    private var tokens: [ClientName: Digest] = [:]
    private var denied: Set<PrincipalID> = []

    package init() {}

    package subscript(name: ClientName) -> Digest? { tokens[name] }

    package func isDenied(_ id: PrincipalID) -> Bool { denied.contains(id) }

    /// How many clients are kept in it.
    package var count: Int { tokens.count + denied.count }

    /// Gives a client a token, in place of an earlier one.
    ///
    /// - Returns: The line that keeps the change, as all others'.
    package mutating func set(_ name: ClientName, to token: Digest) -> [String] {
        tokens[name] = token
        return ["token", name.text, token.description]
    }

    /// - Returns: `nil` for a client without a token.
    package mutating func forget(_ name: ClientName) -> [String]? {
        tokens.removeValue(forKey: name) == nil ? nil : ["untoken", name.text]
    }

    package mutating func deny(_ id: PrincipalID) -> [String] {
        denied.insert(id)
        return ["unasked", id.description]
    }

    /// - Returns: `nil` for one who was not denied.
    package mutating func reset(_ id: PrincipalID) -> [String]? {
        denied.remove(id) == nil ? nil : ["asked", id.description]
    }

    package var lines: [[String]] {
        tokens.sorted { $0.key.text < $1.key.text }.map { ["token", $0.key.text, $0.value.description] }
            + denied.sorted().map { ["unasked", $0.description] }
    }

    /// The verbs of its lines.
    package static let verbs: Set = ["token", "untoken", "unasked", "asked"]

    /// Applies a line of a journal.
    ///
    /// - Returns: Whether it was understood; a token that cannot be read is none.
    package mutating func apply(_ line: [String]) -> Bool {
        guard line.count >= 2, let id = PrincipalID(line[1]) else { return false }
        switch (line[0], id) {
        case ("token", .named(let name)):
            let token = line.count == 3 ? Digest(line[2]) : nil
            tokens[name] = token
            return token != nil
        case ("untoken", .named(let name)): tokens[name] = nil
        case ("unasked", _): denied.insert(id)
        case ("asked", _): denied.remove(id)
        default: return false
        }
        return true
    }
}

/// The secret by which a paired client proves its identity: 32 random bytes, of which the server keeps only the digest.
package struct ClientToken: Sendable, Hashable {
    package let bytes: [UInt8]

    /// 64 hexadecimal digits.
    package init?(_ text: String) {
        guard text.utf8.count == 64, let bytes = [UInt8](hexadecimal: text) else { return nil }
        self.bytes = bytes
    }

    package init() { bytes = .random(count: 32) }

    package var text: String { bytes.hexadecimal }
    package var digest: Digest { Digest(of: bytes) }
}

extension Digest {
    /// Whether a proof shows that the other side has the token of this digest, as SCRAM does (RFC 5802): neither one who
    /// listens nor one who has read the digest can make it.
    ///
    /// - Parameters:
    ///   - proof: The token, each byte of it exclusive-or that of the HMAC of `challenge` with this digest as the secret.
    ///   - challenge: The bytes that the server has made for this one proof, and the client's name.
    package func isProved(by proof: [UInt8], of challenge: [UInt8]) -> Bool {
        guard proof.count == Self.length else { return false }
        let mask = Digest(of: challenge, secret: bytes).bytes
        return Digest(of: zip(proof, mask).map { $0 ^ $1 }) == self
    }
}
