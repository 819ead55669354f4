import Testing
import TextEncodings

struct ByteEscapeTests {
    @Test(arguments: [
        ("/music/Björk & Co~1.flac", "/music/Bj%C3%B6rk%20%26%20Co~1.flac"), ("%41", "%2541"), ("", ""),
        ("\u{0}\u{f}\u{10}", "%00%0F%10"),
    ])
    func pathsInURLs(path: String, text: String) {
        #expect(ByteEscape.percent.encode(path.utf8) { $0.isUnreservedInURL || $0 == UInt8(ascii: "/") } == text)
        #expect(ByteEscape.percent.decode(text.utf8) == Array(path.utf8))
        #expect(ByteEscape.percent.decodeWherePossible(text.utf8) == Array(path.utf8))
    }

    @Test func everyByteComesBack() {
        let bytes = Array(UInt8.min ... .max)
        for escape in [ByteEscape.percent, .underscore] {
            let text = escape.encode(bytes, keeping: \.isASCIIAlphanumeric)
            #expect(text.utf8.count == 62 + 3 * (256 - 62))
            #expect(escape.decode(text.utf8) == bytes)
        }
        #expect(ByteEscape.underscore.encode([0x2f, 0x5f, 0xab], keeping: \.isASCIIAlphanumeric) == "_2f_5f_ab")
        #expect(ByteEscape.percent.encode([0xc3, 0xb6]) { _ in true } == "ö")
    }

    @Test(arguments: ["%", "%4", "%4g", "a%-1", "%%41"])
    func bareMarks(text: String) {
        #expect(ByteEscape.percent.decode(text.utf8) == nil)
        #expect(ByteEscape.percent.decodeWherePossible(text.utf8) == Array(text.replacing("%41", with: "A").utf8))
    }

    /// RFC 3986, section 2.3.
    @Test func whatIsUnreserved() {
        let expected = "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
        #expect((UInt8.min ... .max).filter(\.isUnreservedInURL) == Array(expected.utf8))
    }
}
