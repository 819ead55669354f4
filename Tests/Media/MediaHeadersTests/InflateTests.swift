import Testing
import TextEncodings

@testable import MediaHeaders

/// Data that zlib has compressed, whole and damaged.
struct InflateTests {
    private static let text = Array(String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 4).utf8)
    /// One block with fixed codes.
    private static let compressed: [UInt8] =
        [UInt8](
            hexadecimal: "78010bc94855282ccd4cce56482aca2fcf5348cbaf50c82acd2d2856c82f4b2d5228014a"
                + "e72456552aa4e4a7eb29840c0ec500fa60409d"
        ) ?? []
    /// One stored block, and the beginning of it.
    private static let stored: [UInt8] = [0x78, 0x01, 0x01, 0xb4, 0, 0x4b, 0xff] + text

    @Test func whatIsWholeIsDecompressed() {
        #expect(Self.compressed.count == 55)
        #expect(Inflate.bytes(Self.compressed, limit: 1_000) == Self.text)
        #expect(Inflate.bytes(Self.stored + [0xfa, 0x60, 0x40, 0x9d], limit: 1_000) == Self.text)
    }

    @Test(arguments: [0, 1, 44, 179, 180])
    func noMoreThanTheLimit(limit: Int) {
        #expect(Inflate.bytes(Self.compressed, limit: limit) == Array(Self.text.prefix(limit)))
        #expect(Inflate.bytes(Self.stored, limit: limit) == Array(Self.text.prefix(limit)))
    }

    /// A profile that was cut off is used as far as it goes.
    @Test func theBeginningOfWhatIsCutOff() {
        for count in 0..<Self.compressed.count {
            let found = Inflate.bytes(Array(Self.compressed.prefix(count)), limit: 1_000)
            #expect(Self.text.starts(with: found))
            if count == 50 { #expect(found.count > 40) }
        }
        #expect(Inflate.bytes(Array(Self.stored.prefix(100)), limit: 1_000) == Array(Self.text.prefix(93)))
    }

    /// Nothing checks the end's checksum; a reserved kind of block, or a distance to before the beginning, ends it.
    @Test func damage() {
        #expect(Inflate.bytes(Self.compressed.dropLast(4) + [0, 0, 0, 0], limit: 1_000) == Self.text)
        #expect(Inflate.bytes([0x78, 0x01, 0b111], limit: 1_000) == [])
        #expect(Inflate.bytes([], limit: 1_000) == [] && Inflate.bytes([0x78], limit: 1_000) == [])
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                UInt8.random(in: 0 ... .max, using: &generator)
            }
            #expect(Inflate.bytes(bytes, limit: 300).count <= 300)
        }
    }
}
