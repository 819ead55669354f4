import Charsets
import Testing

@Suite struct CharsetTests {
    @Test func aNameIsLookedUp() throws {
        #expect(Charset(named: "Windows-1251")?.text([0xcf, 0xe5, 0xf1, 0xed, 0xff]) == "Песня")
        #expect(Charset(named: "cp932")?.text([0x83, 0x8a, 0x83, 0x93]) == "リン")
        #expect(Charset(named: "latin1") == .windows1252)
        #expect(Charset(named: "UTF-8")?.text([0x41, 0xff]) == "A\u{fffd}")
        let koi = try #require(Charset(named: "KOI8-R"))
        #expect(koi.bytes(of: "Песня") == [0xf0, 0xc5, 0xd3, 0xce, 0xd1])
        #expect(koi.bytes(of: "日") == nil)
    }

    @Test(arguments: [
        "", "klingon", "utf-16", "ucs-4", "windows-1251//IGNORE", "../../etc/passwd", "cp1251\0x", "ebcdic-us",
        "iso-2022-jp", "utf-7", "hz", "hz-gb-2312",
        String(repeating: "x", count: 1_000_000),
    ])
    func anotherNameIsRefused(_ name: String) { #expect(Charset(named: name) == nil) }

    @Test func brokenBytesAreReplaced() throws {
        let japanese = try #require(Charset(named: "cp932"))
        #expect(japanese.text([0x83]) == "\u{fffd}")
        #expect(japanese.text([0xff, 0x41]) == "\u{fffd}A")
        let long = [UInt8](repeating: 0x83, count: 100_001)
        #expect(japanese.text(long).unicodeScalars.count > 50_000)
        // Signs that stand across the converter's steps.
        let signs = [0x41] + Array(repeatElement([UInt8](arrayLiteral: 0x83, 0x8a), count: 50_000).joined())
        #expect(japanese.text(signs) == "A" + String(repeating: "リ", count: 50_000))
    }

    @Test func rulesAreForFoldersAndAddresses() throws {
        let (cyrillic, greek, czech) = (Charset(named: "koi8-r"), Charset(named: "cp1253"), Charset(named: "cp1250"))
        let places = ["Kino": cyrillic, "Kino/Greek/": greek, "http://radio.example/cz": czech].compactMapValues(\.self)
        let rules = CharsetRules(places: places)
        #expect(rules["Kino/1988/a.mp3"] == cyrillic)
        #expect(rules["Kino"] == cyrillic)
        #expect(rules["Kino/Greek/a.mp3"] == greek)
        #expect(rules["Kinoteka/a.mp3"] == nil)
        #expect(rules["a.mp3"] == nil)
        #expect(rules["http://radio.example/cz"] == czech)
        #expect(rules["http://radio.example/cz/live"] == czech)
        #expect(rules["http://radio.example/sk"] == nil)
        #expect(rules["http://radio.example/cz#charset=koi8-r"] == cyrillic)
        #expect(rules["http://radio.example/sk#t=3&charset=koi8-r"] == cyrillic)
        #expect(rules["http://radio.example/cz#charset=klingon"] == nil)
        #expect(CharsetRules(everywhere: greek)["anything"] == greek)
        #expect(CharsetRules()[""] == nil)
    }

    @Test func windows1252ComesBack() {
        #expect(Charset.windows1252.bytes(of: "ö–.mp3") == [0xf6, 0x96, 0x2e, 0x6d, 0x70, 0x33])
        #expect(Charset.windows1252.bytes(of: "日") == nil)
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(Charset.windows1252.bytes(of: Charset.windows1252.text(bytes)) == bytes)
    }
}
