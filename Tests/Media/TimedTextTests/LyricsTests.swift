import AudioTypes
import Testing
import TimedText

struct LyricsTests {
    @Test
    func readsLRC() throws {
        let lyrics = try #require(
            lrc(
                "[ti:A Song]\n[la:ENG]\n[00:45.10][00:12.5]La <00:13.00>la\n\n[00:20.00]\n[01:02:03.456]Late\nno line\n"
            )
        )
        #expect(lyrics.isSynced && lyrics.language == "eng")
        #expect(lyrics.lines.map(\.text) == ["La la", "", "La la", "Late"])
        #expect(lyrics.lines.map(\.time?.milliseconds) == [12_500, 20_000, 45_100, 3_723_456])
    }

    @Test(arguments: [("500", 9.5), ("+500", 9.5), ("-250", 10.25), ("99999999999999999999", 10), ("20000", 0)])
    func shiftsByItsOffset(_ offset: String, _ expected: Double) {
        #expect(lrc("[offset: \(offset)]\n[00:10.00]x\n")?.lines.first?.time?.seconds == expected)
    }

    @Test
    func readsTextWithoutTimes() {
        let lyrics = lrc("\n[ar:Nina]\nOne\n\n[Chorus]\nTwo\n\n")
        #expect(lyrics?.isSynced == false)
        #expect(lyrics?.lines.map(\.text) == ["One", "", "[Chorus]", "Two"])
    }

    @Test(arguments: ["", "\n\n", "[ti:x]\n", "[00:01.00]\n[00:02.00]  \n"])
    func turnsDownWhatHasNoText(_ text: String) { #expect(lrc(text) == nil) }

    @Test
    func keepsThePartOfATrack() throws {
        let lyrics = try #require(lrc("[00:01]a\n[00:10]b\n[00:19.5]c\n[00:20]d\n"))
        let part = try #require(lyrics.part(from: time(10), to: time(20)))
        #expect(part.lines.map(\.text) == ["b", "c"])
        #expect(part.lines.map(\.time?.seconds) == [0, 9.5])
        #expect(lyrics.part(from: time(30), to: nil) == nil)
        #expect(lrc("plain")?.part(from: time(30), to: nil)?.lines.count == 1)
    }

    @Test
    func showsALineUntilTheNext() throws {
        let track = try #require(lrc("[00:01]a\n[00:03]\n[00:04]b\n")).track
        #expect(track.shown(at: time(2)).lines == ["a"])
        #expect(track.shown(at: time(3)).lines == [])
        #expect(track.shown(at: time(1000)).lines == ["b"])
    }

    @Test
    func namesNoLanguageThatIsNone() {
        for name in ["XXX", "und", "\0\0\0", ""] { #expect(Lyrics(plain: "x", language: name)?.language == nil) }
    }

    @Test
    func keepsWithinItsBudgets() {
        let stamps = String(repeating: "[00:01]", count: 30_000) + "x"
        #expect(lrc(stamps)?.lines.count == Lyrics.lineLimit)
        let repeated = String(repeating: "[00:01]", count: 9_000) + String(repeating: "é", count: 1_000)
        #expect(lrc(repeated)?.lines.count == Lyrics.textLimit / 2_000)
        #expect(lrc(String(repeating: "y", count: 200_000))?.lines.first?.text.count == Lyrics.characterLimit)
        #expect(lrc(String(repeating: "z\n", count: 50_000))?.lines.count == Lyrics.lineLimit)
    }
}

private func lrc(_ text: String) -> Lyrics? { Lyrics(lrc: Array(text.utf8)) }
