import AudioTypes
import Foreground
import TerminalText
import Testing

@Suite struct DisplayTextTests {
    @Test(arguments: [
        ("So What", "So What"),
        ("\u{1b}[31mred\u{1b}]0;title\u{7}", " [31mred ]0;title "),
        ("a\r\nb\tc", "a b c"),
        ("csi \u{9b}2J del\u{7f}", "csi 2J del "),
        ("a\u{2028}b\u{2029}c", "a b c"),
        ("abc\u{202e}fed\u{2066}x", "abcfedx"),
        ("\u{feff}bom\u{200b}", "bom"),
        ("👨\u{200d}👩\u{200d}👧", "👨\u{200d}👩\u{200d}👧"),
        ("Z" + String(repeating: "\u{301}", count: 40), "Z" + String(repeating: "\u{301}", count: 6)),
        ("\u{e0041}tag", "tag"),
        ("", ""),
    ])
    func harmless(text: String, expected: String) {
        #expect(DisplayText.harmless(text).unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    @Test(arguments: [
        ("abc", 3), ("日本語", 6), ("한글", 4), ("e\u{301}", 1), ("ＡＢ", 4), ("🎵", 2), ("Ä–…", 3), ("ﾊﾝｶｸ", 4), ("", 0),
        ("❤\u{fe0f}", 2), ("\u{200d}", 0),
    ])
    func width(text: String, columns: Int) {
        #expect(DisplayText.width(of: text) == columns)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abc def", 5, "abc…"), ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("日本語", 1, "…"), ("abc", 0, ""),
        ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
    ])
    func truncation(text: String, width: Int, expected: String) {
        let result = DisplayText.truncated(text, to: width)
        #expect(result == expected)
        #expect(DisplayText.width(of: result) <= width)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "…cdef"), ("日本語", 5, "…本語"), ("日本語", 4, "…語"), ("日本語", 1, "…"),
        ("abc", 0, ""), ("", 0, ""), ("e\u{301}e\u{301}e\u{301}", 2, "…e\u{301}"),
    ])
    func endsOfTexts(text: String, width: Int, expected: String) {
        let result = DisplayText.end(of: text, to: width)
        #expect(result == expected)
        #expect(DisplayText.width(of: result) <= width)
    }

    @Test(arguments: [
        ("music/So What.flac", "So What.flac"), ("/music/album/", "album"), ("/", "/"), ("-", "standard input"),
        ("https://example.org/a/b%20c.mp3?x=1#t", "b c.mp3"), ("https://example.org/", "example.org"),
        ("50% off%20.mp3", "50% off%20.mp3"),
    ])
    func names(location: String, name: String) {
        #expect(DisplayText.name(of: location) == name)
    }

    @Test(
        arguments: [
            (0, "0:00", "0:00.000"), (59.9999, "0:59", "1:00.000"), (61.5, "1:01", "1:01.500"),
            (3723.25, "1:02:03", "1:02:03.250"), (-0.2, "0:00", "-0:00.200"), (-75, "-1:15", "-1:15.000"),
            (.infinity, "-:--", "-:--"),
        ] as [(Double, String, String)]
    )
    func clocks(seconds: Double, clock: String, exact: String) {
        #expect(TimeText.clock(MediaTime(seconds: seconds)) == clock)
        #expect(TimeText.exact(MediaTime(seconds: seconds)) == exact)
    }

    /// A name that others suggest is one file in the folder, and keeps its extension.
    @Test(
        arguments: [
            ("a.jpg", "a.jpg"), ("../a/b", "_._a_b"), (".hidden", "_hidden"), ("", "_"), ("a\nb\u{202e}", "a_b_"),
            (String(repeating: "x", count: 300) + ".flac", String(repeating: "x", count: 195) + ".flac"),
            (String(repeating: "ü", count: 150), String(repeating: "ü", count: 100)),
            (
                "a." + String(repeating: "x", count: 300),
                "a." + String(repeating: "x", count: 198)
            ),
        ]
    ) func fileNames(suggestion: String, name: String) {
        #expect(DisplayText.fileName(suggestion) == name)
    }
}
