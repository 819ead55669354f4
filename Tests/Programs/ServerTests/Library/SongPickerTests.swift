import Foundation
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// Songs that the owner picks, for clients to load or for their limited libraries.
@Suite(.blocking)
struct SongPickerTests {
    private typealias It = LimitedServer

    /// A server with 500 songs, of which a client at an address sees 37 and may ask for more.
    private struct Stage {
        let it: LimitedServer
        let guest: LineClient
        var owner: LineClient { it.owner }

        init(limited: Bool = true) async throws {
            it = try await It(songs: 500)
            if limited { try it.limit() }
            guest = try LineClient(it.address)
        }

        func open(_ words: String = "", by client: LineClient? = nil) throws -> String {
            try #require(try (client ?? guest).values("picker open kind songs \(words)")["request"])
        }

        func pick(_ request: String, _ uris: String...) throws {
            let words = uris.map { "\"\($0)\"" }.joined(separator: " ")
            for line in ["take \(request)", "select \(request) \(words)", "finish \(request)"] {
                try owner.order("picking \(line)")
            }
        }

        func files(_ line: String, by client: LineClient? = nil) throws -> [String] {
            try (client ?? owner).order(line).filter { $0.hasPrefix("file: ") }.map { String($0.dropFirst(6)) }
        }

        /// A connection of the guest's.
        func watch() throws -> Watcher {
            try JSONClient(LineClient(it.address)).watch(#"{"topics":["requests","library"]}"#)
        }

        func handles(_ request: String) throws -> [String] {
            try guest.order("picker items \(request)").filter { $0.hasPrefix("handle: ") }.map {
                String($0.dropFirst(8))
            }
        }
    }

    @Test("What the owner picks belongs to the guest's library from then on, and nothing else does")
    func theLibraryIsExtended() async throws {
        let stage = try await Stage()
        let idle = try LineClient(stage.it.address)
        idle.send("idle database\n")
        let request = try stage.open("purpose extend limit 3 prompt \"To dance\"")
        let asked = try stage.owner.values("picking list")
        #expect(asked["kind"] == "songs" && asked["purpose"] == "extend" && asked["from"] == It.guest)
        stage.guest.send("picker wait \(request)\n")
        try stage.pick(request, "Mixed/qzx 40.flac", "Mixed/qzx 50.flac")
        #expect(idle.reply() == ["changed: database", "OK"])
        #expect(stage.guest.reply().contains("state: done"))
        let picked = ["Mixed/qzx 40.flac", "Mixed/qzx 50.flac"]
        let items = try stage.guest.order("picker items \(request)")
        #expect(items.filter { $0.hasPrefix("file: ") } == picked.map { "file: \($0)" })
        #expect(items.contains("Title: qzx title 40") && !items.contains { $0.hasPrefix("handle: ") })
        #expect(try stage.files("find \"(title starts_with 'qzx')\"", by: stage.guest) == picked)
        #expect(try stage.guest.values("stats")["songs"] == "39")
        try stage.guest.order("add \"\(picked[0])\"")
        #expect(stage.guest.ask("add \"Mixed/qzx 41.flac\"") == ["ACK [50@0] {add} No such directory"])
        // They are found wherever they are moved to, as items of a grant are.
        try FileManager.default.moveItem(
            atPath: stage.it.folder.file("music/Mixed/qzx 40.flac"),
            toPath: stage.it.folder.file("music/qzx/moved.flac")
        )
        try stage.owner.order("update")
        try It.waitForScan(stage.owner)
        #expect(try stage.files("find \"(title == 'qzx title 40')\"", by: stage.guest) == ["qzx/moved.flac"])
    }

    @Test("A song of which there are copies is added without these")
    func aCopyIsNotAdded() async throws {
        let stage = try await Stage()
        let copy = "music/qzx/copy.flac"
        try FileManager.default.copyItem(
            atPath: stage.it.folder.file("music/Mixed/qzx 60.flac"),
            toPath: stage.it.folder.file(copy)
        )
        try stage.owner.order("update")
        try It.waitForScan(stage.owner)
        try stage.pick(stage.open("purpose extend"), "Mixed/qzx 60.flac")
        #expect(try stage.files("find \"(title == 'qzx title 60')\"", by: stage.guest) == ["Mixed/qzx 60.flac"])
    }

    @Test("What is not the song any more that was chosen is not added, and not given")
    func anotherSongInItsPlace() async throws {
        let stage = try await Stage()
        func place(_ name: String) -> String { stage.it.folder.file("music/Mixed/\(name).flac") }
        let request = try stage.open("purpose extend limit 3")
        try stage.owner.order("picking take \(request)")
        try stage.owner.order("picking select \(request) \"Mixed/qzx 51.flac\" \"Mixed/qzx 53.flac\"")
        try ChildProcess.run("mv", [place("qzx 52"), place("qzx 51")])
        try stage.owner.order("update")
        try It.waitForScan(stage.owner)
        let refused = "ACK [50@0] {picking} invalidResource: Mixed/qzx 51.flac is not what the library knew any more"
        #expect(stage.owner.ask("picking finish \(request)") == [refused])
        #expect(try stage.guest.values("stats")["songs"] == "37")
        try stage.owner.order("picking deselect \(request) \"Mixed/qzx 51.flac\"")
        // One that was moved is followed.
        try ChildProcess.run("mv", [place("qzx 53"), place("qzx moved")])
        try stage.owner.order("update")
        try It.waitForScan(stage.owner)
        try stage.owner.order("picking finish \(request)")
        #expect(try stage.files("find \"(title starts_with 'qzx')\"", by: stage.guest) == ["Mixed/qzx moved.flac"])
        // A file that the library does not know yet, such as one that a link leads to.
        let other = try stage.open()
        try stage.owner.order("picking take \(other)")
        try ChildProcess.run("touch", ["-d", "2001-01-01", stage.it.folder.file("secret")])
        try ChildProcess.run("ln", ["-sf", stage.it.folder.file("secret"), place("qzx 54")])
        #expect(
            stage.owner.ask("picking select \(other) \"Mixed/qzx 54.flac\"")
                == ["ACK [50@0] {picking} invalidResource: Mixed/qzx 54.flac is not what the library knew any more"]
        )
    }

    @Test("A client that may not ask any more has no requests, and nothing of what was picked")
    func rightsEnd() async throws {
        let stage = try await Stage()
        let (open, done) = (try stage.open(), try stage.open())
        try stage.pick(done, "Mixed/qzx 41.flac")
        let handle = try #require(try stage.handles(done).first)
        stage.guest.send("picker wait \(open)\n")
        try stage.owner.order("clients revoke \(It.guest)")
        #expect(stage.guest.reply().last?.hasPrefix("ACK [4@0] {picker}") == true)
        #expect(try stage.owner.order("picking list") == [])
        try stage.owner.order("clients set \(It.guest) permissions read,pick")
        #expect(stage.guest.ask("picker load \(handle) 0") == ["ACK [50@0] {picker} there is no such handle"])
        #expect(try stage.guest.order("picker list") == [])
    }

    @Test("A library is extended for the client that has asked, and for no other one at its connection")
    func theClientIsTheSame() async throws {
        let stage = try await Stage()
        let password = try #require(try stage.owner.values("clients password guest permissions read")["password"])
        let request = try stage.open("purpose extend")
        try stage.guest.order("password \(password)")
        for line in ["take \(request)", "select \(request) \"Mixed/qzx 41.flac\""] {
            try stage.owner.order("picking \(line)")
        }
        #expect(
            stage.owner.ask("picking finish \(request)")
                == ["ACK [52@0] {picking} the client that has asked is known by another name now"]
        )
        #expect(try !stage.owner.order("clients show \(It.guest)").contains { $0.hasPrefix("folder: Mixed/qzx") })
    }

    @Test("A lasting request is the guest's, at all of its connections, and of nobody else")
    func aLastingRequestOutlivesItsConnection() async throws {
        let stage = try await Stage()
        let asking = try LineClient(stage.it.address)
        let request = try stage.open("purpose extend lasting limit 2", by: asking)
        #expect(try asking.values("picker list")["lasting"] == "1")
        asking.endOutput()
        #expect(asking.line() == "<closed>")
        // Another one's, by its name at the same address.
        let other = try LineClient(stage.it.address)
        let password = try #require(try stage.owner.values("clients password guest permissions read")["password"])
        try other.order("password \(password)")
        #expect(try other.order("picker list") == [])
        #expect(other.ask("picker withdraw \(request)") == ["ACK [50@0] {picker} there is no request \(request)"])
        // One that waits and is gone keeps no connection, also where its end has come before its wait.
        for line in ["picker wait \(request)", "stats\npicker wait \(request)"] {
            let gone = try LineClient(stage.it.address)
            gone.send(line + "\n")
            gone.endOutput()
            while true {
                let reply = gone.line()
                if reply == "<closed>" { break }
                try #require(reply != "<silence>")
            }
        }
        try stage.pick(request, "Mixed/qzx 40.flac")
        #expect(try stage.guest.values("picker list")["state"] == "done")
        #expect(try stage.files("picker items \(request)", by: stage.guest) == ["Mixed/qzx 40.flac"])
        #expect(try stage.guest.values("stats")["songs"] == "38")
        try stage.guest.order("picker withdraw \(request)")
        #expect(try stage.guest.order("picker list") == [])
        // It ends with the right to ask, without any connection.
        let next = try LineClient(stage.it.address)
        _ = try stage.open("purpose extend lasting", by: next)
        next.endOutput()
        #expect(next.line() == "<closed>")
        #expect(try stage.owner.values("picking list")["state"] == "waiting")
        try stage.owner.order("clients revoke \(It.guest)")
        #expect(try stage.owner.order("picking list") == [])
    }

    @Test("Each connection is told of its own requests, and a guest that its library is a part of another one")
    func requestsAreWatched() async throws {
        let stage = try await Stage()
        let (watcher, other) = (try stage.watch(), try stage.watch())
        let revision = watcher.values["library"]?["revision"]
        #expect(watcher.values["requests"] == .array([]) && watcher.values["library"]?["limited"] == .bool(true))
        let request = try watcher.call("picker.open", #"{"kind":"songs"}"#)["request"]
        try watcher.wait(for: "its request") { watcher.values["requests"]?.elements.first?["request"] == request }
        try stage.pick(try #require(request?.string), "Open/song 1.flac")
        try watcher.wait(for: "its end") {
            watcher.values["requests"]?.elements.first?["state"] == .string("done")
        }
        try other.catchUp()
        #expect(other.values["requests"] == .array([]))
        // One that is lasting is told to all of the client's.
        let more = try watcher.call("picker.open", #"{"kind":"songs","purpose":"extend","lasting":true}"#)
        try other.wait(for: "the client's request") {
            other.values["requests"]?.elements.first?["lasting"] == .bool(true)
        }
        // A page that shows songs asks for them anew when the guest sees others.
        #expect(watcher.values["library"]?["revision"] == revision)
        try stage.pick(try #require(more["request"]?.string), "Mixed/qzx 40.flac")
        try watcher.wait(for: "another library") { watcher.values["library"]?["revision"] != revision }
        try stage.owner.order("clients set \(It.guest) library all")
        try watcher.wait(for: "the whole library") { watcher.values["library"]?["limited"] == .bool(false) }
    }

    @Test("Whatever is in a picked song's place, the client is not told where that was")
    func errorsHaveNoPath() async throws {
        let stage = try await Stage()
        let request = try stage.open()
        try stage.pick(request, "Mixed/qzx 41.flac")
        let handle = try #require(try stage.handles(request).first)
        let path = stage.it.folder.file("music/Mixed/qzx 41.flac")
        for command in [["ln", "-s", path, path], ["mkfifo", path], ["mkdir", path]] {
            try ChildProcess.run("rm", ["-rf", path])
            try ChildProcess.run(command[0], Array(command.dropFirst()))
            let answer = stage.guest.ask("picker load \(handle) 0").last ?? ""
            #expect(answer.hasPrefix("ACK [50@0] {picker} invalidResource: "), "\(command): \(answer)")
            #expect(!answer.contains("qzx"), "\(command): \(answer)")
        }
    }

    @Test("Whoever sees all songs cannot ask for more of them, and a library has its limits")
    func whoCanBeExtended() async throws {
        let stage = try await Stage()
        #expect(
            stage.owner.ask("picker open kind songs purpose extend")
                == ["ACK [2@0] {picker} this client's library is not limited"]
        )
        #expect(
            stage.guest.ask("picker open purpose extend")
                == ["ACK [2@0] {picker} a limited library is extended by songs only"]
        )
        // As many parts as there can be, but for one.
        for part in 0..<195 { try stage.owner.order("clients set \(It.guest) folder none/\(part)") }
        let request = try stage.open("purpose extend limit 3")
        try stage.owner.order("picking take \(request)")
        try stage.owner.order("picking select \(request) \"Mixed/qzx 40.flac\" \"Mixed/qzx 41.flac\"")
        let full = stage.owner.ask("picking finish \(request)").last ?? ""
        #expect(full.contains("the client's library has no room for more: at most 200 parts"), "\(full)")
        #expect(try stage.guest.values("stats")["songs"] == "37")
        // The owner goes on choosing.
        try stage.owner.order("picking deselect \(request) \"Mixed/qzx 40.flac\"")
        // A library that is not limited any more needs no extension.
        try stage.owner.order("clients set \(It.guest) library all")
        try stage.owner.order("picking finish \(request)")
        #expect(try stage.guest.values("stats")["songs"] == "500")
    }

    @Test("A picked song is loaded as it is in the library, by this client and as long as it is the same file")
    func songsAreLoaded() async throws {
        let stage = try await Stage()
        let request = try stage.open("limit 3 filter \"(genre == 'qzx')\"")
        try stage.pick(request, "Mixed/qzx 41.flac", "Mixed/qzx 42.flac", "Mixed/qzx 43.flac")
        let items = try stage.guest.order("picker items \(request)")
        let bytes = try FileBytes.read(stage.it.folder.file("music/Mixed/qzx 41.flac"))
        #expect(items.filter { $0.hasPrefix("name: ") } == (41...43).map { "name: qzx \($0).flac" })
        #expect(items.first == "kind: song" && items.contains("size: \(bytes.count)"))
        #expect(items.contains("Artist: qzx artist 41") && !items.contains { $0.hasPrefix("file: ") })
        let handles = try stage.handles(request)
        try stage.guest.order("binarylimit 100")
        var loaded: [UInt8] = []
        while loaded.count < bytes.count {
            #expect(try stage.guest.values("picker load \(handles[0]) \(loaded.count)")["size"] == "\(bytes.count)")
            guard !stage.guest.chunk.isEmpty else { break }
            loaded += stage.guest.chunk
        }
        #expect(loaded == bytes)
        #expect(try stage.guest.values("picker load \(handles[0]) \(bytes.count)")["binary"] == "0")
        #expect(stage.guest.ask("picker load \(handles[0]) \(bytes.count + 1)").last?.hasPrefix("ACK [2@0]") == true)
        // Being loaded does not add it to the client's library.
        #expect(try stage.guest.values("stats")["songs"] == "37")
        #expect(
            try LineClient(stage.it.address).ask("picker load \(handles[0]) 0").last?.hasPrefix("ACK [50@0]") == true
        )
        let files = (42...43).map { stage.it.folder.file("music/Mixed/qzx \($0).flac") }
        try FileBytes.write(bytes, to: files[0])
        try FileManager.default.removeItem(atPath: files[1])
        #expect(
            stage.guest.ask("picker load \(handles[1]) 0")
                == ["ACK [50@0] {picker} invalidResource: the file was changed after it was picked"]
        )
        #expect(
            stage.guest.ask("picker load \(handles[2]) 0")
                == ["ACK [50@0] {picker} missingResource: the file is not there any more"]
        )
    }

    @Test("The owner is shown the songs that the client asks for, by words, folders and pages")
    func songsAreListed() async throws {
        let stage = try await Stage()
        let all = try stage.open("limit 0")
        #expect(try stage.files("picking items \(all)").count == 500)
        #expect(try stage.files("picking items \(all) Mixed/ window 0:2").count == 2)
        #expect(try stage.files("picking items \(all) Open").count == 30)
        #expect(try stage.files("picking items \(all) \"(title == 'Open 7')\"") == ["Open/song 7.flac"])
        #expect(stage.owner.ask("picking items \(all) None").last == "ACK [50@0] {picking} No such directory")
        #expect(stage.owner.ask("picking items \(all) \"(title\"").last?.hasPrefix("ACK [2@0]") == true)
        let some = try stage.open("limit 2 filter \"(genre == 'Open')\"")
        #expect(try stage.files("picking items \(some)") == (30...33).map { "Mixed/shown \($0).flac" })
        #expect(try stage.files("picking items \(some) \"(title contains '31')\"") == ["Mixed/shown 31.flac"])
        try stage.owner.order("picking take \(some)")
        for uri in ["Open/song 1.flac", "Mixed/none.flac", "Mixed"] {
            #expect(
                stage.owner.ask("picking select \(some) \"\(uri)\"")
                    == ["ACK [50@0] {picking} there is no song \(uri) that the client asks for"]
            )
        }
        try stage.owner.order("picking select \(some) \"Mixed/shown 32.flac\"")
        let listed = try stage.owner.order("picking items \(some) window 2:3")
        #expect(listed.contains("kind: song") && listed.contains("Title: Shown 32") && listed.contains("selected: 0"))
        #expect(try stage.owner.order("picking selection \(some)").contains("Title: Shown 32"))
        #expect(
            stage.owner.ask("picking select \(some) \"Mixed/shown 30.flac\" \"Mixed/shown 31.flac\"").last
                == "ACK [2@0] {picking} the client asks for at most 2 songs"
        )
    }

    @Test("What is wrong with a request for songs is said")
    func wrongRequests() async throws {
        let stage = try await Stage()
        let long = "(title == '" + String(repeating: "x", count: 1_024) + "')"
        for (words, text) in [
            ("kind films", "'films' is no kind of what can be picked: pictures, videos, media, songs"),
            ("kind", "'kind' needs a value"),
            ("purpose never", "'never' is no purpose: once, extend"),
            ("kind songs filter title", "A filter of songs begins with a parenthesis"),
            ("kind songs filter \"(title\"", "'==' or '!=' expected"),
            ("kind songs filter \"\(long)\"", "A filter has at most 1024 bytes"),
            ("filter \"(title == 'x')\"", "the filter is wrong at character 1"),
        ] {
            let answer = stage.guest.ask("picker open \(words)").last ?? ""
            #expect(answer.hasPrefix("ACK [2@0] {picker} ") && answer.contains(text), "\(words): \(answer)")
        }
    }

    @Test("Songs are asked for and chosen at the command line")
    func theVerb() async throws {
        let stage = try await Stage()
        let program = try Segued.path().replacing(/segued$/, with: "segue")
        let folder = stage.it.folder.file("picked")
        func segue(_ server: String, _ words: String...) throws -> ChildProcess {
            try ChildProcess(program, words, environment: ["LANG": "C.UTF-8", "SEGUE_HOST": server])
        }
        func owner(_ words: String...) async throws -> ChildProcess.Result {
            try await ChildProcess(
                program,
                words,
                environment: ["LANG": "C.UTF-8", "SEGUE_HOST": stage.it.server.socket]
            ).wait()
        }
        guard case .ipv4(let port) = stage.it.address else { return }
        let address = "127.0.0.1:\(port)"
        let asking = try segue(address, "pick", "--songs", "--limit", "2", "-o", folder)
        try wait(for: "the request") { try !stage.owner.order("picking list").isEmpty }
        let list = try await owner("pick", "--list").outputText
        #expect(list.contains("up to 2 songs"))
        #expect(try await owner("pick", "--for", "p1", "Mixed/qzx 44.flac").status == .code(0))
        let result = try await asking.wait()
        #expect(result.status == .code(0) && result.outputText == "\(folder)/qzx 44.flac\n", "\(result.errorText)")
        let original = try FileBytes.read(stage.it.folder.file("music/Mixed/qzx 44.flac"))
        #expect(try FileBytes.read(folder + "/qzx 44.flac") == original)
        let more = try segue(address, "pick", "--extend", "--limit", "3")
        try wait(for: "the request") { try !stage.owner.order("picking list").isEmpty }
        #expect(try await owner("pick", "--for", "p2", "Mixed/qzx 45.flac").status == .code(0))
        #expect(try await more.wait().outputText == "Mixed/qzx 45.flac\n")
        let refused = try await owner("pick", "--extend")
        #expect(refused.status == .code(1) && refused.errorText.contains("this client's library is not limited"))
    }

    @Test(
        "Songs are chosen from a list by the words in their tags",
        .enabled("tmux is missing") { Tools.missingForTmux.isEmpty }
    )
    func songsAreChosenFromAList() async throws {
        let stage = try await Stage()
        let program = try Segued.path().replacing(/segued$/, with: "segue")
        let request = try stage.open("purpose extend limit 3")
        let command =
            "env -u TMUX TERM=xterm-256color SEGUE_HOST=\(stage.it.server.socket) \(program) pick --lines --for \(request)"
        let screen = try await TmuxScreen(stage.it.folder, command)
        func type(_ line: String) async throws {
            for key in line { try await screen.type(key == " " ? "Space" : String(key)) }
            try await screen.type("Enter")
        }
        try await screen.wait(for: "asks for up to 3 songs for its library.")
        try await screen.wait(for: "0 of 3 chosen; a number, d for done, Enter for more, q or ?:")
        try await type("/TITLE artist 47")
        try await screen.wait(for: "1  qzx artist 47 - qzx title 47")
        try await type("1")
        try await screen.wait(for: "1 of 3 chosen")
        try await type("d")
        try await screen.waitForEnd()
        #expect(try stage.files("picker items \(request)", by: stage.guest) == ["Mixed/qzx 47.flac"])
    }
}
