import Cryptography
import Testing

@Suite struct CryptographyTests {
    /// FIPS 180-2, appendix B.1, and RFC 4231, case 2.
    @Test func digestsAreThoseOfTheStandards() {
        #expect(
            "\(Digest(of: Array("abc".utf8)))" == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(
            "\(Digest(of: Array("what do ya want for nothing?".utf8), secret: Array("Jefe".utf8)))"
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
    }

    @Test func digestsAreReadAsTheyAreWritten() {
        let digest = Digest(of: [1, 2, 3])
        #expect(Digest("\(digest)") == digest)
        #expect(Digest("\(digest)".uppercased()) == digest)
        #expect(Digest("\(digest)".dropLast()) == nil)
        #expect(Digest(String(repeating: "g", count: 64)) == nil)
        #expect(Digest(bytes: [1]) == nil)
        #expect(digest != Digest(of: [1, 2, 4]))
    }

    /// No difference is forgiven by what follows it.
    @Test func bytesThatDifferAreNeverEqual() {
        let random = (0..<2_000).map { _ in [UInt8].random(count: 4).map { $0 & 3 } }
        for left in random {
            for right in random.prefix(100) {
                #expect(left.isEqualInConstantTime(to: right) == (left == right), "\(left) \(right)")
            }
        }
        #expect(![UInt8]().isEqualInConstantTime(to: [0]) && [UInt8]().isEqualInConstantTime(to: []))
        for place in 0..<Digest.length {
            var bytes = Digest(of: [1]).bytes
            bytes[place] ^= 0x10
            #expect(Digest(bytes: bytes) != Digest(of: [1]))
        }
    }

    @Test func randomBytesDiffer() { #expect([UInt8].random(count: 32) != .random(count: 32)) }

    @Test func aMadeCertificateIsReadAgain() throws {
        let made = try MadeCertificate(for: ["kitchen.lan", "kitchen"], now: 1_790_000_000)
        let facts = try CertificateFacts(der: der(made.certificate))
        #expect(facts.commonName == "kitchen.lan")
        #expect(facts.validUntil == 1_790_000_000 + 20 * 366 * 86_400)
        #expect(String(decoding: made.key, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----"))
    }

    @Test func eachCertificateHasAKeyOfItsOwn() throws {
        let pins = try (0..<2).map { _ in
            try CertificateFacts(der: der(MadeCertificate(for: ["a"], now: 1_790_000_000).certificate)).pin
        }
        #expect(pins[0] != pins[1])
    }

    @Test(arguments: [[], [0x30], Array(repeating: UInt8(0xff), count: 5_000)])
    func otherBytesAreNoCertificate(bytes: [UInt8]) {
        #expect(throws: CertificateProblem.self) { try CertificateFacts(der: bytes) }
    }

    /// The bytes of a PEM file's first block.
    private func der(_ pem: [UInt8]) -> [UInt8] {
        let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-") }
        let symbols = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var bits: [UInt8] = []
        for byte in lines.joined().utf8 where byte != 0x3d {
            let value = symbols.firstIndex(of: byte) ?? 0
            bits += (0..<6).reversed().map { UInt8(value >> $0 & 1) }
        }
        return stride(from: 0, to: bits.count / 8 * 8, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
        }
    }
}
