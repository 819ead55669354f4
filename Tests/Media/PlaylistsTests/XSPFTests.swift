import AudioTypes
import Playlists
import Testing

struct XSPFTests {
    @Test func `reads everything that a list says`() throws {
        let playlist = try Playlist(sample("mix.xspf"), named: "mix.xspf")
        let tags = ["title": "A <b> ☺", "artist": "Someone", "album": "<Album> & more", "track": "3"]
        let expected = Playlist(
            format: .xspf,
            title: "Rock & Roll",
            entries: [
                entry("file:///music/a%20b.flac", tags, seconds: 215.5),
                entry("sub%20dir/c%23d.mp3", start: 1.5, end: 9),
            ],
            lines: [8, 13]
        )
        #expect(playlist == expected)
        #expect(playlist.location(ofEntry: 0, against: "lists/mix.xspf") == "/music/a b.flac")
        #expect(playlist.location(ofEntry: 1, against: "lists/mix.xspf") == "lists/sub dir/c#d.mp3")
        #expect(
            playlist.location(ofEntry: 1, against: "http://h/l/mix.xspf") == "http://h/l/sub%20dir/c%23d.mp3"
        )
    }

    /// Lists of one track with this inside; the location and title that come out.
    @Test(arguments: [
        ("<location>a&amp;b</location>", "a&b", nil),
        ("<location>a&b;c</location>", "a&b;c", nil),
        ("<location>a</location><location>b</location>", "a", nil),
        ("<x:location>a</x:location><x:title>t</x:title>", "a", "t"),
        ("<location>a</location><extension><title>no</title></extension>", "a", nil),
        ("<location>a</location><title>x<!-- c -->y<?p?>z<![CDATA[&amp;]]></title>", "a", "xyz&amp;"),
        ("<location>a</location><title/>", "a", nil),
        ("<location>a</location><title>1 < 2</title>", "a", "1 < 2"),
        ("<location>a</location><title>&#65;&#x42;&#xZZ;&#-3;&#x110000;</title>", "a", "AB&#xZZ;&#-3;&#x110000;"),
        ("<location>a</location><title>&#+65;&#x+4;</title>", "a", "&#+65;&#x+4;"),
        ("</b><location>a</b></location><title>t</title>", "a", "t"),
        ("<location>a</location><title>t", "a", "t"),
        ("<LOCATION\nid='a>b' c=d>a</LOCATION >", "a", nil),
    ]) func `tolerates what writers do`(inner: String, location: String, title: String?) throws {
        let text = "<?xml version='1.0'?><playlist><trackList><track>\(inner)</track></trackList></playlist>"
        let playlist = try Playlist(Array(text.utf8), as: .xspf)
        #expect(playlist.entries == [entry(location, title.map { ["title": $0] } ?? [:])])
        #expect(playlist.problems.isEmpty)
    }

    @Test func `applies nested bases`() throws {
        let text = """
            <playlist xml:base="http://h/a/"><trackList xml:base="b/c"><track><location>d?e</location></track>
            <track><location xml:base="/r/">../f</location></track></trackList></playlist>
            """
        let playlist = try Playlist(Array(text.utf8), as: .xspf)
        #expect(playlist.entries.map(\.location) == ["http://h/a/b/d?e", "http://h/f"])
    }

    @Test(arguments: [
        ("<track><title>t</title></track>", [problem(2, .missingLocation)]),
        ("<track><location>a</location><trackNum>x</trackNum></track>", [problem(2, .invalidNumber("x"))]),
        ("<track><location>a</location>\n<duration>1:30</duration></track>", [problem(3, .invalidDuration("1:30"))]),
        ("<track><location>a</location>\n", [problem(3, .brokenXML(.truncated))]),
        ("<!-- open", [problem(2, .brokenXML(.truncated))]),
        ("<a><b><c><d>", [problem(2, .brokenXML(.tooDeep(limit: 5)))]),
    ]) func `reports with the line`(inner: String, problems: [PlaylistProblem]) throws {
        let text = "<playlist>\r\n<trackList>" + inner
        let whole = inner.hasSuffix("</track>") ? text + "</trackList></playlist>" : text
        let playlist = try Playlist(Array(whole.utf8), as: .xspf, limits: ParseLimits(nesting: 5))
        #expect(playlist.problems == problems)
    }

    @Test(arguments: ["", "x", "<html><playlist/></html>", "<!-- <playlist/> -->", "<"])
    func `refuses what is none`(text: String) {
        #expect(throws: ParseError.notInFormat(.xspf)) { try Playlist(Array(text.utf8), as: .xspf) }
    }

    @Test func `expands no entity of the document`() throws {
        let text = """
            <!DOCTYPE p [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><playlist><title>&b;</title></playlist>
            """
        #expect(try Playlist(Array(text.utf8), as: .xspf).title == "&b;")
    }

    @Test func `hostile nesting ends in one problem`() throws {
        let text = "<playlist>" + String(repeating: "<a>", count: 200_000)
        let playlist = try Playlist(Array(text.utf8), as: .xspf)
        #expect(playlist.problems == [problem(1, .brokenXML(.tooDeep(limit: 64)))])
    }

    @Test func `survives being cut anywhere`() throws {
        let bytes = try sample("mix.xspf")
        var counts: [Int] = []
        for count in 0...bytes.count {
            counts.append((try? Playlist(Array(bytes.prefix(count)), as: .xspf))?.entries.count ?? 0)
        }
        #expect(counts == counts.sorted())
        #expect(counts.last == 2)
    }
}
