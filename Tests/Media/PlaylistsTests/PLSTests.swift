import AudioTypes
import Playlists
import Testing

struct PLSTests {
    @Test func `sorts by number and believes no count`() throws {
        let playlist = try Playlist(sample("radio.pls"), named: "radio.pls")
        let expected = Playlist(
            format: .pls,
            entries: [
                entry("one.mp3", ["title": "One"], seconds: 61),
                entry("http://example.org/two", ["title": "Two"]),
            ],
            lines: [6, 3]
        )
        #expect(playlist == expected)
    }

    @Test(arguments: [
        ("[playlist]\n", [], []),
        ("File1=a\nFile1=b", ["a"], [problem(2, .duplicateKey("File1"))]),
        ("[playlist]\nTitle4=x\nFile5=a=b", ["a=b"], [problem(2, .missingLocation)]),
        (
            "[playlist]\nFile=a\nFile99999999999=b", [],
            [
                problem(2, .invalidNumber("File")), problem(3, .invalidNumber("File99999999999")),
            ]
        ),
        ("[other]\nFile1=a\n[PLAYLIST]\nFile2=b\n;File3=c\n#File4=d", ["b"], []),
        ("[playlist]\nFile1=a\nLength1=long", ["a"], [problem(3, .invalidDuration("long"))]),
        ("[playlist]\r\nFILE07 = a b.mp3 \r\n", ["a b.mp3"], []),
    ]) func `reads lists by hand`(text: String, locations: [String], problems: [PlaylistProblem]) throws {
        let playlist = try Playlist(Array(text.utf8), as: .pls)
        #expect(playlist.entries.map(\.location) == locations)
        #expect(playlist.problems == problems)
    }

    @Test(arguments: ["", "hello", "[other]\nFile1=a", "NumberOfEntries=3"])
    func `refuses what is none`(text: String) {
        #expect(throws: ParseError.notInFormat(.pls)) { try Playlist(Array(text.utf8), as: .pls) }
    }

    @Test func `has a title when GNOME gave it one`() throws {
        #expect(try Playlist(Array("[playlist]\nX-GNOME-Title=Mix".utf8), as: .pls).title == "Mix")
    }

    @Test func `keeps to its limit of entries`() throws {
        let text = "[playlist]\n" + (1...5).map { "File\($0)=\($0)\n" }.joined()
        let playlist = try Playlist(Array(text.utf8), as: .pls, limits: ParseLimits(entries: 3))
        #expect(playlist.entries.map(\.location) == ["1", "2", "3"])
        #expect(playlist.problems.first == problem(5, .tooManyEntries(limit: 3)))
    }
}
