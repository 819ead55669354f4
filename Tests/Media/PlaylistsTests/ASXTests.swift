import AudioTypes
import Playlists
import Testing

struct ASXTests {
    /// As stations write it: names in any case, addresses with a bare ampersand, elements that are not closed.
    @Test func `reads what stations write`() throws {
        let text = """
            <ASX version = "3.0">
            <Title>Example</Title>
            <ENTRY>
              <Title>Radio Example - Top 40</title>
              <Author>Example</Author>
              <REF HREF="http://radio.example/live?a=1&b=2" />
              <ref href="http://other.example/live" />
            </ENTRY>
            <entry><ref href='http://radio.example/news'/><duration value="00:01:30.5"/></entry>
            <EntryRef href="http://radio.example/more.asx"/>
            <entry><ref href="last.mp3"/>
            """
        let playlist = try Playlist(Array(text.utf8), named: "x")
        #expect(playlist.format == .asx)
        #expect(playlist.title == "Example")
        #expect(
            playlist.entries == [
                entry("http://radio.example/live?a=1&b=2", ["title": "Radio Example - Top 40"]),
                entry("http://radio.example/news", seconds: 90.5), entry("http://radio.example/more.asx"),
                entry("last.mp3"),
            ]
        )
        #expect(playlist.problems == [problem(11, .brokenXML(.truncated))])
    }

    @Test(arguments: [
        ("<asx><entry></entry></asx>", [problem(1, .missingLocation)]),
        ("<asx><entry><ref href=\"a\"/><duration value=\"x\"/></entry></asx>", [problem(1, .invalidDuration("x"))]),
        ("<asx></asx>", []),
    ]) func `tells what it cannot use`(text: String, problems: [PlaylistProblem]) throws {
        #expect(try Playlist(Array(text.utf8), named: "x").problems == problems)
    }

    @Test func `a page is no list`() {
        #expect(throws: ParseError.notInFormat(.asx)) { try Playlist(Array("<html></html>".utf8), as: .asx) }
    }

    @Test func `the form without XML is read`() throws {
        let text = "[Reference]\r\nRef1=http://a/live?MSWMExt=.asf\r\nRef2=http://b/live\r\n"
        let playlist = try Playlist(Array(text.utf8), named: "x")
        #expect(playlist.entries.map(\.location) == ["http://a/live?MSWMExt=.asf", "http://b/live"])
        #expect(playlist.problems.isEmpty)
        #expect(playlist.station?.name == nil && playlist.station != nil)
    }
}
