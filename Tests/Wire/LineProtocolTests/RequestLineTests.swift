import LineProtocol
import ProtocolClient
import TestSupport
import Testing

/// A line, and what it means.
struct LineRow: Sendable, CustomTestStringConvertible {
    var line: [UInt8]
    /// The command and its arguments; nothing for a line that is no request.
    var words: [String] = []
    var error: AckError?

    init(_ line: String, _ words: [String]) {
        self.line = Array(line.utf8)
        self.words = words
    }

    init(_ line: String, fails text: String) {
        self.line = Array(line.utf8)
        error = AckError(.unknownCommand, text)
    }

    var testDescription: String { String(decoding: line, as: UTF8.self).debugDescription }

    /// With `ping`, so that a real mpd has nothing to do but to take the line apart.
    static let good = [
        LineRow("ping", ["ping"]), LineRow("ping ", ["ping"]), LineRow("ping\t\t", ["ping"]),
        LineRow("ping a", ["ping", "a"]), LineRow("ping  \t a\t  b ", ["ping", "a", "b"]),
        LineRow(#"ping "a b""#, ["ping", "a b"]), LineRow(#"ping """#, ["ping", ""]),
        LineRow(#"ping "" "" x"#, ["ping", "", "", "x"]), LineRow(#"ping "a\"b""#, ["ping", #"a"b"#]),
        LineRow(#"ping "\\""#, ["ping", #"\"#]), LineRow(#"ping "\\\"""#, ["ping", #"\""#]),
        LineRow(#"ping "a\nb""#, ["ping", "anb"]), LineRow(#"ping a\b"#, ["ping", #"a\b"#]),
        LineRow(#"ping "it's""#, ["ping", "it's"]), LineRow("ping \"a\tb\"", ["ping", "a\tb"]),
        LineRow(#"ping "日本" é"#, ["ping", "日本", "é"]), LineRow("ping a\u{b}b\u{1}", ["ping", "a", "b"]),
        LineRow(#"ping "a" "b""#, ["ping", "a", "b"]), LineRow("ping #(a==b)/c:1", ["ping", "#(a==b)/c:1"]),
    ]

    static let bad = [
        LineRow(#"ping ""#, fails: "Missing closing '\"'"), LineRow(#"ping "a"#, fails: "Missing closing '\"'"),
        LineRow(#"ping "a\"#, fails: "Missing closing '\"'"), LineRow(#"ping "a\""#, fails: "Missing closing '\"'"),
        LineRow(#"ping "a"b"#, fails: "Space expected after closing '\"'"),
        LineRow(#"ping "a""b""#, fails: "Space expected after closing '\"'"),
        LineRow(#"ping "a\\"b"#, fails: "Space expected after closing '\"'"),
        LineRow(#"ping a"b"#, fails: "Invalid unquoted character"),
        LineRow("ping a'b", fails: "Invalid unquoted character"),
        LineRow("ping 'a'", fails: "Invalid unquoted character"),
        LineRow("pi-ng", fails: "Invalid word character"), LineRow("ping\"a\"", fails: "Invalid word character"),
        LineRow("pîng", fails: "Invalid word character"),
    ]
}

@Suite struct RequestLineTests {
    @Test(arguments: LineRow.good)
    func takesApart(_ row: LineRow) throws {
        let request = try RequestLine(parsing: row.line)
        #expect([request.command] + request.arguments == row.words)
    }

    @Test(arguments: LineRow.bad)
    func refuses(_ row: LineRow) throws {
        let error = try #require(row.error)
        #expect(throws: error) { try RequestLine(parsing: row.line) }
    }

    @Test(arguments: ["", " ping", "1ping", "_ping", "\"ping\"", "é"])
    func aCommandBeginsWithALetter(_ line: String) {
        #expect(throws: AckError(.unknownCommand, "Letter expected")) { try RequestLine(parsing: Array(line.utf8)) }
    }

    @Test func bytesThatAreNotUTF8AreReplaced() throws {
        let line = Array("ping a".utf8) + [0xff] + Array(#" "b"#.utf8) + [0xc3] + Array(#"" "\"#.utf8) + [0xfe, 0x22]
        #expect(try RequestLine(parsing: line).arguments == ["a\u{fffd}", "b\u{fffd}", "\u{fffd}"])
    }

    @Test(arguments: [#"ping \#u{0}"#, "ping a\u{0}b"])
    func aZeroIsNoCharacter(_ line: String) {
        #expect(throws: AckError(.unknownCommand, "Invalid unquoted character")) {
            try RequestLine(parsing: Array(line.utf8))
        }
    }

    @Test(arguments: ["a", #""a""#, #""\a""#])
    func argumentsAreLimited(_ argument: String) throws {
        func line(_ count: Int) -> [UInt8] {
            Array(("ping " + Array(repeating: argument, count: count).joined(separator: " ") + " ").utf8)
        }
        #expect(RequestLine.mostArguments == 72)
        #expect(try RequestLine(parsing: line(72)).arguments == Array(repeating: "a", count: 72))
        #expect(throws: AckError(.badArgument, "Too many arguments")) { try RequestLine(parsing: line(73)) }
    }

    @Test(arguments: [
        [], [""], ["a"], ["a b", "", "\t"], [#"""#, #"\"#, #"\\"#, #"\""#, #""\"#], ["it's", "'", "日本 é", "\u{1}x"],
        [#"(artist == "O\"Neill")"#, "#(sort -date)"], Array(repeating: #"\""#, count: 72),
    ])
    func whatTheClientQuotesComesBack(_ arguments: [String]) throws {
        let line = Request("find", arguments).line
        #expect(line.last == 0x0a)
        #expect(line.dropLast().allSatisfy { $0 != 0x0a })
        let parsed = try RequestLine(parsing: Array(line.dropLast()))
        #expect(parsed == RequestLine(command: "find", arguments: arguments))
    }

    @Test func whatCannotBeSentBecomesASpace() throws {
        let line = Request("find", "a\nb\rc\u{0}d").line.dropLast()
        #expect(try RequestLine(parsing: Array(line)).arguments == ["a b c d"])
    }
}

/// The tables above are true of the real thing.
@Suite(.enabled("mpd is not installed") { ChildProcess.missing("mpd").isEmpty })
struct RealServerTests {
    @Test func mpdSaysTheSame() async throws {
        let folder = try TemporaryFolder()
        let configuration = try folder.write(
            "mpd.conf",
            "bind_to_address \"\(folder.file("socket"))\"\nlog_file \"\(folder.file("log"))\"\naudio_output {\ntype \"null\"\nname \"n\"\n}\n"
        )
        let server = try ChildProcess("mpd", ["--no-daemon", configuration])
        defer { server.end() }
        try await waitForSocket(folder.file("socket"), of: server)
        let client = try LineClient(.unix(folder.file("socket")))
        func answer(to line: [UInt8], from client: LineClient) -> String {
            client.send(line + [0x0a])
            return client.line()
        }
        for row in LineRow.good {
            let wanted = row.words.count == 1 ? "OK" : "ACK [2@0] {ping} wrong number of arguments for \"ping\""
            #expect(answer(to: row.line, from: client) == wanted, "\(row.testDescription)")
        }
        for row in LineRow.bad {
            // It hangs up on those who send words that are none.
            let client = try LineClient(.unix(folder.file("socket")))
            let error = try #require(row.error)
            let wanted = "ACK [\(error.code.rawValue)@0] {} \(error.text)"
            #expect(answer(to: row.line, from: client) == wanted, "\(row.testDescription)")
        }
        let many = answer(to: Array(("ping" + String(repeating: " a", count: 73)).utf8), from: client)
        #expect(many == "ACK [2@0] {} Too many arguments")
    }
}
