import AudioTypes
import MediaHeaders
import TestSupport
import Testing
import TimedText

/// Lyrics in the tags of files.
@Suite struct LyricsTests {
    private func lyrics(_ bytes: [UInt8]) -> Lyrics? {
        var reader = TagReader(bytes)
        return reader.lyrics()
    }

    private func lines(_ bytes: [UInt8]) -> [String]? { lyrics(bytes)?.lines.map(\.text) }

    private func tagged(_ body: [UInt8], version: UInt8 = 4) -> [UInt8] {
        MadeMedia.id3(version: version, body) + MadeMedia.mp3()
    }

    /// Encoding, language, and texts that end with a zero.
    private func frame(_ encoding: UInt8, _ language: String, _ description: String, _ text: String) -> [UInt8] {
        [encoding] + Array(language.utf8) + MadeMedia.text(description + "\0" + text, encoding: encoding).dropFirst()
    }

    /// A SYLT frame's content.
    private func synced(_ encoding: UInt8, unit: UInt8 = 2, kind: UInt8 = 1, _ parts: [(String, Int)]) -> [UInt8] {
        var bytes =
            [encoding] + Array("deu".utf8) + [unit, kind] + MadeMedia.text("x\0", encoding: encoding).dropFirst()
        for (text, time) in parts {
            bytes += MadeMedia.text(text + "\0", encoding: encoding).dropFirst() + MadeMedia.bigEndian(time, 4)
        }
        return bytes
    }

    @Test(arguments: [0, 1, 2, 3] as [UInt8], [2, 3, 4] as [UInt8])
    func plainLyricsOfAllEncodingsAreRead(encoding: UInt8, version: UInt8) {
        let content = frame(encoding, "eng", "étude", "Stück\r\n\r\nzwei")
        let file = tagged(MadeMedia.frame(version == 2 ? "ULT" : "USLT", content, version: version), version: version)
        #expect(lines(file) == ["Stück", "", "zwei"])
        #expect(lyrics(file)?.language == "eng" && lyrics(file)?.isSynced == false)
    }

    @Test(arguments: [0, 1, 2, 3] as [UInt8])
    func syncedLyricsOfAllEncodingsAreRead(encoding: UInt8) {
        let file = tagged(MadeMedia.frame("SYLT", synced(encoding, [("Über", 1_500), ("zwei", 70_000)])))
        #expect(lines(file) == ["Über", "zwei"])
        #expect(lyrics(file)?.lines.map(\.time?.milliseconds) == [1_500, 70_000])
        #expect(lyrics(file)?.language == "deu")
    }

    @Test func timesInFramesAreThoseOfTheAudio() {
        let body = MadeMedia.frame("SYLT", synced(3, unit: 1, [("a", 100)]))
        // 1,152 samples of 44,100 a second each.
        #expect(lyrics(tagged(body))?.lines.first?.time?.milliseconds == 2_612)
        #expect(lyrics(MadeMedia.id3(version: 4, body)) == nil)
    }

    @Test func syllablesAreJoined() {
        let before = [
            ("Strang", 0), ("ers", 100), (" in", 200), ("\nEx", 300), ("chang", 400), ("\n", 500), ("ing", 600),
        ]
        #expect(lines(tagged(MadeMedia.frame("SYLT", synced(3, before)))) == ["Strangers in", "Exchang", "ing"])
        let behind = [("Strang", 0), ("ers\n", 100), ("Ex", 300), ("change\n", 400)]
        #expect(lines(tagged(MadeMedia.frame("SYLT", synced(3, behind)))) == ["Strangers", "Exchange"])
    }

    @Test func syncedLyricsComeBeforePlainOnes() {
        let plain = MadeMedia.frame("USLT", frame(3, "eng", "", "plain"))
        let events = MadeMedia.frame("SYLT", synced(3, kind: 4, [("chorus", 1)]))
        let timed = MadeMedia.frame("SYLT", synced(3, [("timed", 1)]))
        #expect(lines(tagged(plain + events)) == ["plain"])
        #expect(lines(tagged(plain + events + timed)) == ["timed"])
        #expect(lyrics(tagged(MadeMedia.frame("USLT", frame(3, "eng", "", "[00:01.00]lrc"))))?.isSynced == true)
    }

    @Test(arguments: ["LYRICS", "UnsyncedLyrics", "SYNCEDLYRICS", "UNSYNCED LYRICS"])
    func commentsAreRead(_ name: String) {
        #expect(lines(MadeMedia.flac(["TITLE=x", "\(name)=[00:02.00]a\n[00:01.00]b"])) == ["b", "a"])
        #expect(lines(tagged(MadeMedia.frame("TXXX", MadeMedia.text("\(name)\0c")))) == ["c"])
        let item = MadeMedia.box(
            "----",
            MadeMedia.box("name", [0, 0, 0, 0] + Array(name.utf8)) + MadeMedia.item(Array("d".utf8))
        )
        #expect(lines(MadeMedia.mp4(item)) == ["d"])
        #expect(lyrics(MadeMedia.flac(["\(name)S=x", "LYRICIST=y"])) == nil)
    }

    @Test func languagesBehindNamesAreKept() {
        #expect(lyrics(MadeMedia.flac(["LYRICS-ENG=a"]))?.language == "eng")
        #expect(lyrics(MadeMedia.flac(["LYRICS-XXX=a"]))?.language == nil)
        // What FFmpeg makes of them.
        #expect(lines(tagged(MadeMedia.frame("TXXX", MadeMedia.text("USLT\0c")))) == ["c"])
    }

    @Test func ofThousandsTheFirstAreRead() {
        #expect(lines(MadeMedia.flac((0..<20_000).map { "LYRICS=\($0)" })) == ["0"])
    }

    @Test func itemsOfMP4AreRead() {
        let item = MadeMedia.item(Array("un\rde".utf8))
        let named = MadeMedia.bigEndian(item.count + 8, 4) + [0xa9] + Array("lyr".utf8) + item
        #expect(lines(MadeMedia.mp4(named)) == ["un", "de"])
    }

    @Test func longLyricsAreCut() throws {
        let text = String(repeating: "la la la la la\n", count: 100_000)
        for file in [MadeMedia.flac(["LYRICS=" + text]), tagged(MadeMedia.frame("USLT", frame(3, "eng", "", text)))] {
            let lyrics = try #require(self.lyrics(file))
            #expect(lyrics.lines.count <= Lyrics.lineLimit)
            #expect(lyrics.lines.reduce(0) { $0 + $1.text.utf8.count + 1 } <= Lyrics.byteLimit)
        }
    }

    @Test func damagedFramesDoNoHarm() {
        let whole =
            MadeMedia.frame("SYLT", synced(1, [("ab", 1), ("cd", 2)]))
            + MadeMedia.frame("USLT", frame(1, "eng", "d", "text"))
        for length in 0...whole.count { _ = lyrics(tagged(Array(whole.prefix(length)))) }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<3_000 {
            var damaged = tagged(whole)
            damaged[Int.random(in: 10..<whole.count + 10, using: &random)] = .random(in: 0...255, using: &random)
            _ = lyrics(damaged)
        }
    }
}
