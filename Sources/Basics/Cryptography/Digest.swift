private import CGnuTLS
private import Glibc
internal import TextEncodings

/// A SHA-256 digest, compared in constant time.
package struct Digest: Sendable, Hashable {
    /// 32 of them.
    package let bytes: [UInt8]

    /// In bytes.
    package static let length = 32

    /// A digest from elsewhere; `nil` unless it has the right length.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// 64 hexadecimal digits.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 2 * Self.length, let bytes = [UInt8](hexadecimal: text) else { return nil }
        self.bytes = bytes
    }

    package init(of message: [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: Self.length)
        let code = unsafe gnutls_hash_fast(GNUTLS_DIG_SHA256, message, message.count, &bytes)
        precondition(code == 0, "GnuTLS has no SHA-256")
        self.bytes = bytes
    }

    /// Proves that a secret is known, without telling it (HMAC, RFC 2104).
    package init(of message: [UInt8], secret: [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: Self.length)
        let code = unsafe gnutls_hmac_fast(
            GNUTLS_MAC_SHA256,
            secret,
            secret.count,
            message,
            message.count,
            &bytes
        )
        precondition(code == 0, "GnuTLS has no HMAC with SHA-256")
        self.bytes = bytes
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.bytes.isEqualInConstantTime(to: right.bytes)
    }
}

extension Digest: CustomStringConvertible {
    /// 64 hexadecimal digits.
    package var description: String { bytes.hexadecimal }
}

/// A SHA-1 digest, for protocols that ask for one where it proves nothing.
package func sha1(of message: [UInt8]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 20)
    let code = unsafe gnutls_hash_fast(GNUTLS_DIG_SHA1, message, message.count, &bytes)
    precondition(code == 0, "GnuTLS has no SHA-1")
    return bytes
}

extension [UInt8] {
    /// Bytes that cannot be predicted, from the kernel.
    package static func random(count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
    }
}
