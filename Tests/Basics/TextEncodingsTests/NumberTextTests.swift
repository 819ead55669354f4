import Testing
import TextEncodings

/// Numbers, bytes and texts in the forms that several formats share.
struct NumberTextTests {
    @Test(arguments: [
        (0, 1, "0"), (7, 2, "07"), (7, 0, "7"), (123, 2, "123"), (.max, 20, "09223372036854775807"),
    ])
    func padding(number: Int, digits: Int, text: String) {
        #expect(String(number, digits: digits) == text)
        var bytes: [UInt8] = []
        bytes.append(number: number, digits: min(digits, 19))
        #expect(String(decoding: bytes, as: UTF8.self) == String(number, digits: min(digits, 19)))
    }

    @Test func otherRadices() {
        #expect(String(0xf, digits: 4, radix: 16) == "000f")
        #expect(String(0o600, digits: 4, radix: 8) == "0600")
        #expect(String(UInt64.max, digits: 16, radix: 16) == "ffffffffffffffff")
    }

    @Test(arguments: [
        (0, 3, "0"), (250, 3, "0.25"), (2_000, 3, "2"), (1_001, 3, "1.001"), (44_100, 3, "44.1"), (5, 0, "5"),
    ])
    func decimals(parts: Int, places: Int, text: String) { #expect(String(parts: parts, places: places) == text) }

    @Test func hexadecimalDigits() {
        #expect([0, 255, 0x7a].hexadecimal == "00ff7a")
        #expect([UInt8](hexadecimal: "00fF7a") == [0, 255, 0x7a])
        #expect([UInt8](hexadecimal: "") == [])
        for text in ["123", "-1", "+1", "0x", "zz"] { #expect([UInt8](hexadecimal: text) == nil) }
    }

    @Test func byteOrder() {
        #expect(UInt32(bigEndian: [1, 2, 3, 4]) == 0x0102_0304)
        #expect(UInt32(littleEndian: [1, 2, 3, 4]) == 0x0403_0201)
        #expect(UInt64(bigEndian: [0xff, 0xfe]) == 0xfffe && UInt64(bigEndian: []) == 0)
        #expect(UInt16(bigEndian: [1, 2, 3]) == 0x0203 && UInt16(littleEndian: [1, 2, 3]) == 0x0201)
        #expect(Int64(bigEndian: [UInt8](repeating: 0xff, count: 8)) == -1)
    }

    @Test(arguments: [
        ("plain ö 🎵", "\"plain ö 🎵\""), ("a\"b\\c", #""a\"b\\c""#), ("\n\r\t", #""\n\r\t""#),
        ("\u{0}\u{1f}\u{7f}\u{9f}\u{2028}", #""\u0000\u001f\u007f\u009f\u2028""#), ("", "\"\""),
    ])
    func json(text: String, expected: String) { #expect(text.jsonString == expected) }
}
