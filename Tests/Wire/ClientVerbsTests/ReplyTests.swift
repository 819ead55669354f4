import LineProtocol
import ProtocolClient
import TestThreads
import Testing

@Suite(.blocking) struct ReplyTests {
    private static let conversation =
        Array("file: a: b.flac\nTitle: \nArtist: Ä\nlist_OK\nvolume: 5\nlist_OK\nOK\nsize: 9\nbinary: 9\n".utf8)
        + [0x00, 0x0a, 0xff, 0x4f, 0x4b, 0x0a, 0x41, 0x43, 0x4b]
        + Array("\nOK\nACK [50@2] {play} No such {song}\n".utf8)

    private static let items: [ReplyParser.Item] = [
        .pair(Pair("file", "a: b.flac")), .pair(Pair("Title", "")), .pair(Pair("Artist", "Ä")), .listOK,
        .pair(Pair("volume", "5")), .listOK, .ok, .pair(Pair("size", "9")),
        .binary([0x00, 0x0a, 0xff, 0x4f, 0x4b, 0x0a, 0x41, 0x43, 0x4b]), .ok,
        .refused(Refusal(code: 50, index: 2, command: "play", text: "No such {song}")),
    ]

    /// However the bytes come, they mean the same.
    @Test(arguments: [1, 2, 3, 7, 64, 4096])
    func pieces(size: Int) throws {
        var parser = ReplyParser()
        var items: [ReplyParser.Item] = []
        var rest = Self.conversation[...]
        while !rest.isEmpty {
            parser.receive(rest.prefix(size))
            rest = rest.dropFirst(size)
            while let item = try parser.next() { items.append(item) }
        }
        #expect(items == Self.items)
    }

    @Test func aLongAnswerIsReadToItsEnd() throws {
        var parser = ReplyParser()
        let block = Array((0..<2_000).flatMap { "file: \($0)\nTitle: \($0 * 7)\n".utf8 })
        var count = 0
        for _ in 0..<10 {
            parser.receive(block)
            while case .pair? = try parser.next() { count += 1 }
        }
        #expect(count == 40_000)
    }

    @Test(
        arguments: [
            ("ACK [5@0] {} unknown command \"x\"", 5, 0, "", "unknown command \"x\""),
            ("ACK [2@13] {setvol} need: a number", 2, 13, "setvol", "need: a number"),
            ("ACK [99@0] {x} new", 99, 0, "x", "new"),
            ("ACK [4@0] {play}", 4, 0, "play", ""),
        ]
    )
    func refusals(line: String, code: Int, index: Int, command: String, text: String) {
        #expect(Refusal(parsing: line) == Refusal(code: code, index: index, command: command, text: text))
    }

    @Test(arguments: [
        "no colon\n", ": no key\n", "ACK\n", "ACK [x@0] {a} b\n", "ACK [1] {a} b\n", "binary: -1\n", "binary: x\n",
    ])
    func refusesWhatIsNoAnswer(text: String) {
        var parser = ReplyParser()
        parser.receive(Array(text.utf8))
        #expect(throws: ReplyParser.Malformed.self) { while try parser.next() != nil {} }
    }

    @Test func aLineWithoutEndIsNotKeptForEver() {
        var parser = ReplyParser()
        parser.receive([UInt8](repeating: 0x61, count: 1 << 21))
        #expect(throws: ReplyParser.Malformed.self) { try parser.next() }
    }

    @Test(
        arguments: [
            ("OK MPD 0.24.0", ProtocolVersion(0, 24, 0)), ("OK MPD 0.9", ProtocolVersion(0, 9, 0)), ("OK MPD", nil),
            ("OK MPD a.b.c", nil), ("SSH-2.0-OpenSSH", nil), ("OK MPD 1", nil),
        ]
    )
    func greetings(line: String, version: ProtocolVersion?) {
        #expect(ProtocolVersion(greeting: line) == version)
    }

    @Test func blocks() {
        let reply = ServerReply(pairs: [
            Pair("lost", "0"), Pair("file", "a"), Pair("Title", "A"), Pair("directory", "d"), Pair("file", "b"),
        ])
        #expect(
            reply.groups(startingWith: ["file", "directory"]).map { $0.pairs.map(\.value) } == [
                ["a", "A"], ["d"], ["b"],
            ]
        )
        #expect(reply.songs.map(\.uri) == ["a", "b"])
    }

    /// What is sent is what a server takes it for.
    @Test(
        arguments: [
            [], [""], ["a b", "c"], ["\"", "\\", "\\\"", "a\\"], ["'", "\t", "ä 日本"], ["(artist == \"x\")"],
            [String(repeating: "\\\"", count: 500)],
        ]
    )
    func quoting(arguments: [String]) throws {
        let line = Request("find", arguments).line
        #expect(line.last == 0x0a)
        #expect(try RequestLine(parsing: line.dropLast()) == RequestLine(command: "find", arguments: arguments))
    }

    @Test func aLineFeedCannotSmuggleACommand() throws {
        let line = Request("add", "a\nkill\r\n").line
        #expect(line.filter { $0 == 0x0a }.count == 1)
        #expect(try RequestLine(parsing: line.dropLast()).arguments == ["a kill  "])
    }

    @Test func status() {
        let reply = ServerReply(
            pairs: [
                ("volume", "-1"), ("repeat", "1"), ("single", "oneshot"), ("state", "pause"), ("song", "3"),
                ("time", "12:30"), ("elapsed", "11.600"), ("duration", "29.7"), ("speed", "1.5"), ("bitrate", "0"),
                ("unheard-of", "1"),
            ]
            .map { Pair($0.0, $0.1) }
        )
        let status = ServerStatus(reply)
        #expect(status.volume == nil)
        #expect(status.repeat)
        #expect(status.single == "oneshot")
        #expect(status.state == .paused)
        #expect(status.position == 3)
        #expect(status.elapsed == 11.6)
        #expect(status.duration == 29.7)
        #expect(status.wholeSeconds == .init(elapsed: 12, duration: 30))
        #expect(status.speed == 1.5)
        #expect(status.bitRate == nil)
        #expect(ServerStatus(ServerReply()).state == .stopped)
    }
}
