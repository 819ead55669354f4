import Charsets
import MediaHeaders
import Songs
import TestSupport
import Testing
import TimedText

/// Tags that claim to be Latin-1, or nothing.
@Suite struct TagCharsetTests {
    private func mp3(_ texts: [String: String], in charset: Charset) throws -> [UInt8] {
        let frames = try texts.sorted { $0.key < $1.key }.flatMap { name, text in
            MadeMedia.frame(name, [0] + (try #require(charset.bytes(of: text))), version: 3)
        }
        return MadeMedia.id3(version: 3, frames) + MadeMedia.mp3()
    }

    @Test(arguments: ["windows-1251", "koi8-u", "ibm866"]) func cyrillicIsFound(name: String) throws {
        let charset = try #require(Charset(named: name))
        let bytes = try mp3(["TIT2": "Группа крови", "TPE1": "Кино", "TALB": "Best of"], in: charset)
        let file = MadeMedia.read(bytes).1
        #expect(file.lines == ["Album=Best of", "Title=Группа крови", "Artist=Кино"])
        #expect(file.undeclaredText.isEmpty)
        // The identity is the sound's.
        #expect(file.portableID == MadeMedia.read(MadeMedia.mp3()).1.portableID)
    }

    @Test func aFewLettersStayAsTheyAre() throws {
        let charset = try #require(Charset(named: "windows-1251"))
        let bytes = try mp3(["TIT2": "Ода"], in: charset)
        let file = MadeMedia.read(bytes).1
        #expect(file.lines == ["Title=Îäà"])
        #expect(file.undeclaredText == [0xce, 0xe4, 0xe0, 0x0a])
        // As the user says, or as its folder shows.
        for texts in [UndeclaredText(in: charset), UndeclaredText(beside: charset)] {
            var reader = HeaderReader()
            var file = ScannedFile(uri: "a.mp3", size: bytes.count, modified: 0, inode: 1)
            #expect(reader.read(bytes, into: &file, texts: texts) == .complete)
            #expect(file.tags.map(\.1) == ["Ода"])
            #expect(file.undeclaredText.isEmpty)
        }
    }

    @Test func westernWordsBesideCyrillicOnesStay() throws {
        let bytes = try mp3(["TIT2": "Été, déjà vu"], in: .windows1252)
        var reader = HeaderReader()
        var file = ScannedFile(uri: "a.mp3", size: bytes.count, modified: 0, inode: 1)
        let charset = try #require(Charset(named: "windows-1251"))
        _ = reader.read(bytes, into: &file, texts: UndeclaredText(beside: charset))
        #expect(file.tags.map(\.1) == ["Été, déjà vu"])
    }

    @Test func oldTagsHaveWindowsQuotes() throws {
        let tail = Array("TAG".utf8) + [0x93, 0x41, 0x94] + [UInt8](repeating: 0, count: 122)
        #expect(MadeMedia.read(MadeMedia.mp3() + tail).1.lines.first == "Title=“A”")
    }

    @Test func commentsAndLyricsAreJudged() throws {
        let charset = try #require(Charset(named: "windows-1251"))
        func encoded(_ text: String) throws -> [UInt8] { try #require(charset.bytes(of: text)) }
        let body =
            MadeMedia.frame(
                "TXXX",
                [0] + Array("MOOD\0".utf8) + (try encoded("Печальное настроение")),
                version: 3
            )
            + MadeMedia.frame(
                "USLT",
                [0] + Array("rus\0".utf8) + (try encoded("Тёплое место, но улицы ждут")),
                version: 3
            )
        let bytes = MadeMedia.id3(version: 3, body) + MadeMedia.mp3()
        var comments = TagReader(bytes)
        #expect(comments.comments(ofID3: true)?.map(\.1) == ["Печальное настроение"])
        var lyrics = TagReader(bytes)
        #expect(lyrics.lyrics()?.lines.map(\.text) == ["Тёплое место, но улицы ждут"])
    }
}
