import Numbers
import Testing

@Suite struct DigitsTests {
    @Test func digitsAreANumber() {
        #expect(UInt8(digits: "fF".utf8, radix: 16) == 255)
        #expect(UInt32(digits: "10FFFF".utf8, radix: 16) == 0x10ffff)
        #expect(Int(digits: "0777".utf8, radix: 8) == 511)
        #expect(Int8(digits: "z".utf8, radix: 36) == 35)
        #expect(UInt8(digits: Array("x41y".utf8)[1...2], radix: 16) == 0x41)
    }

    @Test(arguments: ["", "+5", "-0", "-1", " 1", "1 ", "0x1", "1_0", "g", "٣", "100"])
    func anythingElseIsNone(_ text: String) { #expect(UInt8(digits: text.utf8, radix: 16) == nil) }

    @Test func theRadixIsTheLimit() {
        #expect(Int(digits: "8".utf8, radix: 8) == nil)
        #expect(Int(digits: "2".utf8, radix: 2) == nil)
        #expect(Int64(digits: "7fffffffffffffff".utf8, radix: 16) == .max)
        #expect(Int64(digits: "8000000000000000".utf8, radix: 16) == nil)
    }
}
