import Testing

@testable import Broadcasting

@Suite struct ICYTitleTests {
    @Test(arguments: ["", "Ann - Song", "Don't", "日本語"])
    func aBlockIsItsTextFilledUpWithZeros(title: String) {
        let block = ICYTitle.block(title)
        #expect(block.count == 1 + Int(block[0]) * 16)
        let text = "StreamTitle='\(title)';"
        #expect(String(decoding: block.dropFirst().prefix(text.utf8.count), as: UTF8.self) == text)
        #expect(block.dropFirst(1 + text.utf8.count).allSatisfy { $0 == 0 })
        #expect(block.count - 1 - text.utf8.count < 16)
    }

    @Test func aTitleCannotEndItsTextNorBeginALine() {
        let block = ICYTitle.block("a';StreamUrl='b\r\n")
        let text = String(decoding: block.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
        #expect(text == "StreamTitle='a’;StreamUrl='b';")
    }

    @Test func aLongTitleIsCutAtACharacter() {
        let block = ICYTitle.block(String(repeating: "ü", count: 5_000))
        let text = String(decoding: block.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
        #expect(block[0] == 255 && block.count == 4_081)
        #expect(text.hasPrefix("StreamTitle='üü") && text.hasSuffix("ü';"))
    }
}
