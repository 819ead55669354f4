import ProtocolClient
import TerminalText
import Testing

@testable import ClientVerbs

@Suite struct KeyParserTests {
    static let table: [(String, [Key])] = [
        ("p", [.character("p")]),
        (" <>", [.character(" "), .character("<"), .character(">")]),
        ("\n\r\t", [.enter, .enter, .tab]),
        ("\u{7f}\u{8}", [.backspace, .backspace]),
        ("\u{1b}[A\u{1b}[B\u{1b}[C\u{1b}[D", [.up, .down, .right, .left]),
        ("\u{1b}OA\u{1b}OD", [.up, .left]),
        ("\u{1b}[H\u{1b}[F\u{1b}[1~\u{1b}[4~\u{1b}[5~\u{1b}[6~", [.home, .end, .home, .end, .pageUp, .pageDown]),
        ("\u{1b}[1;5C\u{1b}[15~x", [.other, .other, .character("x")]),
        ("\u{1b}[[Ax", [.other, .character("x")]),
        ("äq日🎵", [.character("ä"), .character("q"), .character("日"), .character("🎵")]),
        // Alt with a key is another key.
        ("\u{1b}qx", [.other, .character("x")]),
        // An escape key before a sequence.
        ("\u{1b}\u{1b}[A", [.up]),
        ("\u{1b}[\u{1b}[A", [.up]),
        // Pasted text presses no keys, whatever is in it.
        ("\u{1b}[200~quit q \u{1b}[201\u{1b}[A q\u{1b}[201~x", [.character("x")]),
        // Answers of the terminal: colours, version, focus.
        ("\u{1b}]11;rgb:0/0/0\u{1b}\\x\u{1b}]0;q\u{7}y", [.character("x"), .character("y")]),
        ("\u{1b}P>|xterm(1)\u{1b}\\x", [.character("x")]),
        ("\u{1b}[I", [.other]),
        // Junk.
        ("\u{1b}[" + String(repeating: "9", count: 500) + "~x", [.other, .character("x")]),
        ("\u{1b}[12\u{18}x", [.character("x")]),
        ("\u{0}\u{1}\u{1f}x", [.character("x")]),
    ]

    @Test(arguments: table)
    func atOnce(text: String, keys: [Key]) {
        var parser = KeyParser()
        #expect(parser.parse(text.utf8) == keys)
    }

    @Test(arguments: table)
    func byteByByte(text: String, keys: [Key]) {
        var parser = KeyParser()
        #expect(text.utf8.flatMap { parser.parse([$0]) } == keys)
    }

    @Test(
        arguments: [
            ([0xff, 0x78], [.character("x")]),
            ([0xc3, 0x78], [.character("x")]),
            ([0xe6, 0x97, 0x1b, 0x5b, 0x41], [.up]),
            ([0xc0, 0x80, 0x78], [.character("x")]),
            ([0xed, 0xa0, 0x80, 0x78], [.character("x")]),
            ([0x9b, 0x41], [.character("A")]),
        ] as [([UInt8], [Key])]
    )
    func invalidBytes(bytes: [UInt8], keys: [Key]) {
        var parser = KeyParser()
        #expect(parser.parse(bytes) == keys)
    }

    @Test func everyKeyHasOneMeaning() {
        let keys = KeyBindings.rows.flatMap(\.keys)
        #expect(Set(keys).count == keys.count)
        #expect(KeyBindings.command(for: .left) == .seek(by: -5))
        #expect(KeyBindings.command(for: .enter) == .nextItem)
        #expect(KeyBindings.command(for: .character("*")) == .changeVolume(by: 2))
        #expect(KeyBindings.command(for: .character("x")) == nil)
        #expect(KeyBindings.command(for: .other) == nil)
    }

    /// What the keys of `segue watch` ask a server for that plays at volume 40.
    @Test(
        arguments: [
            (" ", "play", ["pause 1"]), (" ", "pause", ["pause 0"]), (" ", "stop", ["play"]),
            ("\u{1b}[D", "play", ["seekcur -5.0"]), ("\u{1b}[A", "pause", ["seekcur +60.0"]),
            ("\u{1b}[C", "stop", ["nothing is playing"]), (">", "play", ["next"]), ("<", "play", ["previous"]),
            ("9", "stop", ["setvol 38"]), ("m", "stop", ["setvol 0"]), ("mm", "stop", ["setvol 0", "setvol 40"]),
            ("}", "play", ["speed 2.0"]), ("L", "play", ["repeat 1", "single 1"]), ("j", "play", []), ("v", "play", []),
        ]
    )
    func keysAsRequests(text: String, state: String, expected: [String]) {
        var (parser, keys, volume) = (KeyParser(), WatchKeys(), "40")
        var words: [String] = []
        for command in parser.parse(text.utf8).compactMap(KeyBindings.command) {
            let status = ServerStatus(ServerReply(pairs: [Pair("state", state), Pair("volume", volume)]))
            switch keys.order(command, status) {
            case .requests(let requests): words += requests.map { ([$0.command] + $0.arguments).joined(separator: " ") }
            case .impossible(let reason): words.append(reason)
            }
            if let set = words.last?.split(separator: " "), set.first == "setvol" { volume = String(set[1]) }
        }
        #expect(words == expected)
    }

    @Test func helpFitsTheTerminal() {
        #expect(KeyBindings.help(width: 80).count == (KeyBindings.rows.count + 1) / 2)
        #expect(KeyBindings.help(width: 80).allSatisfy { $0.count <= 80 })
        #expect(KeyBindings.help(width: 40).count == KeyBindings.rows.count)
    }

    /// Escape is a key when nothing follows it.
    @Test func escapeByItself() {
        var parser = KeyParser()
        #expect(parser.parse([0x1b]) == [] && parser.isAfterEscape)
        #expect(parser.endEscape() == .escape && !parser.isAfterEscape && parser.endEscape() == nil)
        #expect(parser.parse("[A".utf8) == [.character("["), .character("A")])
        #expect(parser.parse("\u{1b}[".utf8) == [] && !parser.isAfterEscape && parser.endEscape() == nil)
        #expect(parser.parse("A".utf8) == [.up])
    }
}
