import Testing

@testable import Broadcasting

@Suite struct ListenerRequestTests {
    private func parse(_ text: String) throws(ListenerRequest.Problem) -> ListenerRequest? {
        try ListenerRequest(head: Array(text.utf8))
    }

    @Test func requestsAreRead() throws {
        let plain = try #require(try parse("GET / HTTP/1.0\r\n\r\n"))
        #expect(plain.method == "GET" && plain.path == "/" && !plain.wantsTitles)
        let full = try #require(
            try parse("HEAD http://host:80/a.mp3?x=1 HTTP/1.1\nHost: h\nicy-MetaData: 1\n\nrest")
        )
        #expect(full.method == "HEAD" && full.path == "/a.mp3" && full.wantsTitles)
    }

    @Test func aRequestIsIncompleteUntilItsEmptyLine() throws {
        let text = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        for length in 0..<text.utf8.count {
            #expect(try ListenerRequest(head: Array(text.utf8.prefix(length))) == nil, "\(length)")
        }
    }

    @Test func theEndOfAHeadIsFoundInParts() {
        let text = Array("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET".utf8)
        for length in 1...text.count {
            var end = HeadEnd()
            for start in stride(from: 0, to: text.count, by: length) {
                end.look(at: text[start..<min(start + length, text.count)])
            }
            #expect(end.isReached, "\(length)")
            var early = HeadEnd()
            early.look(at: text.dropLast(4))
            #expect(!early.isReached)
        }
    }

    @Test(arguments: ["GET /\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "\r\n\r\n", "GET x HTTP/1.1\n\n", "GET / SPDY/1\n\n"])
    func otherThingsAreMalformed(text: String) {
        #expect(throws: ListenerRequest.Problem.malformed) { try parse(text) }
    }

    @Test func aHeadHasALimit() throws {
        let endless = "GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: ListenerRequest.limit)
        #expect(throws: ListenerRequest.Problem.tooLarge) { try parse(endless) }
        #expect(throws: ListenerRequest.Problem.tooLarge) { try parse(endless + "\r\n\r\n") }
    }

    @Test func pathsAreTheStreamsOrNot() throws {
        for (path, isThere) in [("/", true), ("/mpd.ogg", true), ("/a/b.ogg", false), ("/x.mp3", false), ("/x", false)]
        {
            let request = try #require(try parse("GET \(path) HTTP/1.1\r\n\r\n"))
            #expect(request.asksFor(.vorbis) == isThere, "\(path)")
        }
    }
}
