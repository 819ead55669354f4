package import Cryptography
internal import Files
private import Glibc
package import NIOSSL
package import Settings

/// Why connections cannot be encrypted.
package struct IdentityProblem: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// The proof by which clients know this server, and the means to encrypt their connections: a certificate, its key, and
/// the rules that go with them.
package struct ServerIdentity: Sendable {
    package let context: NIOSSLContext
    /// By which clients know the server.
    package let pin: Digest
    /// In seconds since 1970.
    package let validUntil: Double
    /// Whether the server has made the certificate itself.
    package let isMade: Bool
    /// The files as they were read.
    private let files: [String: FileStatus.Stamp]

    /// Reads the certificate and the key, or makes them at the first start; blocks.
    ///
    /// - Parameter folder: Where those that are made are kept.
    package static func load(_ settings: TLSSettings, folder: String) throws(IdentityProblem) -> ServerIdentity {
        let path = settings.certificate ?? folder + "/tls-identity.pem"
        if settings.certificate == nil { try make(path) }
        let keyPath = settings.key ?? path
        let paths = [path, keyPath] + (settings.clientAuthority.map { [$0] } ?? [])
        let files = stamps(of: paths)
        let chain = try certificates(path)
        let key = try privateKey(keyPath)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = settings.oldestVersion == .tls12 ? .tlsv12 : .tlsv13
        if let authority = settings.clientAuthority {
            configuration.trustRoots = .certificates(try certificates(authority))
            configuration.certificateVerification = .optionalVerification
        }
        do {
            let facts = try CertificateFacts(der: chain[0].toDERBytes())
            return ServerIdentity(
                context: try NIOSSLContext(configuration: configuration),
                pin: facts.pin,
                validUntil: facts.validUntil,
                isMade: settings.certificate == nil,
                files: files
            )
        } catch {
            throw IdentityProblem("the certificate \(path) does not go with the key \(keyPath): \(error)")
        }
    }

    /// Whether the files are still those that were read; blocks.
    package var isCurrent: Bool { Self.stamps(of: Array(files.keys)) == files }

    private static func stamps(of paths: [String]) -> [String: FileStatus.Stamp] {
        Dictionary(paths.map { ($0, FileStatus.Stamp($0)) }) { first, _ in first }
    }

    private static func make(_ path: String) throws(IdentityProblem) {
        if (try? FileStatus(of: path)) != nil { return }
        do {
            let made = try MadeCertificate(for: [hostName()], now: time(nil))
            try AtomicFile.write(made.key + made.certificate, to: path, access: .onlyOwner, isNew: true)
        } catch let error as SystemError where error == .exists {
            return
        } catch {
            throw IdentityProblem("cannot make a certificate at \(path): \(error)")
        }
    }

    private static func certificates(_ path: String) throws(IdentityProblem) -> [NIOSSLCertificate] {
        let bytes = try contents(path)
        guard let found = try? NIOSSLCertificate.fromPEMBytes(bytes), !found.isEmpty else {
            throw IdentityProblem("\(path) has no certificate in PEM form")
        }
        return found
    }

    private static func privateKey(_ path: String) throws(IdentityProblem) -> NIOSSLPrivateKey {
        guard let key = try? NIOSSLPrivateKey(bytes: try contents(path), format: .pem) else {
            throw IdentityProblem("\(path) has no key in PEM form that needs no password")
        }
        return key
    }

    private static func contents(_ path: String) throws(IdentityProblem) -> [UInt8] {
        do { return try fileContents(path, atMost: mostBytes) } catch { throw IdentityProblem("\(path): \(error)") }
    }

    /// In bytes, of a file of certificates.
    private static let mostBytes = 1 << 20
}

/// The machine's.
package func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 65)
    _ = unsafe gethostname(&buffer, buffer.count - 1)
    let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return name.isEmpty ? "segue" : name
}

extension FileStatus {
    /// Differs when a file was replaced or written; `nil` values stand for a file that is not there.
    fileprivate struct Stamp: Sendable, Hashable {
        private let identity: Identity?
        private let changed: Int64?

        init(_ path: String) {
            let status = try? FileStatus(of: path)
            identity = status?.identity
            changed = status?.changed
        }
    }
}
