import LineProtocol
import Testing

@Suite struct ReplyTests {
    private func text(_ body: (inout Reply) -> Void) -> String {
        var reply = Reply()
        body(&reply)
        return String(decoding: reply.bytes, as: UTF8.self)
    }

    @Test(arguments: [
        (0, "0"), (7, "7"), (9, "9"), (10, "10"), (1_234_567_890, "1234567890"), (-1, "-1"), (-10, "-10"),
        (.max, "9223372036854775807"), (.min, "-9223372036854775808"),
    ])
    func numbers(_ number: Int, _ expected: String) {
        #expect(text { $0.line("volume", number) } == "volume: \(expected)\n")
    }

    @Test(
        arguments: [
            (0, "0.000"), (0.0004, "0.000"), (0.0006, "0.001"), (1.9994, "1.999"), (1.9996, "2.000"),
            (59.9999, "60.000"),
            (12.345, "12.345"), (100.05, "100.050"), (-1, "0.000"), (.nan, "0.000"), (.infinity, "1000000000000.000"),
            (-.infinity, "0.000"),
        ] as [(Double, String)]
    )
    func seconds(_ seconds: Double, _ expected: String) {
        #expect(text { $0.line("elapsed", seconds: seconds) } == "elapsed: \(expected)\n")
    }

    @Test func lines() {
        #expect(text { $0.line("repeat", true) } == "repeat: 1\n")
        #expect(text { $0.line("repeat", false) } == "repeat: 0\n")
        #expect(text { $0.line("state", "stop") } == "state: stop\n")
        // python-mpd2 reads no line without the blank.
        #expect(text { $0.line("lastloadedplaylist", "") } == "lastloadedplaylist: \n")
        #expect(text { $0.line("file", "a\nOK\rb\r\nc") } == "file: a OK b  c\n")
        #expect(text { $0.ok() } == "OK\n")
        #expect(text { $0.listOK() } == "list_OK\n")
    }

    /// libmpdclient reads a line into 4,096 bytes, and it is text.
    @Test(arguments: [1, 2, 3, 4], [0, 1, 2, 3])
    func longValuesEndAtACharacter(_ width: Int, _ offset: Int) throws {
        let character = ["x", "é", "日", "𝄞"][width - 1]
        let value = String(repeating: "-", count: offset) + String(repeating: character, count: 5_000 / width)
        let reply = text { $0.line("Title", value) }
        #expect(reply.utf8.count <= 4_000 + 8)
        #expect(reply.utf8.count > 4_000 + 8 - width)
        #expect(reply.hasSuffix("\(character)\n"))
        #expect(!reply.contains("\u{fffd}"))
        #expect(reply.unicodeScalars.filter { $0 == "\n" }.count == 1)
    }

    @Test func aValueOfJustTheLimitIsWhole() {
        let value = String(repeating: "x", count: 3_997) + "日"
        #expect(text { $0.line("Title", value) } == "Title: \(value)\n")
    }

    @Test func binary() {
        let bytes: [UInt8] = [0, 0x0a, 0xff]
        var reply = Reply()
        reply.binary(bytes)
        #expect(reply.bytes == Array("binary: 3\n".utf8) + bytes + [0x0a])
    }

    @Test func failures() {
        #expect(
            text { $0.ack(AckError(.doesNotExist, "No such song"), index: 3, command: "playid") }
                == "ACK [50@3] {playid} No such song\n"
        )
        #expect(text { $0.ack(AckError(.badArgument, "a\nb\rc"), index: 0, command: "") } == "ACK [2@0] {} a b c\n")
        let long = text { $0.ack(AckError(.badArgument, String(repeating: "é", count: 4_000)), index: 0, command: "x") }
        #expect(long.utf8.count < 4_096)
        #expect(long.hasSuffix("é\n"))
    }

    /// Others than these make python-mpd2 raise another error than a command's.
    @Test func codesAreMPDs() {
        let codes: [AckCode] = [
            .notList, .badArgument, .wrongPassword, .permission, .unknownCommand, .doesNotExist, .queueFull, .system,
            .playlistLoad, .alreadyUpdating, .notPlaying, .alreadyExists,
        ]
        #expect(codes.map(\.rawValue) == Array(1...5) + Array(50...56))
    }
}
