import Foundation
import PictureValues
import TestSupport
import TestThreads
import Testing

/// `segue pick` on a full screen, in a terminal that shows pictures by kitty's protocol or as characters.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct PickerScreenTests {
    /// A server with pictures of one colour each, in two folders, and a client that may only ask for them.
    private struct Stage {
        let server: Segued
        let owner: LineClient
        let frame: LineClient

        private static let colours = ["A/1": "red", "A/2": "lime", "A/3": "blue", "B/4": "white", "B/5": "black"]
        private static let kitty = "\u{1b}_Gi=31;OK\u{1b}\\\u{1b}[6;16;8t\u{1b}[?62;4c"

        /// - Parameter hasPanorama: Whether there is another picture, which is twice as wide as high.
        init(hasPanorama: Bool = false) async throws {
            let folder = try TemporaryFolder()
            let root = try folder.makeFolder("pictures")
            for name in ["A", "B"] { _ = try folder.makeFolder("pictures/\(name)") }
            for (name, colour) in Self.colours {
                try await MediaFixtures.ffmpeg([
                    "-f", "lavfi", "-i", "color=\(colour):size=160x120", "-frames:v", "1", "\(root)/\(name).png",
                ])
            }
            if hasPanorama {
                try FileBytes.write(MadeMedia.jpeg(width: 320, height: 160), to: "\(root)/B/6.jpg")
            }
            server = try await Segued.start(.options(["--password", "frame@pick"]), in: folder, music: root)
            (owner, frame) = (try server.connect(), try server.connect())
            try frame.order("password frame")
        }

        func open(_ words: String) throws -> String {
            try #require(try frame.values("picker open \(words)")["request"])
        }

        func segue(
            _ words: String...,
            inPixels: Bool = true,
            columns: Int = 80,
            rows: Int = 24
        ) throws -> TerminalProcess {
            try TerminalProcess(
                try Segued.path().replacing(/segued$/, with: "segue"),
                ["pick"] + words,
                environment: ["MPD_HOST": server.socket, "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"],
                columns: columns,
                rows: rows,
                answer: inPixels ? Self.kitty : "\u{1b}P1$r0;48:2:1:2:3m\u{1b}\\\u{1b}[6;16;8t\u{1b}[?62c"
            )
        }

        /// The names of what the client got.
        func picked(_ request: String) throws -> [String] {
            try frame.order("picker items \(request)").filter { $0.hasPrefix("name: ") }.map { String($0.dropFirst(6)) }
        }
    }

    /// The colours of the pictures from left to right, as red, green and blue are in them.
    private static func colours(_ screen: TerminalScreen) -> [String] {
        screen.pictures.sorted { ($0.row, $0.column) < ($1.row, $1.column) }.map { picture in
            let (pixels, channels) = (picture.bitmap.pixels, picture.bitmap.channels)
            let middle = pixels.count / 2 / channels * channels
            return zip("rgb", pixels[middle..<middle + 3]).map { $1 > 128 ? String($0) : "-" }.joined()
        }
    }

    @Test func theOwnerChoosesWithKeys() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 2 prompt \"For the kitchen\"")
        let terminal = try stage.segue("--for", request)
        try await terminal.wait { $0.pictures.count == 5 }
        let screen = terminal.contents
        #expect(Self.colours(screen) == ["r--", "-g-", "--b", "rgb", "---"])
        #expect(screen.isAlternate && !screen.isCursorVisible)
        #expect(screen.lines[0].hasSuffix("asks for up to 2 pictures. It will see only what you choose."))
        #expect(screen.lines[1] == "“For the kitchen”")
        #expect(screen.lines[22] == "A/1.png, 160 x 120")
        #expect(screen.lines[23].hasPrefix("0 of 2 chosen. 1 of 5."))
        // The last one, the second, and the first one in vain; then it is taken in place of the second.
        terminal.type("\u{1b}[F ")
        try await terminal.waitForText("●1 5.png")
        terminal.type("\u{1b}[H\u{1b}[C ")
        try await terminal.waitForText("●2 2.png")
        terminal.type("\u{1b}[D ")
        try await terminal.waitForText("the client asks for at most 2 pictures")
        terminal.type("\u{1b}[C ")
        try await terminal.waitForText("1 of 2 chosen. 2 of 5.")
        terminal.type("\u{1b}[D ")
        try await terminal.waitForText("●2 1.png")
        // The chosen ones alone, in another order.
        terminal.type("s")
        try await terminal.waitForText("1 of 2, what is chosen")
        terminal.type(">")
        try await terminal.waitForText("2 of 2, what is chosen")
        #expect(terminal.contents.text.contains(/●1 1.png +●2 5.png/))
        terminal.type("s")
        try await terminal.waitForText("1 of 5.")
        terminal.type(">")
        try await terminal.wait { $0.text.contains("●1 5.png") && $0.text.contains("●2 1.png") }
        terminal.type("<")
        try await terminal.wait { $0.text.contains("●1 1.png") && $0.text.contains("●2 5.png") }
        terminal.type("\r")
        #expect(try await terminal.process.wait().status == .code(0))
        #expect(!terminal.contents.isAlternate && terminal.contents.isCursorVisible && terminal.isInLineMode)
        #expect(terminal.contents.text.contains("The client gets 2 pictures."))
        #expect(try stage.picked(request) == ["1.jpg", "5.jpg"])
    }

    @Test func oneIsChosenAtOnce() async throws {
        let stage = try await Stage()
        let request = try stage.open("")
        let terminal = try stage.segue("--for", request)
        try await terminal.waitForText("1 of 5. Space or Enter chooses")
        terminal.type("\u{1b}[C\u{1b}[C ")
        #expect(try await terminal.process.wait().status == .code(0))
        #expect(try stage.picked(request) == ["3.jpg"])
    }

    @Test func theOwnerMayGiveNothing() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 2")
        let terminal = try stage.segue("--for", request)
        try await terminal.waitForText("0 of 2 chosen")
        terminal.type("\r")
        try await terminal.waitForText("nothing is chosen; Space chooses")
        terminal.type("q")
        #expect(try await terminal.process.wait().status == .code(0))
        #expect(try stage.frame.values("picker wait \(request)")["state"] == "cancelled")
    }

    @Test func folders() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 2")
        let terminal = try stage.segue("--for", request)
        try await terminal.wait { $0.pictures.count == 5 }
        terminal.type("/C")
        try await terminal.waitForText("Folder: C▏")
        terminal.type("\r")
        try await terminal.waitForText("there is no folder C")
        // The name can be mended, and Escape leaves all as it was.
        terminal.type("x")
        try await terminal.waitForText("Folder: Cx▏")
        terminal.type("\u{1b}")
        try await terminal.waitForText("1 of 5.")
        terminal.type("\u{1b}[C")
        try await terminal.waitForText("2 of 5.")
        terminal.type("\u{1b}[D")
        // Of a long text its end is shown, and nothing is added to the longest one.
        terminal.type("/" + String(repeating: "x", count: 2_000))
        try await terminal.wait { $0.lines[23].hasPrefix("Folder: …xxx") && $0.lines[23].hasSuffix("xxx▏") }
        terminal.type(String(repeating: "\u{7f}", count: 1_000))
        try await terminal.wait { $0.lines[23] == "Folder: ▏" }
        terminal.type("\u{1b}")
        try await terminal.waitForText("1 of 5.")
        terminal.type("/C\u{7f}B\r")
        try await terminal.waitForText("1 of 2, B.")
        try await terminal.wait { $0.pictures.count == 7 }
        #expect(!terminal.contents.text.contains("1.png"))
        terminal.type("/\r")
        try await terminal.waitForText("1 of 5.")
        terminal.type("q")
        _ = try await terminal.process.wait()
    }

    @Test func oneKindAlone() async throws {
        let stage = try await Stage(hasPanorama: true)
        let request = try stage.open("limit 2")
        let terminal = try stage.segue("--for", request)
        try await terminal.waitForText("1 of 6.")
        terminal.type("f")
        try await terminal.waitForText("There are no such pictures; f for others.")
        try await terminal.waitForText("livePhotos: none.")
        terminal.type("ff")
        try await terminal.waitForText("1 of 1, panoramas.")
        terminal.type(" ")
        try await terminal.waitForText("●1 6.jpg")
        // All come before the first kind, and behind the last one.
        terminal.type("FFF")
        try await terminal.waitForText("1 of 6.")
        terminal.type("F")
        try await terminal.waitForText("screenshots: none.")
        terminal.type("f/A\r")
        try await terminal.waitForText("1 of 3, A.")
        terminal.type("fff")
        try await terminal.waitForText("There are no such pictures; / and Enter, f for others.")
        terminal.type("/B\r")
        try await terminal.waitForText("1 of 1, panoramas, B.")
        terminal.type("\r")
        #expect(try await terminal.process.wait().status == .code(0))
        #expect(try stage.picked(request) == ["6.jpg"])
    }

    /// The pictures are drawn again where they are then, and in another size.
    @Test func anotherSize() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 2")
        let terminal = try stage.segue("--for", request, columns: 200, rows: 50)
        try await terminal.wait { $0.pictures.count == 5 }
        terminal.resize(columns: 40, rows: 12)
        try await terminal.wait { $0.pictures.count > 5 && $0.lines[11].hasPrefix("0 of 2 chosen. 1 of 5.") }
        terminal.type("\u{1b}[F")
        try await terminal.wait {
            $0.lines[11].hasPrefix("0 of 2 chosen. 5 of 5.") && $0.lines[10].hasPrefix("B/5.png")
        }
        // Too small for anything, and back.
        terminal.resize(columns: 5, rows: 2)
        try await terminal.wait { $0.lines == ["", "0 o…"] }
        terminal.resize(columns: 80, rows: 24)
        try await terminal.wait { $0.lines[23].hasPrefix("0 of 2 chosen. 5 of 5.") }
        try await terminal.wait { $0.pictures.last?.bitmap.size.width == 128 }
        terminal.type("+")
        try await terminal.wait { $0.pictures.last?.bitmap.size.width == 160 }
        // Of those that are not visible any more, nothing is left.
        terminal.type("++++++\u{1b}[H")
        try await terminal.wait { $0.text.contains("A/1.png") && !$0.text.contains("5.png") }
        terminal.type("\u{1b}[F")
        try await terminal.wait { $0.text.contains("B/5.png") && !$0.text.contains("1.png") }
        terminal.type("q")
        _ = try await terminal.process.wait()
    }

    @Test func onePictureIsShownLarge() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 2")
        let terminal = try stage.segue("--for", request)
        try await terminal.wait { $0.pictures.count == 5 }
        terminal.type("v")
        try await terminal.waitForText("any other key goes back")
        let large = try #require(terminal.contents.pictures.last)
        #expect(large.bitmap.size == PixelSize(160, 120))
        // The next one, which is chosen there.
        terminal.type("\u{1b}[C")
        try await terminal.wait { $0.pictures.count == 7 && $0.lines[22].hasPrefix("A/2.png") }
        terminal.type(" ")
        try await terminal.waitForText("●1 A/2.png, 160 x 120")
        terminal.type("\u{1b}")
        try await terminal.wait { $0.pictures.count == 12 && $0.text.contains("●1 2.png") }
        terminal.type("?")
        try await terminal.waitForText("move what is chosen forward or backward in the order")
        terminal.type("q")
        try await terminal.waitForText("Space chooses, Enter is done")
        terminal.type("q")
        #expect(try await terminal.process.wait().status == .code(0))
    }

    @Test func charactersInPlaceOfPixels() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 2")
        let terminal = try stage.segue("--for", request, inPixels: false)
        try await terminal.waitForText("1 of 5.")
        // The first one, of 16 cells, is red.
        try await terminal.wait { screen in
            screen.halfBlocks(rows: 3..<5, columns: 4..<6).map { $0.pixels[0] > 128 && $0.pixels[1] < 128 } == true
        }
        terminal.type("q")
        _ = try await terminal.process.wait()
    }

    // MARK: Ends

    /// A request that is withdrawn while the owner looks at pictures is over at once, without a key.
    @Test func theClientGoesAway() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 2")
        let terminal = try stage.segue("--for", request)
        try await terminal.waitForText("0 of 2 chosen")
        try stage.frame.order("picker withdraw \(request)")
        #expect(try await terminal.process.wait().status == .code(1))
        let screen = terminal.contents
        #expect(!screen.isAlternate && screen.text.contains("the client has withdrawn it, or is gone"))
        #expect(terminal.isInLineMode)
    }

    @Test(arguments: ["\u{3}", "\u{4}"])
    func theOwnerGoesAway(_ key: String) async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 2")
        let terminal = try stage.segue("--for", request)
        try await terminal.waitForText("0 of 2 chosen")
        terminal.type(" ")
        try await terminal.waitForText("1 of 2 chosen")
        if key == "\u{3}" { terminal.type(key) } else { terminal.process.kill(SIGTERM) }
        _ = try await terminal.process.wait()
        #expect(!terminal.contents.isAlternate && terminal.contents.isCursorVisible && terminal.isInLineMode)
        try wait(for: "another answer") { try stage.owner.values("picking list")["state"] == "waiting" }
    }

    /// Nothing has to be waited for, not even a server that does not answer.
    @Test func ctrlCAlwaysEnds() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 2")
        let terminal = try stage.segue("--for", request)
        try await terminal.waitForText("0 of 2 chosen")
        // After these two commands, the server has nothing more to tell.
        terminal.type(" ")
        try await terminal.waitForText("1 of 2 chosen")
        terminal.type(" ")
        try await terminal.waitForText("0 of 2 chosen")
        stage.server.process.kill(SIGSTOP)
        defer { stage.server.process.kill(SIGCONT) }
        terminal.type("v")
        try await terminal.waitForText("the picture is being loaded")
        terminal.type("\u{3}")
        #expect(try await terminal.process.wait().status == .signal(SIGINT))
        #expect(!terminal.contents.isAlternate && terminal.contents.isCursorVisible && terminal.isInLineMode)
    }

    /// As Ctrl-Z and `fg` do; what was on the terminal before is there again at the end.
    @Test func theOwnerDoesSomethingElseMeanwhile() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 2")
        let terminal = try stage.segue("--for", request)
        try await terminal.waitForText("0 of 2 chosen")
        terminal.type(" ")
        try await terminal.waitForText("1 of 2 chosen")
        terminal.process.kill(SIGTSTP)
        try await terminal.wait { !$0.isAlternate && $0.isCursorVisible }
        #expect(terminal.isInLineMode)
        // A shell that is told of the stop goes on then.
        try wait(for: "the stop") { terminal.process.isStopped }
        terminal.process.kill(SIGCONT)
        try await terminal.wait { $0.isAlternate && $0.text.contains("1 of 2 chosen") }
        terminal.type("q")
        #expect(try await terminal.process.wait().status == .code(0))
        #expect(terminal.contents.lines[0] == "The client gets nothing.")
    }

    /// A terminal that is asked what it can show, and does not answer, is left as it was.
    @Test func aSignalAtTheBeginning() async throws {
        let stage = try await Stage()
        let terminal = try TerminalProcess(
            try Segued.path().replacing(/segued$/, with: "segue"),
            ["pick", "--for", try stage.open("limit 2")],
            environment: ["MPD_HOST": stage.server.socket, "LANG": "C.UTF-8", "SSH_CONNECTION": "far away"],
            answer: ""
        )
        try await terminal.wait { $0.received.suffix(3) == Array("\u{1b}[c".utf8)[...] }
        terminal.process.kill(SIGTERM)
        #expect(try await terminal.process.wait().status == .signal(SIGTERM))
        #expect(terminal.isInLineMode)
    }

    @Test func theServerGoesAway() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 2")
        let terminal = try stage.segue("--for", request)
        try await terminal.waitForText("0 of 2 chosen")
        try await stage.server.stop()
        #expect(try await terminal.process.wait().status != .code(0))
        #expect(!terminal.contents.isAlternate && terminal.isInLineMode)
    }

    // MARK: Other forms

    @Test func songsAreLines() async throws {
        let server = try await Segued.start()
        let owner = try server.connect()
        let terminal = try TerminalProcess(
            try Segued.path().replacing(/segued$/, with: "segue"),
            ["pick", "--songs", "--limit", "2"],
            environment: ["MPD_HOST": server.socket, "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"]
        )
        try await terminal.waitForText("Choose up to 2 songs.")
        try await terminal.wait { screen in screen.lines.contains { $0.hasPrefix("Someone - Two, ") } }
        terminal.type("/two\r")
        try await terminal.waitForText("1 of 1, two.")
        terminal.type("f")
        try await terminal.waitForText("songs have no kinds; / finds some")
        terminal.type(" \r")
        #expect(try await terminal.process.wait().status == .code(0))
        #expect(terminal.contents.lines[0] == "two.flac")
        withExtendedLifetime(owner) {}
    }

    @Test func aListOfLinesIsThereOnRequest() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 2")
        let terminal = try stage.segue("--for", request, "--lines")
        try await terminal.waitForText("0 of 2 chosen; a number")
        #expect(!terminal.contents.isAlternate && terminal.contents.text.contains("A/1.png"))
        terminal.type("k bursts\n")
        try await terminal.waitForText("there are no such pictures; k alone for all")
        terminal.type("k photos\n")
        try await terminal.waitForText("'photos' is no kind of pictures and videos")
        terminal.type("k\n1\n")
        try await terminal.waitForText("1 of 2 chosen; a number")
        terminal.type("d\n")
        #expect(try await terminal.process.wait().status == .code(0))
        #expect(try stage.picked(request) == ["1.jpg"])
    }
}
