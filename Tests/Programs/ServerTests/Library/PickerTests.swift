import Foundation
import TestSupport
import TestThreads
import Testing

/// Pictures that the owner picks for clients that may not see the library.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct PickerTests {
    /// In the names of pictures, and in one of them, that nobody but the owner may see.
    private static let secret = "Qzx"

    /// A server with six pictures, and a client that may only ask for them.
    private struct Stage {
        let server: Segued
        let root: String
        let owner: LineClient
        let frame: LineClient

        init() async throws {
            let folder = try TemporaryFolder()
            root = try folder.makeFolder("pictures")
            for number in 1...4 { try await Stage.make("red", "120x80", "\(root)/\(number).jpg") }
            _ = try folder.makeFolder("pictures/\(secret)")
            try await Stage.make("green", "300x100", "\(root)/\(secret)/cover.jpg")
            try await Stage.make("blue", "300x100", "\(root)/\(secret)/\(secret).jpg")
            server = try await Segued.start(.options(["--password", "frame@pick"]), in: folder, music: root)
            (owner, frame) = (try server.connect(), try server.connect())
            try frame.order("password frame")
        }

        static func make(_ colour: String, _ size: String, _ path: String) async throws {
            try await MediaFixtures.ffmpeg([
                "-f", "lavfi", "-i", "color=\(colour):size=\(size)", "-frames:v", "1", path,
            ])
        }

        func update() throws {
            try owner.order("update")
            try wait(for: "the update") { try owner.values("status")["updating_db"] == nil }
        }

        func open(_ words: String = "") throws -> String {
            try #require(try frame.values("picker open \(words)")["request"])
        }

        func pick(_ request: String, _ uris: String) throws {
            for line in ["take \(request)", "select \(request) \(uris)", "finish \(request)"] {
                try owner.order("picking \(line)")
            }
        }

        func handles(_ request: String) throws -> [String] {
            try frame.order("picker items \(request)").filter { $0.hasPrefix("handle: ") }.map {
                String($0.dropFirst(8))
            }
        }

        /// The whole of a picture, fetched in pieces.
        func load(_ handle: String) throws -> [UInt8] {
            var bytes: [UInt8] = []
            while true {
                let size = try frame.values("picker load \(handle) \(bytes.count)")["size"].flatMap { Int($0) } ?? 0
                bytes += frame.chunk
                if bytes.count >= size || frame.chunk.isEmpty { return bytes }
            }
        }
    }

    /// A photo's metadata, with a text that no other one has.
    private static func addMetadata(to path: String) throws {
        let jpeg = try FileBytes.read(path)
        let text = Array("Exif\0\0\(secret)".utf8)
        try FileBytes.write(
            jpeg[..<2] + [0xff, 0xe1] + MadeMedia.bigEndian(text.count + 2, 2) + text + jpeg[2...],
            to: path
        )
    }

    @Test func theClientGetsWhatIsPicked() async throws {
        let stage = try await Stage()
        try Self.addMetadata(to: stage.root + "/2.jpg")
        try stage.update()
        let request = try stage.open("limit 3 prompt \"For the kitchen\"")
        #expect(try stage.owner.values("picking list")["prompt"] == "For the kitchen")
        stage.frame.send("picker wait \(request)\n")
        try stage.pick(request, "3.jpg 2.jpg")
        #expect(stage.frame.reply().contains("state: done"))
        let items = try stage.frame.order("picker items \(request)")
        #expect(items.filter { $0.hasPrefix("name: ") } == ["name: 3.jpg", "name: 2.jpg"])
        #expect(items.filter { $0.hasPrefix("width: ") } == ["width: 120", "width: 120"])
        for handle in try stage.handles(request) {
            let bytes = try stage.load(handle)
            let path = try stage.server.folder.write("loaded.jpg", bytes)
            let probe = ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", path]
            #expect(try ChildProcess.run("ffprobe", probe).outputText == "120,80\n")
            #expect(!String(decoding: bytes, as: UTF8.self).contains(Self.secret))
        }
    }

    @Test func picturesAreGivenAsTheyAreStored() async throws {
        let stage = try await Stage()
        try Self.addMetadata(to: stage.root + "/2.jpg")
        try await Stage.make("red", "120x80", stage.root + "/5.tiff")
        try stage.update()
        let original = try FileBytes.read(stage.root + "/2.jpg")
        #expect(String(decoding: original, as: UTF8.self).contains(Self.secret))
        let request = try stage.open("limit 2 representation current")
        #expect(try stage.owner.values("picking list")["representation"] == "current")
        // What cannot be told apart is given as JPEG.
        try stage.pick(request, "2.jpg 5.tiff")
        let items = try stage.frame.order("picker items \(request)")
        #expect(items.filter { $0.hasPrefix("name: ") } == ["name: 2.jpg", "name: 5.jpg"])
        #expect(items.filter { $0.hasPrefix("type: ") } == ["type: image/jpeg", "type: image/jpeg"])
        #expect(items.filter { $0.hasPrefix("size: ") } == ["size: \(original.count)"])
        #expect(items.filter { $0.hasPrefix("kind: ") } == ["kind: image", "kind: image"])
        let handles = try stage.handles(request)
        let copy = try stage.load(handles[0])
        #expect(copy.count == original.count && !String(decoding: copy, as: UTF8.self).contains(Self.secret))
        // The same but for what is hidden: nothing was encoded again.
        #expect(copy.suffix(100) == original.suffix(100))
        #expect(try stage.load(handles[1]).starts(with: [0xff, 0xd8, 0xff]))
        #expect(stage.frame.ask("picker open representation x").first?.hasPrefix("ACK [2@0]") == true)
    }

    /// The identifiers that a client was told of what it has.
    private static func identifiers(_ items: [String]) -> [String] {
        items.filter { $0.hasPrefix("identifier: ") }.map { String($0.dropFirst(12)) }
    }

    @Test func theClientAsksAgainForWhatItHas() async throws {
        let stage = try await Stage()
        let first = try stage.open("limit 3")
        try stage.pick(first, "1.jpg 2.jpg 3.jpg")
        let known = Self.identifiers(try stage.frame.order("picker items \(first)"))
        #expect(Set(known).count == 3 && known.allSatisfy { $0.utf8.count == 32 })
        try FileManager.default.removeItem(atPath: stage.root + "/1.jpg")
        try stage.update()
        // One is not there any more, and one is nobody's.
        let nobody = String(repeating: "0", count: 32)
        let request = try stage.open("limit 1 preselected \((known + [nobody]).joined(separator: ","))")
        let taken = try stage.owner.values("picking take \(request)")
        #expect(taken["chosen"] == "2" && taken["preselected"] == "4")
        let selection = try stage.owner.order("picking selection \(request)")
        #expect(selection.filter { $0.hasPrefix("file: ") } == ["file: 2.jpg", "file: 3.jpg"])
        let refusal = "ACK [2@0] {picking} the client asks for at most 1 picture"
        #expect(stage.owner.ask("picking finish \(request)") == [refusal])
        try stage.owner.order("picking deselect \(request) 2.jpg")
        // Taken again, it is as it was; at another connection, it begins anew.
        #expect(try stage.owner.values("picking take \(request)")["chosen"] == "1")
        try stage.owner.order("picking release \(request)")
        let other = try stage.server.connect()
        #expect(try other.values("picking take \(request)")["chosen"] == "2")
        try other.order("picking deselect \(request) 2.jpg")
        try other.order("picking finish \(request)")
        #expect(try stage.frame.order("picker items \(request)") == ["kind: image", "identifier: \(known[2])"])
        // Cancelled, the client keeps what it has.
        let third = try stage.open("preselected \(known[1])")
        try stage.owner.order("picking take \(third)")
        try stage.owner.order("picking cancel \(third)")
        #expect(try stage.frame.order("picker items \(third)") == ["kind: unknown", "identifier: \(known[1])"])
    }

    @Test func theClientSeesWhileTheOwnerChooses() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 3 continuous")
        #expect(try stage.frame.order("picker items \(request)") == [])
        func wait(since version: Int, while change: () throws -> Void) throws -> [String] {
            stage.frame.send("picker wait \(request) since \(version)\n")
            try change()
            return stage.frame.reply()
        }
        let taken = try wait(since: 0) { try stage.owner.order("picking take \(request)") }
        #expect(taken.contains("state: choosing") && taken.contains("version: 1") && taken.contains("chosen: 0"))
        let chosen = try wait(since: 1) { try stage.owner.order("picking select \(request) 2.jpg 3.jpg") }
        #expect(chosen.contains("chosen: 2") && chosen.contains("continuous: 1"))
        let handles = try stage.handles(request)
        #expect(handles.count == 2)
        #expect(try stage.load(handles[1]).starts(with: [0xff, 0xd8, 0xff]))
        _ = try wait(since: 2) { try stage.owner.order("picking deselect \(request) 2.jpg") }
        #expect(try stage.handles(request) == [handles[1]])
        #expect(
            stage.frame.ask("picker load \(handles[0]) 0") == ["ACK [50@0] {picker} there is no such handle"]
        )
        // One that knows an old version has its answer at once.
        #expect(try stage.frame.values("picker wait \(request) since 1")["version"] == "3")
        let done = try wait(since: 3) { try stage.owner.order("picking finish \(request)") }
        #expect(done.contains("state: done"))
        #expect(try stage.handles(request) == [handles[1]])
        for wrong in ["picker wait \(request) since", "picker wait \(request) since x", "picker wait \(request) x 1"] {
            #expect(stage.frame.ask(wrong).first?.hasPrefix("ACK [2@0]") == true, "\(wrong)")
        }
    }

    /// The client's program keeps a folder as the owner's choice is.
    @Test func theVerbFollowsTheChoice() async throws {
        let stage = try await Stage()
        let program = try Segued.path().replacing(/segued$/, with: "segue")
        let folder = stage.server.folder.file("frame")
        let asking = try ChildProcess(
            program,
            ["pick", "--limit", "3", "--continuous", "-o", folder],
            environment: ["LANG": "C.UTF-8", "SEGUE_HOST": stage.server.socket]
        )
        func names() -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { !$0.hasPrefix(".") }
                .sorted()
        }
        try wait(for: "the request") { try !stage.owner.order("picking list").isEmpty }
        try stage.owner.order("picking take p1")
        try stage.owner.order("picking select p1 2.jpg 3.jpg")
        try wait(for: "two pictures") { names() == ["2.jpg", "3.jpg"] }
        try stage.owner.order("picking deselect p1 2.jpg")
        try wait(for: "one picture") { names() == ["3.jpg"] }
        try stage.owner.order("picking select p1 1.jpg")
        try stage.owner.order("picking finish p1")
        let result = try await asking.wait()
        #expect(result.status == .code(0) && result.outputText == "\(folder)/3.jpg\n\(folder)/1.jpg\n")
        #expect(names() == ["1.jpg", "3.jpg"])
    }

    @Test func identifiersAreTheClients() async throws {
        let stage = try await Stage()
        let first = try stage.open()
        try stage.pick(first, "1.jpg")
        let known = try #require(Self.identifiers(try stage.frame.order("picker items \(first)")).first)
        let secret = try #require(try stage.owner.values("clients password hall permissions pick")["password"])
        let hall = try stage.server.connect()
        try hall.order("password \(secret)")
        let request = try #require(try hall.values("picker open preselected \(known)")["request"])
        #expect(try stage.owner.values("picking take \(request)")["chosen"] == "0")
        try stage.owner.order("picking select \(request) 1.jpg")
        try stage.owner.order("picking finish \(request)")
        #expect(Self.identifiers(try hall.order("picker items \(request)")) != [known])
        for wrong in ["x", known.uppercased(), known + ",x"] {
            #expect(stage.frame.ask("picker open preselected \(wrong)").first?.hasPrefix("ACK [2@0]") == true)
        }
    }

    /// Every command, verb and event that the client can give or get: none of the names that it may not see, nor how many
    /// there are.
    @Test func theClientLearnsOfNothingElse() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 2 filter \"all(images,not(covers))\"")
        var told: [String] = []
        let words = ["", " \(request)", " \(Self.secret)", " list", " items \(request)", " take \(request)"]
        for name in try stage.owner.order("commands").map({ $0.dropFirst("command: ".count) })
        where !["close", "kill", "password", "json", "idle", "watch", "binarylimit"].contains(name) {
            for words in words { told += stage.frame.ask("\(name)\(words)").filter { !$0.hasPrefix("ACK [4@0] ") } }
        }
        try stage.pick(request, "1.jpg")
        told += stage.frame.ask("picker wait \(request)") + stage.frame.ask("picker list")
        told += stage.frame.ask("picker items \(request)")
        #expect(told.contains("state: done"))
        #expect(told.allSatisfy { !$0.contains(Self.secret) }, "\(told.filter { $0.contains(Self.secret) })")
        #expect(told.filter { $0.contains(".jpg") } == ["name: 1.jpg"])
        // A picture that does not exist is picked as little as one that the client does not ask for.
        let other = try stage.open("filter covers")
        try stage.owner.order("picking take \(other)")
        #expect(
            stage.owner.ask("picking select \(other) 1.jpg").last
                == "ACK [50@0] {picking} there is no picture 1.jpg that the client asks for"
        )
        #expect(
            stage.owner.ask("picking select \(other) 9.jpg").last
                == "ACK [50@0] {picking} there is no picture 9.jpg that the client asks for"
        )
        #expect(try stage.owner.order("picking items \(other)").first == "file: \(Self.secret)/cover.jpg")
    }

    /// A file in the place of the one that was picked is not given, however much it looks like that.
    @Test func aFileThatWasReplacedIsNotGiven() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 4")
        try stage.pick(request, "1.jpg 2.jpg 3.jpg 4.jpg")
        let handles = try stage.handles(request)
        let files = (1...4).map { "\(stage.root)/\($0).jpg" }
        // Renamed over it, with its times and its size.
        try await Stage.make("blue", "120x80", stage.root + "/new.jpg")
        let size = try FileBytes.read(files[0]).count
        var new = try FileBytes.read(stage.root + "/new.jpg")
        new += [UInt8](repeating: 0, count: max(0, size - new.count))
        try FileBytes.write(new, to: stage.root + "/new.jpg")
        try ChildProcess.run("touch", ["-r", files[0], stage.root + "/new.jpg"])
        try ChildProcess.run("mv", [stage.root + "/new.jpg", files[0]])
        // Written to, with its times.
        try ChildProcess.run("cp", ["-p", files[1], stage.root + "/times"])
        try FileBytes.write(try FileBytes.read(stage.root + "/\(Self.secret)/\(Self.secret).jpg"), to: files[1])
        try ChildProcess.run("touch", ["-r", stage.root + "/times", files[1]])
        try ChildProcess.run("rm", [files[2]])
        let answers = handles.map { stage.frame.ask("picker load \($0) 0").last ?? "" }
        #expect(answers[0] == "ACK [50@0] {picker} invalidResource: the file was changed after it was picked")
        #expect(answers[1] == answers[0])
        #expect(answers[2] == "ACK [50@0] {picker} missingResource: the file is not there any more")
        #expect(answers[3] == "OK")
    }

    @Test func handlesAreTheirClientsAlone() async throws {
        let stage = try await Stage()
        let request = try stage.open()
        try stage.pick(request, "1.jpg")
        let handle = try #require(try stage.handles(request).first)
        let other = try stage.server.connect()
        try other.order("password frame")
        let refused = "ACK [50@0] {picker} there is no such handle"
        #expect(other.ask("picker load \(handle) 0") == [refused])
        #expect(stage.owner.ask("picker load \(handle) 0") == [refused])
        for line in ["wait", "items", "withdraw"] {
            #expect(other.ask("picker \(line) \(request)") == ["ACK [50@0] {picker} there is no request \(request)"])
        }
        #expect(try other.order("picker list") == [])
        for guess in [String(repeating: "0", count: 32), String(handle.reversed()), handle + "00", "", "x"] {
            #expect(stage.frame.ask("picker load \"\(guess)\" 0") == [refused], "\(guess)")
        }
        #expect(stage.frame.ask("picker load \(handle) 99999999").last?.hasPrefix("ACK [2@0]") == true)
        try stage.frame.order("picker withdraw \(request)")
        #expect(stage.frame.ask("picker load \(handle) 0") == [refused])
    }

    /// Owners are told when somebody asks, and when that has ended, also by its connection's end.
    @Test func ownersAreTold() async throws {
        let stage = try await Stage()
        let watcher = try stage.server.connect()
        func wait(_ condition: ([String]) -> Bool) throws {
            watcher.send("idle picker\n")
            while !condition(try stage.owner.order("picking list")) {
                #expect(watcher.reply() == ["changed: picker", "OK"])
                watcher.send("idle picker\n")
            }
            watcher.send("noidle\n")
            _ = watcher.reply()
        }
        watcher.send("idle picker\n")
        _ = try stage.open()
        #expect(watcher.reply() == ["changed: picker", "OK"])
        let request = try #require(try stage.owner.values("picking list")["request"])
        let other = try stage.server.connect()
        try other.order("picking take \(request)")
        #expect(
            stage.owner.ask("picking take \(request)").last == "ACK [52@0] {picking} another owner answers this request"
        )
        // Whoever has taken it leaves, and it waits again.
        other.send("close\n")
        try wait { $0.contains("state: waiting") }
        stage.frame.send("close\n")
        try wait { $0.isEmpty }
        #expect(
            stage.owner.ask("picking take \(request)").last == "ACK [50@0] {picking} there is no request \(request)"
        )
    }

    /// A client that has gone is noticed also where the network tells only that it says nothing more.
    @Test func aClientThatSaysNothingMoreAsksNothing() async throws {
        let stage = try await Stage()
        let request = try stage.open()
        stage.frame.send("picker wait \(request)\n")
        stage.frame.endOutput()
        #expect(stage.frame.reply() == ["ACK [50@0] {picker} there is no request \(request)"])
        #expect(try stage.owner.order("picking list") == [])
    }

    /// A picture that comes in many pieces is made once, however large it is.
    @Test func aLargePictureIsMadeOnce() async throws {
        let stage = try await Stage()
        // Noise, which is hardly compressed.
        try await MediaFixtures.ffmpeg([
            "-f", "rawvideo", "-pix_fmt", "rgb24", "-video_size", "2600x1800", "-i", "/dev/urandom", "-frames:v", "1",
            "-q:v", "1", stage.root + "/noise.jpg",
        ])
        try stage.update()
        let request = try stage.open()
        try stage.pick(request, "noise.jpg")
        let handle = try #require(try stage.handles(request).first)
        let size = try #require(try stage.frame.values("picker load \(handle) 0")["size"].flatMap { Int($0) })
        #expect(size > 3_000_000)
        // Whoever makes it again would notice that it is not there any more.
        try ChildProcess.run("rm", [stage.root + "/noise.jpg"])
        for offset in stride(from: 8_192, to: size, by: 8_192) {
            #expect(stage.frame.ask("picker load \(handle) \(offset)").last == "OK", "\(offset)")
        }
    }

    @Test func whatIsNoFileIsNotChosen() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 4")
        try stage.owner.order("picking take \(request)")
        try ChildProcess.run("rm", [stage.root + "/1.jpg", stage.root + "/2.jpg", stage.root + "/3.jpg"])
        try ChildProcess.run("mkfifo", [stage.root + "/1.jpg"])
        try ChildProcess.run("mkdir", [stage.root + "/2.jpg"])
        for name in ["1.jpg", "2.jpg", "3.jpg"] {
            #expect(
                stage.owner.ask("picking select \(request) 4.jpg \(name)")
                    == [
                        "ACK [50@0] {picking} missingResource: \(name) is a part of another file, or is not there any more"
                    ]
            )
        }
        #expect(try stage.owner.order("picking selection \(request)") == [])
    }

    @Test func theVerbAsksAndAnswers() async throws {
        let stage = try await Stage()
        let program = try Segued.path().replacing(/segued$/, with: "segue")
        let folder = stage.server.folder.file("new/frame")
        func segue(_ words: String...) throws -> ChildProcess {
            try ChildProcess(program, words, environment: ["LANG": "C.UTF-8", "SEGUE_HOST": stage.server.socket])
        }
        let asking = try segue("pick", "--limit", "2", "--prompt", "For you", "-o", folder + "/")
        try wait(for: "the request") { try !stage.owner.order("picking list").isEmpty }
        let list = try await segue("pick", "--list", "--json").wait().outputText
        #expect(
            list.contains(
                #""prompt":"For you","kind":"pictures","purpose":"once","representation":"compatible","limit":2,"chosen":0,"ordered":false"#
            )
        )
        let tooMany = try await segue("pick", "--for", "p1", "1.jpg", "2.jpg", "3.jpg").wait()
        #expect(tooMany.status == .code(1) && tooMany.errorText.contains("the client asks for at most 2 pictures"))
        // The connection has ended: the request waits again, with nothing chosen.
        try wait(for: "an open request") { try stage.owner.order("picking list").contains("state: waiting") }
        #expect(try await segue("pick", "--for", "p1", "2.jpg", "1.jpg").wait().status == .code(0))
        let result = try await asking.wait()
        #expect(result.status == .code(0) && result.outputText == "\(folder)/2.jpg\n\(folder)/1.jpg\n")
        #expect(try FileBytes.read(folder + "/1.jpg").starts(with: [0xff, 0xd8, 0xff]))
        // None of these is overwritten.
        let again = try segue("pick", "-o", folder, "--print0")
        try wait(for: "the request") { try !stage.owner.order("picking list").isEmpty }
        #expect(try await segue("pick", "--for", "p2", "1.jpg").wait().status == .code(0))
        #expect(try await again.wait().outputText == "\(folder)/1-2.jpg\0")
        for (words, text) in [
            (["pick"], "name a folder for the pictures"), (["pick", "--for", "p9", "1.jpg"], "there is no request p9"),
            (["pick", "--for", "p1"], "there is no terminal to choose in"),
            (["pick", "-o", program], "Not a directory"),
            (["pick", "--filter", "cats", "-o", folder], "'cats' is no kind of pictures"),
        ] {
            let failed = try await ChildProcess(
                program,
                words,
                environment: ["LANG": "C.UTF-8", "SEGUE_HOST": stage.server.socket]
            ).wait()
            #expect(failed.status != .code(0) && failed.errorText.contains(text), "\(words): \(failed.errorText)")
        }
    }

    @Test(.enabled("tmux is missing") { Tools.missingForTmux.isEmpty })
    func picturesAreChosenFromAList() async throws {
        let stage = try await Stage()
        let program = try Segued.path().replacing(/segued$/, with: "segue")
        let request = try stage.open("limit 3 prompt \"For the kitchen\"")
        let command =
            "env -u TMUX TERM=xterm-256color SEGUE_HOST=\(stage.server.socket) \(program) pick --lines --for \(request)"
        let screen = try await TmuxScreen(stage.server.folder, command)
        func type(_ line: String) async throws {
            for key in line { try await screen.type(key == " " ? "Space" : String(key)) }
            try await screen.type("Enter")
        }
        try await screen.wait(for: "asks for up to 3 pictures. It will see only what you choose.")
        try await screen.wait(for: "“For the kitchen”")
        try await screen.wait(for: "5  \(Self.secret)/\(Self.secret).jpg")
        try await screen.wait(for: "0 of 3 chosen; a number, d for done, q or ?:")
        try await type("1-2 9")
        try await screen.wait(for: "there is no number 9 on this page, but 1 to 5")
        try await type("2-4")
        try await screen.wait(for: "3 of 3 chosen")
        try await type("1")
        try await screen.wait(for: "the client asks for at most 3 pictures")
        try await type("-3")
        try await screen.wait(for: "2 of 3 chosen")
        try await type("/\(Self.secret)")
        try await screen.wait(for: "1  \(Self.secret)/\(Self.secret).jpg")
        try await type("1")
        try await screen.wait(for: "*3  1  \(Self.secret)")
        try await type("d")
        try await screen.waitForEnd()
        let names = try stage.frame.order("picker items \(request)").filter { $0.hasPrefix("name: ") }
        #expect(names == ["name: 2.jpg", "name: 4.jpg", "name: \(Self.secret).jpg"])
    }

    /// The screen is on the terminal, and what was chosen goes where the output goes.
    @Test(.enabled("tmux is missing") { Tools.missingForTmux.isEmpty })
    func theOutputIsWhatWasChosen() async throws {
        let stage = try await Stage()
        let program = try Segued.path().replacing(/segued$/, with: "segue")
        let file = stage.server.folder.file("chosen")
        let command = "env -u TMUX TERM=xterm-256color SEGUE_HOST=\(stage.server.socket) \(program) pick >\(file)"
        let screen = try await TmuxScreen(stage.server.folder, command)
        try await screen.wait(for: "Choose 1 picture.")
        try await screen.wait(for: "1 of 5. Space or Enter chooses, q ends, ? helps")
        try await screen.type("Right")
        try await screen.type("Enter")
        try await screen.waitForEnd()
        #expect(String(decoding: try FileBytes.read(file), as: UTF8.self) == "2.jpg\n")
    }
}
