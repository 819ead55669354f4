import Testing
import TextEncodings

@testable import Broadcasting

@Suite struct JSONValueTests {
    @Test func valuesAreRead() {
        let text =
            #" {"a": [1, -2.5e1, true, false, null], "b": {"c": "x\"\\\/\n\u00fc\ud83d\ude00"}, "d": {}, "e": []} "#
        let value = JSONValue(parsing: Array(text.utf8))
        #expect(value?["a"] == .list([.number(1), .number(-25), .truth(true), .truth(false), .null]))
        #expect(value?["b"]?["c"]?.text == "x\"\\/\nü😀")
        #expect(value?["d"] == .table([:]) && value?["e"] == .list([]))
        #expect(value?["x"] == nil && value?["a"]?["x"] == nil)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\"}", "tru", "1 2", "\"a", "\"\\x\"", "\"\u{1}\"", "\"\\ud800\"",
        "\"\\u+123\"", "nan", "1e999",
    ])
    func otherThingsAreRefused(text: String) { #expect(JSONValue(parsing: Array(text.utf8)) == nil) }

    @Test func depthHasALimit() {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(JSONValue(parsing: Array(deep.utf8)) == nil)
    }

    @Test func quotedTextsAreReadAgain() {
        let text = "a\"\\\n\u{7f}ü"
        #expect(JSONValue(parsing: Array(text.jsonString.utf8))?.text == text)
    }
}
