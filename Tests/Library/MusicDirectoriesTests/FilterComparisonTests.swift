import Foundation
import MusicDirectories
import SongFilters
import Songs
import TestSupport
import Testing

/// Filters as a real MPD understands them, over the same files.
@Suite(.enabled("mpd, ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty && !ReferenceMPD.isMissing })
struct FilterComparisonTests {
    /// Formats are not asked for: 0.23 finds them in the database, but never in the queue.
    ///
    /// `!` stands for what `playlistsearch` is asked, anything else for `playlistfind`.
    private static let requests = [
        "title \"uber strasse\"", "title \"\"", "!title \"\"", "!title ÜBER", "!title STRASSE", "!artist arger",
        "albumartist nothing", "albumartist AlbA", "albumartist \"\"", "!albumartist al", "any AlbA", "any \"\"",
        "!any alb",
        "any a/1.flac", "file a/1.flac", "!file A/1.FL", "base a", "base b", "modified-since 2000-01-01",
        "modified-since 4000000000", "artist X title \"\"", "artist nothing title \"\"", "foo x", "title",
        "title x artist",
        "!genre rock", "genre Rock", "genre \"G 2\"", "track 3", "track 03", "disc 1", "artistsort X",
        "artistsort arger",
        "albumartistsort nothing", "albumsort x",
        "\"(title == 'uber strasse')\"", "!\"(title == 'uber strasse')\"", "\"(title != 'uber strasse')\"",
        "\"(title contains 'ber')\"", "!\"(title contains 'BER')\"", "\"(title !contains 'ber')\"", "\"(title == '')\"",
        "\"(title != '')\"", "\"(title =~ 'ber')\"", "!\"(title =~ 'BER')\"", "\"(title !~ '^u')\"",
        "\"(any != 'AlbA')\"",
        "\"(any == 'AlbA')\"", "\"(any contains 'r')\"", "\"((artist == 'X') AND (!(title == 'z')))\"",
        "\"(!(artist == 'X'))\"", "\"(file contains '1')\"", "\"(base 'a')\"", "\"(base 'a/')\"",
        "\"(modified-since '99')\"",
        "\"(AudioFormat == '44100:17:2')\"",
        "\"(genre != 'Rock')\"", "\"(albumartist != 'AlbA')\"", "\"(albumartist contains 'o')\"",
        "\"(title == 'A\\\\'b')\"",
        "\"(title == \\\"A'b\\\")\"", "\"(artist == 'X')\" title x", "\"(artist == 'X')\" \"(title == 'A\\\\'b')\"",
        "\"(title\"", "\"(title == 'x\"", "\"(title == 'x'\"", "\"(title == x)\"", "\"(foo == 'x')\"", "\"()\"",
        "\"(title ~ 'x')\"", "\"(title == 'x') y\"", "\"((title == 'x') OR (title == 'y'))\"", "\"(!title == 'x')\"",
        "\"(!(title == 'x')\"", "\"(AudioFormat == '44100:16')\"", "\"(AudioFormat =~ 'x')\"",
        "\"(modified-since 'x')\"",
        "modified-since x", "\"(AudioFormat != '44100:16:2')\"", "\"(AudioFormat == '44100:*:2')\"",
        "\"(AudioFormat == '44100:16:200')\"", "\"((title == 'x') and (title == 'y'))\"",
        "\"(title  ==  'uber strasse' )  \"",
        "\"(TITLE=='uber strasse')\"",
    ]

    @Test func filtersFindTheSameSongsAndFailInTheSameWords() async throws {
        let music = try MusicFixture()
        let tags: [[String: String]] = [
            ["title": "Über Straße", "artist": "Ärger", "genre": "Rock", "track": "3", "disc": "01"],
            ["title": "uber strasse", "artist": "arger", "album_artist": "AlbA", "genre": "G 2", "album": "x"],
            ["title": "UBER STRASSE", "artist": "Σίσυφος", "track": "3/12"], ["title": "A'b", "artist": "X"],
            ["artist": "nothing", "artistsort": "X", "titlesort": "X"], [:],
        ]
        for (index, tags) in tags.enumerated() {
            let path = try await MediaFixtures.audio("filter\(index)", .flac, tags: tags) {
                Signal.tone(440, seconds: 1, sampleRate: 44_100)
            }
            try music.copy(path, to: index < 4 ? "a/\(index).flac" : "b/\(index).flac")
        }
        let mpd = try ReferenceMPD(music: music.path)
        mpd.command("add /")
        let uris = mpd.command("playlistinfo").filter { $0.hasPrefix("file: ") }.map { String($0.dropFirst(6)) }
        #expect(uris.count == tags.count)
        let songs = try uris.map { try music.directory.song($0) }
        for request in Self.requests {
            let isSearch = request.hasPrefix("!")
            let words = isSearch ? String(request.dropFirst()) : request
            let reply = mpd.command((isSearch ? "playlistsearch " : "playlistfind ") + words)
            let error = reply.first { $0.hasPrefix("ACK") }.map { String($0.split(separator: "} ", maxSplits: 1)[1]) }
            let expected = error.map { [$0] } ?? reply.filter { $0.hasPrefix("file: ") }.map { String($0.dropFirst(6)) }
            let found = answer(try split(words), songs, isSearch: isSearch)
            #expect(found == expected, "\(request)")
        }
    }

    /// MPD 0.23 folds case, and leaves diacritics as they are.
    private func answer(_ words: [String], _ songs: [Song], isSearch: Bool) -> [String] {
        do {
            return try SongQuery(words, isSearch ? .folded(.caseOnly) : .exact).select(songs, song: { $0 }).map(\.uri)
        } catch {
            return [String(describing: error)]
        }
    }

    /// A request line's arguments.
    private func split(_ line: String) throws -> [String] {
        var words: [String] = []
        var word = ""
        var (isQuoted, isEscaped, isOpen) = (false, false, false)
        for character in line {
            switch character {
            case _ where isEscaped:
                word.append(character)
                isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"":
                isQuoted.toggle()
                isOpen = true
            case " " where !isQuoted:
                if isOpen { words.append(word) }
                (word, isOpen) = ("", false)
            default:
                word.append(character)
                isOpen = true
            }
        }
        if isOpen { words.append(word) }
        return words
    }
}
