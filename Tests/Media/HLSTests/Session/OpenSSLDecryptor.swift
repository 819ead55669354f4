import Segments
import TestSupport

/// What decrypts in tests: OpenSSL, a process for each run of blocks.
final class OpenSSLDecryptor: SegmentDecryptor {
    struct Factory: SegmentDecryptorFactory {
        func makeDecryptor(key: [UInt8], iv: [UInt8]) -> (any SegmentDecryptor)? { OpenSSLDecryptor(key, iv) }
    }

    private let key: [UInt8]
    /// The last encrypted block.
    private var previous: [UInt8]

    private init(_ key: [UInt8], _ iv: [UInt8]) { (self.key, previous) = (key, iv) }

    func decrypt(_ blocks: UnsafeMutableRawBufferPointer) {
        let encrypted = unsafe Array(blocks)
        let words = [
            "enc", "-d", "-aes-128-cbc", "-nopad", "-K", Self.hexadecimal(key), "-iv", Self.hexadecimal(previous),
        ]
        let plain = try? ChildProcess.run("openssl", words, input: .bytes(encrypted)).output
        unsafe blocks.copyBytes(from: plain ?? [])
        previous = Array(encrypted.suffix(16))
    }

    /// With an initialisation vector of zeros.
    static func encrypted(_ plain: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
        let words = ["enc", "-aes-128-cbc", "-K", hexadecimal(key), "-iv", String(repeating: "0", count: 32)]
        return try ChildProcess.run("openssl", words, input: .bytes(plain)).output
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
