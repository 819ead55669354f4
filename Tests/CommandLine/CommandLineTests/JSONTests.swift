import Testing
import Verbs

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
}
