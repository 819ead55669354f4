import Testing
import TextEncodings

struct Base64Tests {
    /// The examples of RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func bytesBecomeText(bytes: String, text: String) {
        #expect(Base64.encoded(Array(bytes.utf8)) == Array(text.utf8))
        #expect(Base64.decoded(Array(text.utf8)[...]) == Array(bytes.utf8))
    }

    @Test func allDigitsAreUsed() { #expect(Base64.encoded([0xfb, 0xff, 0xfe]) == Array("+//+".utf8)) }
}
