import AudioTypes
import Charsets
import Testing
import TimedText

struct FormatTests {
    @Test
    func readsSubRip() {
        let track = read(
            .subRip,
            "1\r\n00:00:01,500 --> 00:00:02,000 X1:10\r\n<i>Hello</i> 3 < 5\r\n{\\an8}there\r\n\r\n2\r\n01:02:03.4 --> 01:02:05,000\r\n42\r\n"
        )
        #expect(track.cues.map(\.lines) == [["Hello 3 < 5", "there"], ["42"]])
        #expect(track.cues.map(\.start.seconds) == [1.5, 3723.4])
        #expect(track.cues.map(\.end.seconds) == [2, 3725])
    }

    @Test(arguments: [
        ("windows-1251", "Привет, как дела сегодня?"), ("gb18030", "月亮代表我的心 你问我爱你有多深"),
        (
            "windows-1250",
            "Řekni, kde ty kytky jsou, co se s nimi mohlo stát? Dívky je "
                + "tu během dne otrhaly, až přišly včera večer."
        ),
        ("windows-1252", "Où êtes-vous, Françoise ? Déjà l’été, à côté du château."),
        ("utf-16le", "Hello, Ελλάδα 日本\u{3000}一つ"),
    ])
    func readsOtherCharacterSets(name: String, line: String) throws {
        let text = "1\r\n00:00:01,500 --> 00:00:02,000\r\n\(line)\r\n"
        let bytes =
            name == "utf-16le"
            ? text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
            : try #require(Charset(named: name)?.bytes(of: text))
        #expect(TimedTextFormat.subRip.read(bytes).cues.map(\.lines) == [[line]])
    }

    @Test func readsInTheCharacterSetThatIsGiven() throws {
        let charset = try #require(Charset(named: "windows-1251"))
        let bytes = try #require(charset.bytes(of: "1\n00:00:01,500 --> 00:00:02,000\nДа\n"))
        #expect(TimedTextFormat.subRip.read(bytes).cues.map(\.lines) == [["Äà"]])
        #expect(TimedTextFormat.subRip.read(bytes, charset: charset).cues.map(\.lines) == [["Да"]])
    }

    @Test
    func readsSubRipWithoutBlankLines() {
        let track = read(.subRip, "1\n00:01 --> 00:02\none\n2\n00:02 --> 00:03\ntwo\n\n\nmore\n")
        #expect(track.cues.map(\.lines) == [["one"], ["two", "more"]])
    }

    @Test
    func readsWebVTT() {
        let text = """
            \u{feff}WEBVTT - a title

            STYLE
            ::cue { color: red }

            NOTE 00:00 is no time

            intro
            00:01.000 --> 00:02.500 align:start
            <v Anna>Tom &amp; <c.loud>Jerry</c> <00:02.000>&lt;3

            10:00:00.000 --> 10:00:01.000
            - one
            - two
            """
        let track = read(.webVTT, text)
        #expect(track.cues.map(\.lines) == [["Tom & Jerry <3"], ["- one", "- two"]])
        #expect(track.cues.map(\.start.seconds) == [1, 36_000])
    }

    @Test(
        arguments: [
            ("X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000", 10),
            ("X-TIMESTAMP-MAP=LOCAL:00:01:00.5,MPEGTS:0", -60.5),
            ("X-TIMESTAMP-MAP=MPEGTS:8589934591,LOCAL:00:00.000", 8_589_934_591 / 90_000),
            ("X-TIMESTAMP-MAP=MPEGTS:x,LOCAL:00:00.000", nil), ("X-TIMESTAMP-MAP=LOCAL:00:00.000", nil), ("", nil),
            ("X-TIMESTAMP-MAP=MPEGTS:99999999999999999999,LOCAL:00:00.000", nil),
        ] as [(String, Double?)]
    )
    func readsTimestampMaps(_ line: String, _ offset: Double?) {
        let segment = WebVTT.segment(Array("WEBVTT\n\(line)\n\n00:01.000 --> 00:02.000\nText\n".utf8))
        #expect(segment.offset == offset)
        #expect(segment.cues.map(\.lines) == [["Text"]] && segment.cues.map(\.start.seconds) == [1])
    }

    @Test
    func readsASS() {
        let text = """
            [Script Info]
            Dialogue: 0,0:00:09.00,0:00:10.00,Default,,0,0,0,,not here
            [V4+ Styles]
            Format: Name, Fontname
            [Events]
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
            Comment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,a comment
            Dialogue: 0,0:00:01.25,0:00:02.00,Default,,0,0,0,,{\\i1}One,{\\i0} two\\NThree\\hfour
            Dialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,{\\p1}m 0 0 l 10 10{\\p0}
            """
        let track = read(.ass, text)
        #expect(track.cues.map(\.lines) == [["One, two", "Three\u{a0}four"]])
        #expect(track.cues.map(\.start.seconds) == [1.25])
    }

    @Test
    func readsSSAByItsFormatLine() {
        let track = read(
            .ssa,
            "[events]\nFormat: Marked, End, Start, Text\nDialogue: Marked=0,0:00:02.00,0:00:01.00,a,b\n"
        )
        #expect(track.cues == [Cue(start: time(1), end: time(2), text: "a,b")])
    }

    @Test
    func readsSingleEvents() {
        #expect(ASS.text(event: bytes("3,0,Default,,0,0,0,,Hi, {\\b1}you\\Nthere")) == "Hi, you\nthere")
        #expect(ASS.text(event: bytes("3,0,Default,,0,0,0")) == nil)
    }

    @Test(
        arguments: [
            (bytes("\u{0}\u{3}abcdef"), "abc"), ([0, 0][...], ""), ([0, 200, 0x41], "A"), ([], ""), ([0], ""),
            ([0, 6, 0xfe, 0xff, 0x20, 0xac, 0, 0x41], "€A"), ([0, 4, 0xff, 0xfe, 0x41, 0], "A"),
        ] as [(ArraySlice<UInt8>, String)]
    )
    func readsTX3GSamples(_ sample: ArraySlice<UInt8>, _ text: String) {
        #expect(TX3G.text(sample: sample) == text)
    }

    @Test
    func decodesOtherEncodings() {
        let cue = "00:01 --> 00:02\nna\u{ef}ve €\n"
        let utf16: [UInt8] =
            [0xff, 0xfe] + cue.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        #expect(TimedTextFormat.subRip.read(utf16).cues.map(\.lines) == [["naïve €"]])
        let windows = cue.unicodeScalars.map { $0 == "€" ? 0x80 : UInt8($0.value) }
        #expect(TimedTextFormat.subRip.read(windows).cues.map(\.lines) == [["naïve €"]])
    }

    @Test
    func knowsFilesByTheirExtension() {
        #expect(TimedTextFormat(fileName: "a.b.SRT") == .subRip)
        #expect(TimedTextFormat(fileName: "film.vtt") == .webVTT)
        #expect(TimedTextFormat(fileName: "film.mkv") == nil)
        #expect(TimedTextFormat(fileName: "srt") == nil)
    }

    @Test(arguments: TimedTextFormat.allCases)
    func survivesDamage(_ format: TimedTextFormat) {
        let sound =
            "1\n00:00:01,000 --> 00:00:02,000\n<b>{\\p1}a\\N</b>&amp;\n\n[Events]\nFormat: Start, End, Text\n"
            + "Dialogue: 0:00:01.00,0:00:02.00,x{\\i}\n[00:01.00][00:02.00]<00:01.50>la\n[offset:500]\n"
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var damaged = Array(sound.utf8)
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            damaged.removeLast(Int.random(in: 0..<damaged.count, using: &random))
            let track = format.read(damaged)
            for cue in track.cues { #expect(cue.start < cue.end && !cue.lines.isEmpty) }
        }
    }

    @Test
    func turnsDownTimesThatAreNone() {
        let bad = [
            "999999999:00:00 --> 999999999:00:01", "00:02 --> 00:01", "1 --> 2", "-00:01 --> 00:02", "00:01 -> 00:02",
        ]
        for timing in bad { #expect(read(.subRip, timing + "\ntext\n").isEmpty, "\(timing)") }
    }

    @Test
    func keepsWithinItsBudgets() {
        let long = String(repeating: "e\u{301}", count: 100_000)
        let cue = Cue(start: time(0), end: time(1), text: long)
        #expect(cue?.lines.first?.unicodeScalars.count == Cue.characterLimit)
        let tall = Cue(start: time(0), end: time(1), text: String(repeating: "x\n", count: 1000))
        #expect(tall?.lines.count == Cue.lineLimit)
        let many = String(repeating: "00:01 --> 00:02\nx\n", count: TextTrack.cueLimit + 10)
        let track = read(.subRip, many)
        #expect(track.cues.count == TextTrack.cueLimit)
        #expect(track.shown(at: time(1.5)).cues.count == TextTrack.shownLimit)
    }

    /// What is looked for is looked for once, or megabytes of it would take hours.
    @Test(.timeLimit(.minutes(1)))
    func isNotHeldUpByWhatIsNotClosed() {
        for sign in ["{", "<", "<b", "{\\", "&", "[", "[00:01]", "<00:01>", "00:01 -->", "\\N", ","] {
            let line = String(repeating: sign, count: 1 << 14)
            _ = ASS.text(event: bytes(",,,,,,,," + line))
            for format in TimedTextFormat.allCases {
                _ = read(
                    format,
                    "[Events]\nFormat: Start, End, Text\n00:01 --> 00:02\n\(line)\nDialogue: 0:01,0:02,\(line)\n"
                )
            }
        }
    }

    @Test
    func removesControlCharacters() {
        #expect(Cue(start: time(0), end: time(1), text: " \u{1b}[31mred\u{0} ")?.lines == ["[31mred"])
    }
}

func read(_ format: TimedTextFormat, _ text: String) -> TextTrack { format.read(Array(text.utf8)) }
func time(_ seconds: Double) -> MediaTime { MediaTime(seconds: seconds) }
private func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }
