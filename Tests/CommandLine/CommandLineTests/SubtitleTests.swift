import AudioTypes
import CommandOptions
import Foreground
import Testing
import TimedText

/// Which subtitles belong to a film, and which are wanted.
@Suite struct SubtitleTests {
    private let languages = ["en", "de"].compactMap { LanguageCode($0) }

    @Test(
        arguments: [
            ("film.srt", "srt", nil), ("Film.SRT", "srt", nil), ("film.en.srt", "srt", "en"),
            ("film.ger.ass", "ass", "de"),
            ("film.pt-BR.vtt", "vtt", "pt"), ("film.de.forced.srt", "srt", "de"), ("film.forced.srt", "srt", nil),
            ("film.lrc", "lrc", nil),
        ] as [(String, String, String?)]
    )
    func filesAreKnownByTheirNames(_ name: String, _ format: String, _ language: String?) throws {
        let file = try #require(SubtitleFile(name, beside: "film.mkv"))
        #expect(file.format.rawValue == format && file.language?.code == language)
    }

    @Test(arguments: [
        "film.mkv", "film2.srt", "film.txt", "film", "other.srt", "film.part2.srt", "film.en.de.srt", ".srt", "",
    ])
    func othersAreLeft(_ name: String) { #expect(SubtitleFile(name, beside: "film.mkv") == nil) }

    @Test func theUsersLanguagesComeFirst() {
        let names = ["film.ja.srt", "film.de.srt", "film.srt", "film.en.srt", "film.mkv"]
        let files = SubtitleFile.files(among: names, beside: "film.mkv", languages: languages)
        #expect(files.map(\.name) == ["film.srt", "film.en.srt", "film.de.srt", "film.ja.srt"])
        #expect(files.map { $0.isWanted(languages) } == [true, true, true, false])
    }

    @Test func optionsAreParsed() throws {
        #expect(try SubtitleOption(parsing: "auto") == .automatic)
        #expect(try SubtitleOption(parsing: "off") == .off && SubtitleOption(parsing: "no") == .off)
        #expect(try SubtitleOption(parsing: "2") == .number(2))
        #expect(try LanguageCode("de").map { .language($0) } == SubtitleOption(parsing: "ger"))
        #expect(try SubtitleOption(parsing: "a.srt") == .file("a.srt"))
        for bad in ["0", "-1", "1001", "99999999999999999999", "english", "", "x"] {
            #expect(throws: (any Error).self, "\(bad)") { try SubtitleOption(parsing: bad) }
        }
    }
}
