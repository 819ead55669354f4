import TestThreads
import Testing

@testable import HLS
@testable import Segments

@Suite(.blocking) struct DocumentTests {
    @Test(arguments: [
        ("#EXTM3U\n#EXT-X-TARGETDURATION:4\n", true),
        ("\u{feff}#EXTM3U\r\n#EXT-X-VERSION:3\r\n#EXT-X-STREAM-INF:BANDWIDTH=1\r\na.m3u8\r\n", true),
        ("  #EXTM3U\n\n#EXT-X-MEDIA:TYPE=AUDIO\n", true),
        // A plain list, also one with tags that television lists have.
        ("#EXTM3U\n#EXTINF:12,Artist - Title\na.mp3\n", false),
        ("#EXTM3U\n#EXT-X-SESSION:1\nhttp://host/radio\n", false),
        ("#EXT-X-TARGETDURATION:4\n#EXTM3U\n", false),
        ("<html>#EXTM3U", false),
        ("", false),
    ])
    func isToldFromOtherLists(text: String, isPlaylist: Bool) {
        #expect(HLSDocument.isPlaylist(text.utf8) == isPlaylist)
    }

    @Test func whatIsNoPlaylistIsAnError() {
        #expect(failure("") == .notAPlaylist)
        #expect(failure("<html>") == .notAPlaylist)
        #expect(failure("#EXTM3U\na.mp3\n") == .notAPlaylist)
        #expect(failure("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n") == .noVariants)
    }

    @Test func whatIsTooLongIsAnError() {
        let line = String(repeating: "a", count: 70_000)
        #expect(failure("#EXTM3U\n#EXTINF:1,\n\(line)\n") == .malformed(line: 3, "it is too long"))
        let segments = String(repeating: "#EXTINF:1,\na\n", count: 200_001)
        #expect(failure("#EXTM3U\n" + segments) == .tooLarge("the list of segments"))
    }

    @Test(arguments: [
        ("2010-02-19T14:54:23.031+08:00", 1_266_562_463.031),
        ("2024-02-29T00:00:00Z", 1_709_164_800.0),
        ("1970-01-01T00:00:00", 0.0),
        ("2000-01-01T00:00:00-0530", 946_704_600.0),
        ("2000-01-01 00:00:00,5+02", 946_677_600.5),
    ])
    func datesAreRead(text: String, seconds: Double) throws {
        #expect(try #require(secondsSince1970(Array(text.utf8)[...])) == seconds)
    }

    @Test(arguments: ["", "yesterday", "2000-13-01T00:00:00Z", "2000-01-01T0x:00:00Z", "99999999999999999999999"])
    func whatIsNoDateIsNone(text: String) {
        #expect(secondsSince1970(Array(text.utf8)[...]) == nil)
    }

    @Test(arguments: [
        ("A=1,B=\"x,y\",C=YES", ["A": "1", "B": "x,y", "C": "YES"]),
        (" A = 1 , B = \"z\" ", ["A": "1", "B": "z"]),
        // What is broken ends the list.
        ("A=1,B=\"open", ["A": "1"]),
        ("nothing", [:]),
        ("A=,B=2", ["B": "2"]),
        ("A=1,A=2", ["A": "1"]),
    ])
    func attributesAreRead(text: String, expected: [String: String]) throws {
        let list = AttributeList(Array(text.utf8)[...])
        for name in ["A", "B", "C"] { #expect(try list.string(name) == expected[name], "\(name) of \(text)") }
    }

    @Test func numbersAreReadAsWritten() {
        func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }
        #expect(bytes("18446744073709551615").decimalInteger == nil)
        #expect(bytes("1152921504606846976").decimalInteger == 1 << 60)
        #expect(bytes("1152921504606846977").decimalInteger == nil)
        #expect(bytes("-1").decimalInteger == nil)
        #expect(bytes("9.009").decimalNumber == 9.009)
        #expect(bytes("-.5").decimalNumber == -0.5)
        #expect(bytes("1e9").decimalNumber == nil)
        #expect(bytes("nan").decimalNumber == nil)
        #expect(bytes("0x0102").hexadecimalSequence == [UInt8](repeating: 0, count: 14) + [1, 2])
        #expect(bytes("0X9C7DB8778570D05C3177C349FD9236AA").hexadecimalSequence?.first == 0x9c)
        #expect(bytes("0x").hexadecimalSequence == nil)
        #expect(bytes("0x123456789012345678901234567890123").hexadecimalSequence == nil)
    }
}
