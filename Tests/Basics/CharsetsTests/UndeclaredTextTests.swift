import Charsets
import Testing

@Suite struct UndeclaredTextTests {
    /// Reads texts one after the other, judges them together, and reads them again.
    private func readings(of texts: [[UInt8]], in charset: Charset? = nil) -> (texts: [String], charset: Charset) {
        var reader = UndeclaredText(in: charset)
        for text in texts { _ = reader.utf8(text[...]) }
        _ = reader.judge()
        return (texts.map { String(decoding: reader.utf8($0[...]), as: UTF8.self) }, reader.charset)
    }

    /// Titles beside each other, as an album has them: all runs of so many.
    private func albums(_ titles: [Substring], of count: Int) -> [[Substring]] {
        titles.indices.map { start in (0..<count).map { titles[(start + $0) % titles.count] } }
    }

    @Test func westernTitlesStay() throws {
        var texts = 0
        for language in westernTitles {
            let titles = language.split(separator: "|")
            for count in [1, 2, 3, 5, 8, titles.count] {
                for album in albums(titles, of: count) {
                    let bytes = try album.map { try #require(Charset.windows1252.bytes(of: String($0))) }
                    #expect(readings(of: bytes).texts == album.map(String.init))
                    texts += 1
                }
            }
        }
        #expect(texts > 1_000)
    }

    @Test func titlesOfSeveralWesternLanguagesStay() throws {
        let titles = westernTitles.map { $0.split(separator: "|") }
        for place in 0..<20 {
            let album = titles.map { $0[place % $0.count] }
            let bytes = try album.map { try #require(Charset.windows1252.bytes(of: String($0))) }
            #expect(readings(of: bytes).texts == album.map(String.init))
        }
    }

    @Test(arguments: otherTitles)
    func anAlbumOfAnotherLanguageIsRead(_ other: (charset: String, titles: String)) throws {
        let titles = other.titles.split(separator: "|")
        let charset = try #require(Charset(named: other.charset))
        let bytes = try titles.map { try #require(charset.bytes(of: String($0))) }
        let read = readings(of: bytes)
        #expect(read.texts == titles.map(String.init), "\(read.charset)")
    }

    /// Never half right: what is too short to be judged is read as before, and nothing is taken for a third language.
    @Test(arguments: otherTitles)
    func aFewTitlesAreReadOrLeft(_ other: (charset: String, titles: String)) throws {
        let titles = other.titles.split(separator: "|")
        let charset = try #require(Charset(named: other.charset))
        var (right, left, wrong) = (0, 0, [Charset]())
        for count in [2, 3, 5] {
            for album in albums(titles, of: count) {
                let bytes = try album.map { try #require(charset.bytes(of: String($0))) }
                let read = readings(of: bytes)
                if read.texts == album.map(String.init) {
                    right += 1
                } else if read.charset == .windows1252 {
                    left += 1
                } else {
                    wrong.append(read.charset)
                }
            }
        }
        #expect(wrong.count * 20 <= right + left, "\(wrong)")
    }

    /// Whatever bytes come: every text comes out as UTF-8, as long as what went in, and none of it is lost.
    @Test func anyBytesAreRead() throws {
        var state: UInt64 = 34
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for round in 0..<2_000 {
            let first = round % 2 == 0 ? 0 : 0x80
            let bytes = (0..<random(400)).map { _ in UInt8(first + random(256 - first)) }
            let (text, charset) = UndeclaredText.document(bytes)
            #expect(String(validating: text, as: UTF8.self) != nil)
            #expect(charset != nil || text == bytes)
            let ends: Set<UInt8> = [0x0a, 0x0d]
            #expect(text.count(where: ends.contains) == bytes.count(where: ends.contains))
        }
        for other in otherTitles {
            let charset = try #require(Charset(named: other.charset))
            for _ in 0..<20 {
                let bytes = (0..<random(100)).map { _ in UInt8(random(256)) }
                #expect(String(validating: charset.utf8(bytes), as: UTF8.self) != nil)
            }
        }
    }

    @Test func muchIsJudgedByItsBeginning() throws {
        let charset = try #require(Charset(named: "windows-1251"))
        let line = try #require(charset.bytes(of: "Группа крови на рукаве\n"))
        let bytes = Array(repeatElement(line, count: 50_000).joined())
        let (text, found) = UndeclaredText.document(bytes)
        #expect(found == charset)
        #expect(text.count == 50_000 * "Группа крови на рукаве\n".utf8.count)
    }
}
