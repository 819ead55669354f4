import SongFilters
import Songs
import TestTiming
import Testing
import TextPatterns

private let songs = [
    Song(
        uri: "t/1.flac",
        lastModified: 1_000_000_000,
        added: 1_700_000_000,
        format: "44100:16:2",
        tags: [(.title, "Über Straße"), (.artist, "Ärger"), (.album, "ＦＵＬＬ ﬁ"), (.track, "10")]
    ),
    Song(
        uri: "t/2.flac",
        lastModified: 1_100_000_000,
        format: "48000:24:2",
        tags: [(.title, "uber strasse"), (.artist, "arger"), (.albumArtist, "AlbA"), (.track, "9"), (.genre, "Rock")]
    ),
    Song(
        uri: "t/3.flac",
        lastModified: 1_200_000_000,
        format: "dsd64:2",
        tags: [(.title, "UBER STRASSE"), (.artist, "Σίσυφος"), (.genre, "Pop"), (.genre, "Rock")]
    ),
    Song(
        uri: "tt/4.flac",
        format: "44100:f:2",
        tags: [(.title, "A\"quote's (x)"), (.artist, "X"), (.artistSort, "ZZ")]
    ),
    Song(uri: "5.flac", tags: [(.artist, "nothing")]),
    Song(uri: "http://host/stream"),
]

private func found(_ words: [String], _ mode: SongFilter.Mode) throws -> [Int] {
    let matcher = try SongFilter(words, mode).matcher()
    return songs.indices.filter { matcher.matches(songs[$0]) }.map { $0 + 1 }
}

@Suite struct SongFilterTests {
    /// What is not shown is not to be guessed either.
    @Test func passwordsAreNotLookedAt() throws {
        let song = Song(uri: "http://me:secret@host/stream")
        for (expression, isFound) in [
            ("(file contains 'secret')", false), ("(file =~ 's.c')", false), ("(file == 'http://host/stream')", true),
            ("(file starts_with 'http://me')", false), ("(base 'http://me:secret@host')", false),
            ("(base 'http://host')", true),
        ] {
            let matcher = try SongFilter([expression], .exact).matcher()
            #expect(matcher.matches(song) == isFound, "\(expression)")
        }
    }

    @Test(arguments: [
        (["title", "uber strasse"], [2]), (["TITLE", "Über Straße"], [1]), (["title", "uber"], []),
        (["artist", "arger", "title", "uber strasse"], [2]), (["artist", "arger", "title", "x"], []),
        (["title", ""], [5, 6]), (["albumartist", ""], [6]), (["any", "Rock"], [2, 3]), (["any", "t/1.flac"], []),
        (["any", ""], []), (["albumartist", "nothing"], [5]), (["albumartist", "arger"], []),
        (["albumartist", "AlbA"], [2]),
        (["file", "t/1.flac"], [1]), (["filename", "t/1.flac"], [1]), (["base", "t"], [1, 2, 3]),
        (["(base 't')"], [1, 2, 3]), (["(base 't/')"], [1, 2, 3]), (["(base '/')"], []),
        (["(base '')"], [1, 2, 3, 4, 5, 6]), (["genre", "Pop"], [3]), (["genre", "Rock"], [2, 3]),
        (["modified-since", "1100000000"], [2, 3]), (["modified-since", "20041109T113320Z"], [2, 3]),
        (["modified-since", "2004-12"], [3]), (["modified-since", "2004-11"], [2, 3]),
        (["modified-since", "2004-11-09T11:33:20Z"], [2, 3]),
        (["modified-since", "2004-11-09T12:33:21+01:00"], [3]), (["added-since", "2000-01-01"], [1]),
        (["audioformat", "44100:16:2"], [1]),
        (["(title == 'uber strasse')"], [2]), (["(TITLE==\"uber strasse\")"], [2]),
        (["(title  ==  'uber strasse' ) "], [2]),
        (["((title == 'uber strasse'))"], [2]), (["(title != '')"], [1, 2, 3, 4]), (["(title == '')"], [5, 6]),
        (["(title != 'uber strasse')"], [1, 3, 4, 5, 6]), (["(genre != 'Pop')"], [1, 2, 4, 5, 6]),
        (["(title contains 'ber')"], [1, 2]), (["(title !contains 'ber')"], [3, 4, 5, 6]),
        (["(title starts_with 'ub')"], [2]), (["(title !starts_with 'ub')"], [1, 3, 4, 5, 6]),
        (["(title starts_with_ci 'ub')"], [1, 2, 3]), (["(title contains_ci 'STRASSE')"], [1, 2, 3]),
        (["(title eq_ci 'UBER STRASSE')"], [1, 2, 3]), (["(title eq_cs 'UBER STRASSE')"], [3]),
        (["(title !eq_ci 'UBER STRASSE')"], [4, 5, 6]), (["(title !contains_cs 'ber')"], [3, 4, 5, 6]),
        (["(title =~ '^.ber .*e$')"], [1, 2]), (["(title !~ 'ber')"], [3, 4, 5, 6]), (["(title =~ 'ber S')"], [1]),
        (["((artist == 'X') AND (!(title == 'z')))"], [4]), (["(!(artist == 'X'))"], [1, 2, 3, 5, 6]),
        (["((artist == 'X') AND (file == 'tt/4.flac') AND (any contains 'quote'))"], [4]),
        (["(title == 'A\"quote\\'s (x)')"], [4]), (["(title == \"A\\\"quote's (x)\")"], [4]),
        (["(file starts_with 't/')"], [1, 2, 3]), (["(file contains '4')"], [4]), (["(base 't')"], [1, 2, 3]),
        (["(artistsort == 'ZZ')"], [4]), (["(artistsort == 'arger')"], [2]),
        (["(AudioFormat == '44100:16:2')"], [1]), (["(audioformat =~ '44100:*:2')"], [1, 4]),
        (["(AudioFormat =~ '*:24:*')"], [2]), (["(AudioFormat == 'dsd64:2')"], [3]),
        (["(AudioFormat =~ '*:*:2')"], [1, 2, 3, 4]),
        (["(modified-since '1100000000')"], [2, 3]), (["(added-since '2000-01-01')"], [1]),
        (["(artist == 'X')", "title", "A\"quote's (x)"], [4]), (["(any != 'Rock')"], [1, 4, 5, 6]),
    ])
    func find(_ words: [String], _ expected: [Int]) throws { #expect(try found(words, .exact) == expected) }

    @Test(arguments: [
        (["title", "uber"], [1, 2, 3]), (["title", "ÜBER"], [1, 2, 3]), (["title", "U\u{308}ber"], [1, 2, 3]),
        (["title", "straße"], [1, 2, 3]), (["artist", "σίσυφοσ"], [3]), (["artist", "ΣΙΣΥΦΟΣ"], [3]),
        (["album", "full fi"], [1]), (["title", ""], [1, 2, 3, 4, 5, 6]), (["any", "ROC"], [2, 3]),
        (["file", "T/1.FLAC"], [1]), (["file", "flac"], [1, 2, 3, 4, 5]), (["base", "T"], []),
        (["albumartist", "alb"], [2]),
        (["(title == 'uber strasse')"], [1, 2, 3]), (["(title == 'uber')"], []),
        (["(title contains 'ÜB')"], [1, 2, 3]),
        (["(title =~ '^UBER')"], [2, 3]), (["(title eq_cs 'UBER STRASSE')"], [3]), (["(title starts_with 'ue')"], []),
    ])
    func search(_ words: [String], _ expected: [Int]) throws { #expect(try found(words, .folded(.all)) == expected) }

    @Test func caseAloneLeavesDiacritics() throws {
        #expect(try found(["title", "uber"], .folded(.caseOnly)) == [2, 3])
        #expect(try found(["title", "ÜBER"], .folded(.caseOnly)) == [1])
    }

    @Test func prioritiesCount() throws {
        let matcher = try SongFilter(["(prio >= 42)"], .exact).matcher()
        #expect(!matcher.matches(songs[0], priority: 41))
        #expect(matcher.matches(songs[0], priority: 42))
    }

    @Test func theBaseIsKnown() throws {
        #expect(try SongFilter(["artist", "x", "base", "a/b"], .exact).base == "a/b")
        #expect(try SongFilter(["((artist == 'x') AND (base 'a'))"], .exact).base == "a")
        #expect(try SongFilter(["(!(base 'a'))"], .exact).base == nil)
    }

    @Test(
        arguments: [
            ([], "Incorrect number of filter arguments"), (["title"], "Incorrect number of filter arguments"),
            (["foo", "x"], "Unknown filter type"), (["(foo == 'x')"], "Unknown filter type: foo"),
            (["()"], "Word expected"),
            (["(title"], "'==' or '!=' expected"), (["(title ~ 'x')"], "'==' or '!=' expected"),
            (["(title containsx 'x')"], "'==' or '!=' expected"), (["(title eq 'x')"], "'==' or '!=' expected"),
            (["(title == 'x'"], "')' expected"), (["(title == x)"], "Quoted string expected"),
            (["(title == 'x"], "Closing quote not found"), (["(title == 'x\\"], "Closing quote not found"),
            (["(title == 'x') y"], "Unparsed garbage after expression"),
            (["((title == 'x') OR (a == 'y'))"], "'AND' expected"),
            (["((title == 'x') and (a == 'y'))"], "'AND' expected"), (["(!title == 'x')"], "'(' expected"),
            (["(!(title == 'x')"], "')' expected"), (["(modified-since 'x')"], "Failed to parse date"),
            (["modified-since", "2000-13-01"], "Failed to parse date"),
            (["(AudioFormat == '44100:16')"], "Channel count missing"),
            (["(AudioFormat == 'x:16:2')"], "Failed to parse the sample rate"),
            (["(AudioFormat == '44100:*:2')"], "Failed to parse the sample format"),
            (["(AudioFormat == '44100:17:2')"], "Invalid sample format: 17"),
            (["(AudioFormat == '44100:16:200')"], "Invalid channel count: 200"),
            (["(AudioFormat != '44100:16:2')"], "'==' or '=~' expected"), (["(base sub)"], "Quoted string expected"),
            (["(prio == 3)"], "'>=' expected"), (["(prio >= x)"], "Number expected"),
            (["title", "x", "sort", "foo"], "Unknown sort tag"),
            (["title", "x", "sort"], "Incorrect number of filter arguments"),
            (["title", "x", "window", "x"], "Integer or range expected: x"),
            (["title", "x", "window", "5:1"], "Malformed range: 5:1"),
            (["title", "x", "window", "0:1", "sort", "title"], "Unknown filter type"),
            (["window", "0:1"], "Unknown filter type"),
            (["base", ""], "Bad URI"), (["base", "t/"], "Bad URI"), (["base", "/t"], "Bad URI"),
            (["base", "t/../t"], "Bad URI"), (["base", "./t"], "Bad URI"), (["base", "t//t"], "Bad URI"),
            (["title", "x", "window", "-1"], "Integer or range expected: -1"),
        ] as [([String], String)]
    )
    func errors(_ words: [String], _ expected: String) {
        let error = #expect(throws: SongFilterError.self) { try SongQuery(words, .exact) }
        #expect(error?.description == expected)
    }

    @Test func conditionsAreCounted() throws {
        let many = { (count: Int) in
            ["((!(artist == 'x')) AND (title == 'y'))"]
                + Array(repeating: ["title", "y"], count: count - 2).flatMap(\.self)
        }
        _ = try SongFilter(many(256), .exact)
        let error = #expect(throws: SongFilterError.self) { try SongFilter(many(257), .exact) }
        #expect(error?.description == "Too many conditions in the filter: at most 256")
    }

    @Test func badPatternsAreOneLine() {
        for text in ["[", "(", "a{2,1}", "*", "\\"] {
            let error = #expect(throws: SongFilterError.self) { try SongFilter(["(title =~ '\(text)')"], .exact) }
            #expect(error?.description.contains("\n") == false)
        }
    }

    @Test(arguments: [
        ("(", "at offset 1: missing closing parenthesis"),
        ("[", "at offset 1: missing terminating ] for character class"),
    ])
    func badPatternsAreExplained(_ text: String, _ expected: String) {
        let error = #expect(throws: SongFilterError.self) { try SongFilter(["(title =~ '\(text)')"], .exact) }
        #expect(error?.description == "Error in regex " + expected)
    }

    /// A pattern that goes back without end is given up, at the first text already.
    @Test(arguments: ["(a+)+$", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$"])
    func patternsAreGivenUp(_ text: String) throws {
        let title = String(repeating: "a", count: 60) + "!"
        let songs = (0..<1_000).map { Song(uri: "\($0).flac", tags: [(.title, title)]) }
        let query = try SongQuery(["(title =~ '\(text)')"], .exact)
        let start = threadSeconds()
        #expect(throws: PatternError.takesTooLong) { try query.select(songs, song: { $0 }) }
        #expect(threadSeconds() - start < PatternSearch.patience * 2 / .seconds(1))
    }

    @Test func patternsHaveALimitedTime() throws {
        let pattern = try Pattern("x", ignoresCase: false)
        let search = pattern.search(until: .now - .seconds(1))
        #expect(!search.matches("x"))
        #expect(throws: PatternError.takesTooLong) { try search.check() }
        let other = pattern.search(until: .now + .seconds(60))
        #expect(other.matches("axe") && !other.matches("") && !other.matches(([0xff, 0xfe] as [UInt8]).span))
        #expect(throws: Never.self) { try other.check() }
    }

    @Test func patternsAreKnown() throws {
        #expect(try SongFilter(["((title == 'x') AND (title =~ 'x'))"], .exact).hasPatterns)
        #expect(try !SongFilter(["(title == 'x')"], .exact).hasPatterns)
    }

    /// Whatever words are put together, they are understood or refused.
    @Test(arguments: 0..<8 as Range<Int>)
    func anyWordsAreAnswered(_ part: Int) {
        let words = [
            "(", ")", "!", "title", "any", "file", "base", "prio", "modified-since", "AudioFormat", "==", "!=", "=~",
            "!~",
            ">=", "contains", "eq_ci", "'", "\"", "\\", " ", "AND", "x", "'x'", "Ü", "44100:16:2", "sort", "window",
            "1:2", "9",
        ]
        for _ in 0..<2000 {
            let count = Int.random(in: 0...14)
            let line = (0..<count).map { _ in words.randomElement() ?? "" }
            let arguments = Bool.random() ? line : ["(" + line.joined()]
            guard let query = try? SongQuery(arguments, .folded(.all)) else { continue }
            _ = try? query.select(songs, song: { $0 })
        }
    }

    @Test func nestingEnds() {
        for count in [1000, 100_000] {
            let text = String(repeating: "(", count: count)
            #expect(throws: SongFilterError.self) { try SongFilter([text], .exact) }
            #expect(throws: SongFilterError.self) { try SongFilter([text.replacing("(", with: "(!")], .exact) }
        }
    }
}

@Suite struct SongQueryTests {
    private func select(_ words: String) throws -> [Int] {
        let words = words.split(separator: " ").map(String.init)
        let query = try SongQuery(["(artist != '')"] + words, .exact)
        return try query.select(songs.indices.map { $0 }, song: { songs[$0] }, priority: { $0 % 3 }).map { $0 + 1 }
    }

    @Test(arguments: [
        ("", [1, 2, 3, 4, 5]), ("window 1:3", [2, 3]), ("window 3:", [4, 5]), ("window 2", [3]), ("window 9:12", []),
        ("window 0:0", []), ("sort title", [5, 4, 3, 2, 1]), ("sort -title", [1, 2, 3, 4, 5]),
        ("sort track", [3, 4, 5, 2, 1]), ("sort artist", [4, 2, 5, 1, 3]), ("sort Last-Modified", [4, 5, 1, 2, 3]),
        ("sort -last-modified window 0:2", [3, 2]), ("sort -added", [1, 2, 3, 4, 5]), ("sort prio", [1, 4, 2, 5, 3]),
        ("sort -prio window 1:3", [2, 5]), ("sort albumartist window 0:1", [2]),
    ])
    func sortingAndCutting(_ words: String, _ expected: [Int]) throws { #expect(try select(words) == expected) }
}

@Suite struct FoldingTests {
    @Test(arguments: [
        ("ABC", "abc"), ("Über", "uber"), ("U\u{308}ber", "uber"), ("Straße", "strasse"), ("ＦＵＬＬ", "full"),
        ("ﬁn", "fin"),
        ("Σίσυφος", "σισυφοσ"), ("Ελλάδα", "ελλαδα"), ("İ", "i"), ("\u{a0}", " "), ("日本", "日本"), ("Ø", "ø"), ("", ""),
        ("가", "가".unicodeScalars.count == 1 ? folded("가") : ""),
    ])
    func folding(_ text: String, _ expected: String) { #expect(folded(text) == expected) }

    @Test func collation() {
        let sorted = ["_u", ".hid", "1", "a b", "a-b", "a.cue", "ab", "inlink", "sub", "Über", "uz", "zdir", "Zed"]
        #expect(sorted.shuffled().sorted { CollationKey($0) < CollationKey($1) } == sorted)
    }
}
