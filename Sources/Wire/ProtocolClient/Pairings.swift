internal import Files
private import Glibc
internal import TextEncodings

/// This client's names and tokens at servers that it was paired with: lines `SERVER NAME TOKEN` in a file of its own.
package struct Pairings: Sendable {
    package struct Entry: Sendable, Hashable {
        package var name: String
        /// 64 hexadecimal digits.
        package var token: String

        package init(name: String, token: String) {
            self.name = name
            self.token = token
        }
    }

    package struct Problem: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    package let path: String

    /// - Parameter folder: That of segue's own files.
    package init(folder: String) { path = folder + "/pairings" }

    /// This client's name at the server of an address; `nil` when it was not paired, and when the file cannot be read.
    ///
    /// At an unencrypted address of a host counts what was agreed on at its encrypted one.
    package func entry(for address: ServerAddress) -> Entry? {
        let lines = self.lines
        if let line = lines.last(where: { $0.server == address.description }) { return line.entry }
        guard case .network(let host, _) = address else { return nil }
        let start = ServerAddress.encryptedScheme + ServerAddress.place(host, 0).dropLast()
        return lines.last { $0.server.hasPrefix(start) }?.entry
    }

    /// Keeps what a server knows this client by, in place of what it knew before.
    package func keep(_ entry: Entry, for address: ServerAddress) throws(Problem) {
        var kept = lines.filter { $0.server != address.description }
        kept.append((address.description, entry))
        let text = kept.map { "\($0.server) \($0.entry.name) \($0.entry.token)\n" }.joined()
        KnownServers.makeFolder(of: path)
        do { try AtomicFile.write(Array(text.utf8), to: path, access: .onlyOwner) } catch {
            throw Problem(description: "\(path): \(error)")
        }
    }

    private var lines: [(server: String, entry: Entry)] {
        guard let bytes = try? fileContents(path, atMost: 1 << 20) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 3, words[2].utf8.count == 64 else { return nil }
            return (words[0], Entry(name: words[1], token: words[2]))
        }
    }
}

extension RemoteConnection {
    /// Tells the server who this client is, where it was paired with it.
    ///
    /// Over an encrypted connection or a Unix socket the token itself is sent, elsewhere a proof of having it.
    ///
    /// - Returns: Whether the server knows this client, or it was never paired.
    func identify(_ choice: ServerChoice) throws(RemoteError) -> Bool {
        guard let folder = choice.folder, let entry = Pairings(folder: folder).entry(for: address) else { return true }
        do throws(RemoteError) {
            if case .network = address {
                guard let nonce = try run("pair", "nonce")["nonce"], let proof = Self.proof(entry, nonce) else {
                    return false
                }
                try run("pair", "prove", entry.name, proof)
            } else {
                try run("pair", "token", entry.name, entry.token)
            }
            return true
        } catch {
            guard error.refusal != nil else { throw error }
            return false
        }
    }

    /// The token, masked by the HMAC of the server's nonce and this client's name with the token's digest (RFC 5802).
    private static func proof(_ entry: Pairings.Entry, _ nonce: String) -> String? {
        guard let library = try? GnuTLS(), let token = [UInt8](hexadecimal: entry.token),
            let nonce = [UInt8](hexadecimal: nonce)
        else { return nil }
        let mask = library.proof(of: nonce + Array(entry.name.utf8), secret: library.digest(of: token))
        guard mask.count == token.count else { return nil }
        return zip(token, mask).map { $0 ^ $1 }.hexadecimal
    }
}

/// A one-time invitation: `segue://HOST:PORT/PIN/SECRET`.
package struct InvitationLink: Sendable, Hashable {
    package var host: String
    package var port: Int
    package var pin: String
    package var secret: String

    package static let scheme = "segue://"

    package init(host: String, port: Int, pin: String, secret: String) {
        (self.host, self.port, self.pin, self.secret) = (host, port, pin, secret)
    }

    /// - Returns: `nil` unless the text is such a link.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.scheme) else { return nil }
        let parts = text.dropFirst(Self.scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].utf8.count == 64, parts[2].utf8.count == 32,
            (parts[1] + parts[2]).utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let place = try? HostText(parsing: String(parts[0]), port: ServerAddress.usualEncryptedPort),
            case .network(let host, let port) = place.address, place.password == nil
        else { return nil }
        self.init(host: host, port: port, pin: String(parts[1]), secret: String(parts[2]))
    }

    package var text: String { "\(Self.scheme)\(ServerAddress.place(host, port))/\(pin)/\(secret)" }
    package var address: ServerAddress { .encrypted(host: host, port: port) }
}
