import Testing

@testable import TextEncodings

@Suite struct JSONTests {
    @Test(arguments: [
        (JSON.null, "null"),
        (.bool(true), "true"),
        (.integer(-7), "-7"),
        (.number(1), "1"),
        (.number(0.25), "0.25"),
        (.number(-0.0), "0"),
        (.number(.nan), "null"),
        (.number(.infinity), "null"),
        (.number(1e300), "1e+300"),
        (.seconds(1.0000004), "1"),
        (.seconds(201.34675), "201.34675"),
        (.seconds(nil), "null"),
        (.string(""), #""""#),
        (.string(#"a"b\c"#), #""a\"b\\c""#),
        (.string("tab\tline\nreturn\r"), #""tab\tline\nreturn\r""#),
        (.string("\u{1b}[31m\u{0}\u{7f}\u{9b}"), #""\u001b[31m\u0000\u007f\u009b""#),
        (.string("Ä 日本 🎵\u{2028}"), "\"Ä 日本 🎵\\u2028\""),
        (.array([]), "[]"),
        (.array([.integer(1), .string("x")]), #"[1,"x"]"#),
        (.object([.init("b", .integer(1)), .init("a", .array([.null]))]), #"{"b":1,"a":[null]}"#),
        (.compact([.init("a", .null), .init("b", .bool(false))]), #"{"b":false}"#),
    ])
    func writes(value: JSON, text: String) {
        #expect(value.text == text)
    }

    // MARK: Reading

    private func read(_ text: String) throws(JSONError) -> JSON { try JSON(parsing: Array(text.utf8)) }

    @Test func reads() throws {
        let text =
            #" {"a": [1, -2.5e1, true, false, null], "b": {"c": "x\"\\\/\n\u00fc\ud83d\ude00"}, "d": {}, "e": [ ]} "#
        let value = try read(text)
        #expect(value["a"] == .array([.integer(1), .number(-25), .bool(true), .bool(false), .null]))
        #expect(value["b"]?["c"]?.string == "x\"\\/\nü😀")
        #expect(value["d"] == .object([]) && value["e"] == .array([]))
        #expect(value["x"] == nil && value["a"]?["x"] == nil)
        #expect(value["a"]?.elements.compactMap(\.number) == [1, -25])
    }

    /// Faults, with the offset of the byte that shows them.
    @Test(arguments: [
        ("", JSONError.Fault.incomplete, 0), ("{", .incomplete, 1), ("[1,]", .unexpected, 3),
        ("{\"a\"}", .unexpected, 4), ("{a:1}", .unexpected, 1), ("tru", .incomplete, 3), ("1 2", .unexpected, 2),
        ("\"a", .incomplete, 2), ("\"\\x\"", .unexpected, 2), ("\"\u{1}\"", .unexpected, 1),
        ("\"\\u+123\"", .unexpected, 3), ("\"\\u12", .incomplete, 5), ("nan", .unexpected, 1),
        ("01", .unexpected, 1), ("1.", .incomplete, 2), (".5", .unexpected, 0), ("-", .incomplete, 1),
        ("1e", .incomplete, 2), ("+1", .unexpected, 0), ("1e999", .tooLarge, 0), ("[-1e999]", .tooLarge, 1),
        ("9223372036854775808", .tooLarge, 0), ("\"\\ud800\"", .badText, 1), ("\"\\ude00\"", .badText, 1),
        ("\"\\ud800\\u0041\"", .badText, 1), ("\"\\ud800x\"", .badText, 1),
    ])
    func refuses(text: String, fault: JSONError.Fault, offset: Int) {
        #expect(throws: JSONError(fault: fault, offset: offset)) { try read(text) }
    }

    @Test func refusesBytesThatAreNotUnicode() {
        #expect(throws: JSONError(fault: .badText, offset: 0)) { try JSON(parsing: [0x22, 0xff, 0x22]) }
        #expect(throws: JSONError(fault: .unexpected, offset: 0)) { try JSON(parsing: [0xff]) }
    }

    /// Whole numbers beyond 2^53, which others round, are exact.
    @Test(arguments: [Int.max, Int.min, 9_007_199_254_740_993, -1, 0])
    func wholeNumbersAreExact(number: Int) throws { #expect(try read("\(number)") == .integer(number)) }

    @Test func levelsHaveALimit() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        _ = try read(nested(JSON.deepestLevel))
        for levels in [JSON.deepestLevel + 1, 1_000_000] {
            #expect(throws: JSONError(fault: .tooDeep, offset: JSON.deepestLevel)) { try read(nested(levels)) }
        }
    }

    @Test func theLastOfMembersWithOneNameCounts() throws { #expect(try read(#"{"a":1,"a":2}"#)["a"] == .integer(2)) }

    /// Random values are read as they were written, and damaged texts are read or refused.
    @Test func whatWasWrittenIsReadAgain() throws {
        var random = RandomBytes(seed: 7)
        for _ in 0..<2_000 {
            let value = JSON.random(&random, level: 0)
            var bytes = Array(value.text.utf8)
            #expect(try JSON(parsing: bytes) == value)
            for _ in 0..<4 {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            if let other = try? JSON(parsing: bytes) { #expect(try read(other.text).text == other.text) }
        }
    }
}

extension JSON {
    /// A value whose numbers are read as the same case that they were written from.
    fileprivate static func random(_ random: inout RandomBytes, level: Int) -> JSON {
        switch random.next() % (level < 5 ? 8 : 5) {
        case 0: .null
        case 1: .bool(random.next() % 2 == 0)
        case 2: .integer(Int(truncatingIfNeeded: random.next()))
        case 3: .number(Double(random.next() % 1_000_000) + 0.5)
        case 4: .string(text(&random))
        case 5: .array((0..<random.next() % 4).map { _ in Self.random(&random, level: level + 1) })
        default:
            .object(
                (0..<random.next() % 4).map { _ in
                    Field(text(&random), Self.random(&random, level: level + 1))
                }
            )
        }
    }

    private static func text(_ random: inout RandomBytes) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<random.next() % 6 {
            let limit: UInt64 = random.next() % 2 == 0 ? 0x100 : 0x11_0000
            if let scalar = Unicode.Scalar(UInt32(random.next() % limit)) { scalars.append(scalar) }
        }
        return String(scalars)
    }
}

/// The same numbers in each run (xorshift).
private struct RandomBytes {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
