import AudioTypes
import MediaExpansion
import Testing

/// Documents by URL; one that begins with an arrow is elsewhere, and those of other URLs are not found.
private struct Web {
    var documents: [String: String] = [:]
    var limits = MediaList.Limits()

    func expand(_ arguments: String...) -> MediaList {
        MediaList(arguments: arguments, limits: limits, network: fetch)
    }

    func fetch(_ url: String, _ origin: String, _ limit: Int) throws(FetchProblem) -> NetworkDocument {
        guard let text = documents[url] else { throw FetchProblem("404 Not Found") }
        if text.hasPrefix("->") { return try fetch(String(text.dropFirst(2)), origin, limit) }
        guard text.utf8.count <= limit else { throw FetchProblem("too large", isTooLarge: true) }
        return NetworkDocument(url: url, bytes: Array(text.utf8))
    }
}

private func locations(_ list: MediaList) -> [String] { list.entries.map(\.location) }
private func problems(_ list: MediaList) -> [String] { list.problems.map(\.description) }

struct NetworkPlaylistTests {
    @Test func `what a playlist names takes its place, relative to where it was found`() {
        let web = Web(documents: [
            "http://h/a.m3u?x=1": "->http://other/d/real",
            "http://other/d/real":
                "#EXTM3U\n#EXTINF:5,One\n1.mp3\n#EXTINF:6,Two\n/2.mp3\n#EXTINF:7,Three\nhttp://h/3.ogg\n",
        ])
        let list = web.expand("http://h/0.mp3", "http://h/a.m3u?x=1")
        #expect(
            locations(list) == ["http://h/0.mp3", "http://other/d/1.mp3", "http://other/2.mp3", "http://h/3.ogg"]
        )
        #expect(list.entries.map(\.tags.title) == [nil, "One", "Two", "Three"])
        #expect(list.problems.isEmpty)
    }

    @Test(arguments: [
        ("l.pls", "[playlist]\nFile1=a\nLength1=3\nFile2=b\nLength2=4\n"),
        ("l.m3u", "[playlist]\nFile1=a\nLength1=3\nFile2=b\nLength2=4\n"),
        ("l.m3u8", "#EXTINF:2,A\na\n#EXTINF:3,B\nb\n"),
        (
            "l.xspf",
            "<playlist><trackList><track><location>a</location></track><track><location>b</location></track></trackList></playlist>"
        ),
    ]) func `the content says what it is, not the name`(name: String, text: String) {
        let list = Web(documents: ["https://h/\(name)": text]).expand("https://h/\(name)")
        #expect(locations(list) == ["https://h/a", "https://h/b"])
    }

    @Test(arguments: ["#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n", "ID3\u{3}\u{0}\u{1}"])
    func `a manifest and a medium stay one item`(text: String) {
        let list = Web(documents: ["http://u:p@h/live.m3u8": text]).expand("http://u:p@h/live.m3u8")
        #expect(locations(list) == ["http://u:p@h/live.m3u8"])
        #expect(list.problems.isEmpty)
    }

    @Test func `what is no playlist or cannot be had is named without credentials, and the rest is played`() {
        let web = Web(documents: [
            "http://h/error.pls": "<html><body>no</body></html>", "http://h/none.m3u": "",
            "http://h/large.m3u": String(repeating: "#\n", count: 600_000),
        ])
        let list = web.expand(
            "http://u:secret@h/gone.m3u",
            "http://h/error.pls",
            "http://h/none.m3u",
            "http://h/large.m3u",
            "http://h/1.mp3"
        )
        #expect(locations(list) == ["http://h/1.mp3"])
        #expect(
            problems(list) == [
                "http://h/gone.m3u: 404 Not Found", "http://h/error.pls: not a playlist",
                "http://h/none.m3u: the playlist has no entries",
                "http://h/large.m3u: larger than 1 MiB, too large for a playlist",
            ]
        )
    }

    @Test(arguments: [
        "file:///etc/passwd", "/etc/passwd", "C:\\x.mp3", "ftp://h/x", "concat:a|b", "data://text/x",
        "subfile,,start,0:x",
        "pipe:0", "rtsp://h/x", "-",
    ]) func `a playlist of the network names nothing but the network`(location: String) {
        let list = Web(documents: ["http://h/l.pls": "[playlist]\nFile1=\(location)\nLength1=9\n"])
            .expand("http://h/l.pls")
        for entry in list.entries { #expect(entry.location.hasPrefix("http://h/")) }
        #expect(list.entries.count + list.problems.count == 1)
        if location.contains("://") || location.hasPrefix("C:") {
            #expect(
                problems(list) == [
                    "http://h/l.pls: line 2: \(location): a playlist from the network may contain only http and https"
                ]
            )
        }
    }

    @Test func `passwords in a playlist are not told`() {
        let list = Web(documents: ["http://h/l.m3u": "#EXTINF:9,x\nftp://me:secret@h/x\n"]).expand("http://h/l.m3u")
        #expect(problems(list).map { $0.contains("ftp://h/x") && !$0.contains("secret") } == [true])
    }

    @Test(arguments: ["data:audio/wav;base64,AAAA", "file:/etc/passwd", "javascript:x"])
    func `a URI without an authority is no way out`(location: String) {
        let text = "<playlist><trackList><track><location>\(location)</location></track></trackList></playlist>"
        let list = Web(documents: ["http://h/l.xspf": text]).expand("http://h/l.xspf")
        #expect(list.entries.isEmpty)
        #expect(list.problems.map(\.reason) == [.notOfTheNetwork])
    }

    @Test func `what may be there later is left to the player`() {
        let list = MediaList(arguments: ["http://h/a.pls"]) { _, _, _ throws(FetchProblem) in
            throw FetchProblem("connection refused", isTemporary: true)
        }
        #expect(locations(list) == ["http://h/a.pls"])
        #expect(list.problems.isEmpty)
        let told = MediaList(playlist: "http://h/a.pls") { _, _, _ throws(FetchProblem) in
            throw FetchProblem("connection refused", isTemporary: true)
        }
        #expect(problems(told) == ["http://h/a.pls: connection refused"])
    }

    @Test func `circles and depths end`() {
        let circle = Web(documents: [
            "http://h/a.m3u": "#EXTINF:1,x\nb.pls\n#EXTINF:1,y\n1.mp3\n",
            "http://h/b.pls": "[playlist]\nFile1=a.m3u\nLength1=1\nFile2=2.mp3\nLength2=1\n",
        ]).expand("http://h/a.m3u")
        #expect(locations(circle) == ["http://h/2.mp3", "http://h/1.mp3"])
        #expect(problems(circle) == ["http://h/a.m3u: playlist refers to itself through http://h/b.pls"])

        var web = Web()
        for level in 0..<40 { web.documents["http://h/\(level).m3u"] = "#EXTINF:1,x\n\(level + 1).m3u\n" }
        #expect(web.expand("http://h/0.m3u").problems.map(\.reason) == [.nestedTooDeep(limit: 16)])
        web.documents["http://h/many.m3u"] = (0..<40).map { "#EXTINF:1,x\np\($0).m3u\n" }.joined()
        for number in 0..<40 { web.documents["http://h/p\(number).m3u"] = "#EXTINF:1,x\n\(number).mp3\n" }
        let many = web.expand("http://h/many.m3u")
        #expect(many.entries.count == 31)
        #expect(Set(many.problems.map(\.reason)) == [.tooManyPlaylists(limit: 32)])
    }

    @Test func `manifests in a list are not fetched`() {
        let list = Web(documents: [
            "http://h/tv.m3u": "#EXTINF:-1,One\nhttp://a/1.m3u8\n#EXTINF:-1,Two\nhttp://b/2.m3u8\n"
        ])
        .expand("http://h/tv.m3u")
        #expect(locations(list) == ["http://a/1.m3u8", "http://b/2.m3u8"])
        #expect(list.problems.isEmpty)
    }

    @Test func `a file's playlist may name one of the network`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("radio.m3u", "http://h/s.pls\nx.mp3\n")
        let web = Web(documents: ["http://h/s.pls": "[playlist]\nFile1=http://a/\nFile2=http://b/\n"])
        let list = MediaList(arguments: [directory("radio.m3u")], network: web.fetch)
        #expect(locations(list) == ["http://a/", directory("x.mp3")])
        #expect(list.entries[0].alternatives == ["http://b/"])
    }

    @Test func `what a fetched playlist leads to remembers which URL was asked for`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("mine.m3u", "http://a/l.m3u\nhttp://b/2.mp3\n")
        var asked: [String] = []
        let list = MediaList(arguments: [directory("mine.m3u"), "http://a/s.pls"]) {
            url,
            origin,
            limit throws(FetchProblem) in
            asked.append("\(url) for \(origin)")
            return try Web(documents: [
                "http://a/l.m3u": "#EXTINF:9,x\nhttp://c/1.mp3\n#EXTINF:9,y\nhttp://c/m.m3u\n",
                "http://c/m.m3u": "#EXTINF:9,x\nhttp://a/3.mp3\n",
                "http://a/s.pls": "[playlist]\nFile1=http://d/\nFile2=http://e/\n",
            ]).fetch(url, origin, limit)
        }
        #expect(locations(list) == ["http://c/1.mp3", "http://a/3.mp3", "http://b/2.mp3", "http://d/"])
        #expect(list.entries.map(\.origin) == ["http://a/l.m3u", "http://a/l.m3u", nil, "http://a/s.pls"])
        #expect(
            asked == [
                "http://a/l.m3u for http://a/l.m3u", "http://c/m.m3u for http://a/l.m3u",
                "http://a/s.pls for http://a/s.pls",
            ]
        )
    }

    @Test func `--playlist takes a URL, and lines without a mark`() {
        let web = Web(documents: ["http://h/list": "a.mp3\nb.mp3\n"])
        let list = MediaList(playlist: "http://h/list", network: web.fetch)
        #expect(locations(list) == ["http://h/a.mp3", "http://h/b.mp3"])
    }

    @Test func `nothing is fetched where nothing may be`() {
        #expect(locations(MediaList(arguments: ["http://h/x.pls"])) == ["http://h/x.pls"])
        #expect(
            problems(MediaList(playlist: "http://h/x.pls")) == ["http://h/x.pls: only local playlists can be read here"]
        )
    }
}

struct StationTests {
    /// A list, and the one station with its name that it stands for.
    @Test(
        arguments: [
            (
                "pls",
                "[playlist]\nFile1=http://a:80/\nTitle1=(#1 - 163/1000) Radio X\nLength1=-1\nFile2=http://b/\nTitle2=(#2 - 1/20) Radio X\nLength2=-1\n",
                "Radio X"
            ),
            (
                "pls",
                "[playlist]\nFile1=http://a/\nTitle1=Soma: Salad (#1): chilled\nFile2=http://b/\nTitle2=Soma: Salad (#2): chilled\n",
                "Soma: Salad: chilled"
            ),
            ("pls", "[playlist]\nFile1=http://a/\nFile2=http://b/\n", nil),
            (
                "m3u", "#EXTM3U\n#EXTINF:-1,Artist - Radio\nhttp://a/\n#EXTINF:0,Artist - Radio\nhttp://b/\n",
                "Artist - Radio"
            ),
            ("m3u", "http://ice1.h/x-128\nhttp://ice2.h/x-128\n", nil),
        ] as [(String, String, String?)]
    )
    func `addresses of one station are one item`(suffix: String, text: String, name: String?) throws {
        let list = Web(documents: ["http://h/s.\(suffix)": text]).expand("http://h/s.\(suffix)")
        try #require(list.entries.count == 1)
        #expect(list.entries[0].alternatives.count == 1)
        #expect(list.entries[0].tags["icy-name"] == name)
        #expect(list.entries[0].tags.title == nil)
    }

    @Test(arguments: [
        "[playlist]\nFile1=http://a/\nTitle1=One\nFile2=http://b/\nTitle2=Two\n",
        "[playlist]\nFile1=http://a/\nTitle1=One\nFile2=http://b/\n",
        "[playlist]\nFile1=http://a/\nLength1=20\nFile2=http://b/\nLength2=30\n",
        "[playlist]\nFile1=http://a/\nFile2=b.mp3\n",
        "#EXTM3U\nhttp://a/1.mp3\nhttp://a/2.mp3\n",
        "#EXTINF:-1,One\nhttp://a/\n#EXTINF:-1,Two\nhttp://b/\n",
    ]) func `different things stay different items`(text: String) {
        let list = Web(documents: ["http://h/s.m3u": text]).expand("http://h/s.m3u")
        #expect(list.entries.count == 2)
        #expect(list.entries.allSatisfy { $0.alternatives.isEmpty })
    }

    @Test func `a single address keeps the station's name apart from what is on the air`() {
        let list = Web(documents: ["http://h/s.m3u": "#EXTINF:-1,Radio\nhttp://a/\n"]).expand("http://h/s.m3u")
        #expect(list.entries.map { $0.tags["icy-name"] } == ["Radio"])
        #expect(list.entries.map(\.tags.title) == [nil])
    }
}
