import Foundation
import TestSupport
import TestThreads
import Testing

/// The library follows the files: with commands, by itself, and over its own end.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct LibraryTests {
    /// A folder of music of a test's own.
    private func copiedMusic(in folder: TemporaryFolder) async throws -> String {
        let source = try await Music.folder()
        let copy = folder.file("mine")
        try FileManager.default.copyItem(atPath: source, toPath: copy)
        return copy
    }

    private func files(_ client: LineClient, _ command: String) -> [String] {
        client.ask(command).filter { $0.hasPrefix("file: ") }.map { String($0.dropFirst(6)) }
    }

    private func update(_ client: LineClient, _ command: String = "update") throws {
        let reply = client.ask(command)
        #expect(reply.first?.hasPrefix("updating_db: ") == true, "\(reply)")
        while try client.values("status")["updating_db"] != nil { try client.order("idle update") }
    }

    @Test func updatesFollowChangesMovesAndDeletions() async throws {
        let folder = try TemporaryFolder()
        let music = try await copiedMusic(in: folder)
        let server = try await Segued.start(in: folder, music: music)
        let client = try server.connect()
        let other = try server.connect()
        #expect(try client.values("stats")["songs"] == "6")
        try client.order("sticker set song two.flac rating 5")
        try client.order("add two.flac")

        try FileManager.default.moveItem(atPath: music + "/two.flac", toPath: music + "/Blue/zwei.flac")
        try FileManager.default.removeItem(atPath: music + "/one.flac")
        try ChildProcess.run(
            "metaflac",
            ["--remove-tag=title", "--set-tag=title=Changed", music + "/Blue/01 So What.flac"]
        )
        #expect(files(client, "find title Two") == ["two.flac"], "no client has asked for an update")
        other.send("idle database\n")
        try update(client)
        #expect(other.line() == "changed: database")
        #expect(files(client, "find title Two") == ["Blue/zwei.flac"])
        #expect(files(client, "find title One").isEmpty)
        #expect(files(client, "find title Changed") == ["Blue/01 So What.flac"])
        #expect(files(client, "listall").contains("one.flac") == false)
        #expect(client.ask("sticker get song Blue/zwei.flac rating") == ["sticker: rating=5", "OK"])
        #expect(files(client, "playlistinfo") == ["Blue/zwei.flac"])
        #expect(try client.values("stats")["songs"] == "5")
    }

    /// The stickers of what is gone wait for its return; windows are of what is there.
    @Test func onlyWhatIsThereIsFoundByItsSticker() async throws {
        let own = try await OwnMusic()
        let server = try await Segued.start(in: own.folder, music: own.path)
        let client = try server.connect()
        let radio = "http://radio/r"
        for (uri, value) in [("one.flac", 1), ("two.flac", 2), ("Blue/01 So What.flac", 3), (radio, 4)] {
            try client.order("sticker set song \"\(uri)\" r \(value)")
        }
        #expect(own.uris(client, "sticker find song \"\" r sort value").count == 4)
        try own.move("one.flac", to: "../one.flac")
        try own.files.copyItem(atPath: own.path + "/two.flac", toPath: own.path + "/new.flac")
        try own.update(client)
        #expect(client.ask("sticker get song one.flac r") == ["ACK [50@0] {sticker} No such song"])
        let there = ["two.flac", "Blue/01 So What.flac", radio]
        #expect(own.uris(client, "sticker find song \"\" r sort value") == there)
        #expect(own.uris(client, "sticker find song \"\" r sort value window 0:2") == Array(there[..<2]))
        #expect(own.uris(client, "sticker find song \"\" r < 3 sort value window 1:9") == [])
        #expect(own.uris(client, "sticker find song Blue r") == ["Blue/01 So What.flac"])
        // What the library does not know yet.
        try own.files.copyItem(atPath: own.path + "/two.flac", toPath: own.path + "/unseen.flac")
        try client.order("sticker set song unseen.flac r 5")
        #expect(own.uris(client, "sticker find song \"\" r sort -value window 0:1") == ["unseen.flac"])
        try own.move("../one.flac", to: "one.flac")
        try own.update(client)
        #expect(own.uris(client, "sticker find song \"\" r sort value").first == "one.flac")
    }

    @Test func noticesChangesByItself() async throws {
        let folder = try TemporaryFolder()
        let music = try await copiedMusic(in: folder)
        let server = try await Segued.start(.mpdConf("auto_update \"yes\""), in: folder, music: music)
        let client = try server.connect()
        _ = try folder.makeFolder("mine/new")
        try FileManager.default.copyItem(atPath: music + "/two.flac", toPath: music + "/new/again.flac")
        while files(client, "find title Two").count < 2 { try client.order("idle database") }
        try FileManager.default.removeItem(atPath: music + "/two.flac")
        while files(client, "find title Two") != ["new/again.flac"] { try client.order("idle database") }
    }

    @Test func listsProblemsAndDuplicates() async throws {
        let folder = try TemporaryFolder()
        let music = try await copiedMusic(in: folder)
        try folder.write("mine/empty.flac", "")
        try folder.write("mine/noise.mp3", "this is no music")
        try FileManager.default.copyItem(atPath: music + "/two.flac", toPath: music + "/copy.flac")
        let server = try await Segued.start(in: folder, music: music)
        let client = try server.connect()
        let problems = client.ask("library problems")
        #expect(problems.contains("file: empty.flac"))
        #expect(problems.contains("problem: is empty"))
        #expect(problems.contains("file: noise.mp3"))
        #expect(files(client, "library duplicates") == ["copy.flac", "two.flac"])
        #expect(files(client, "find title Two") == ["copy.flac", "two.flac"])
    }

    @Test func goesOnAfterBeingKilled() async throws {
        let folder = try TemporaryFolder()
        let music = try await copiedMusic(in: folder)
        let count = 1_000
        let wave = try Data(contentsOf: URL(filePath: music + "/other/untagged.wav")).prefix(4_096)
        for index in 0..<count {
            if index % 20 == 0 { _ = try folder.makeFolder("mine/many\(index / 20)") }
            try wave.write(to: URL(filePath: "\(music)/many\(index / 20)/\(index).wav"))
        }
        for _ in 0..<4 {
            let server = try await Segued.start(in: folder, music: music, waitsForLibrary: false)
            let client = try server.connect()
            let target = Int.random(in: 0..<count)
            // Killed wherever it is: before, in and after the scan.
            while client.ask("library status").contains(where: { $0.hasPrefix("updating_db") }) {
                let files = try client.values("library status")["files"].flatMap { Int($0) } ?? 0
                if files >= target { break }
            }
            server.process.kill(SIGKILL)
            _ = try await server.process.wait()
        }
        let server = try await Segued.start(in: folder, music: music)
        let client = try server.connect()
        #expect(try client.values("stats")["songs"] == "\(count + 6)")
        #expect(files(client, "listall").count == count + 6)
        #expect(!server.process.errorText.contains("damaged"), "\(server.process.errorText)")
    }

    @Test func aDamagedDatabaseIsMadeAnew() async throws {
        let folder = try TemporaryFolder()
        let first = try await Segued.start(in: folder)
        try await first.stop()
        let database = first.stateFolder + "/library.db"
        let handle = try FileHandle(forWritingTo: URL(filePath: database))
        try handle.write(contentsOf: Data(repeating: 0x5a, count: 8_192))
        try handle.close()
        let second = try await Segued.start(in: folder)
        let client = try second.connect()
        #expect(files(client, "find title Two") == ["two.flac"])
        #expect(FileManager.default.fileExists(atPath: database + ".damaged-1"))
        #expect(second.process.errorText.contains("damaged"))
    }

    @Test func aClientThatDoesNotReadHoldsNobodyUp() async throws {
        let folder = try TemporaryFolder()
        let server = try await Segued.start(in: folder)
        let slow = try server.connect()
        let client = try server.connect()
        let count = 2_000
        slow.send(String(repeating: "listallinfo\n", count: count))
        for _ in 0..<20 { #expect(client.ask("ping") == ["OK"]) }
        #expect(files(client, "find title Two") == ["two.flac"])
        for _ in 0..<count {
            var songs = 0
            while true {
                let line = slow.line()
                if line == "OK" { break }
                try #require(!line.isEmpty && !line.hasPrefix("ACK"))
                if line.hasPrefix("file: ") { songs += 1 }
            }
            #expect(songs == 6)
        }
    }

    @Test func scansCanBeHeld() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        try client.order("library pause")
        let job = try #require(client.ask("update").first)
        #expect(client.ask("status").contains(job))
        #expect(try client.values("library status")["paused"] == "1")
        try client.order("library resume")
        try await server.waitForUpdates()
        #expect(try client.values("library status")["complete"] == "1")
        #expect(
            client.ask("library x") == [
                "ACK [2@0] {library} library status|problems|duplicates|loudness URI|media|pause|resume"
            ]
        )
    }

    @Test func aScanThatIsStoppedIsNotSaidToHaveEnded() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        try client.order("library pause")
        try client.order("rescan")
        try wait(for: "the scan") { try client.values("library status")["percent"] != nil }
        try await server.stop()
        let text = server.process.errorText
        #expect(text.contains("the library's update was aborted"), "\(text)")
        #expect(text.components(separatedBy: "updated the library").count == 2, "the first one alone: \(text)")
    }

    /// A pattern that takes long is refused, and others are answered meanwhile.
    @Test func slowPatternsHoldNobodyUp() async throws {
        let folder = try TemporaryFolder()
        let music = try await copiedMusic(in: folder)
        let title = String(repeating: "a", count: 60) + "!"
        try ChildProcess.run("metaflac", ["--set-tag=title=\(title)", music + "/one.flac"])
        let server = try await Segued.start(in: folder, music: music)
        let slow = try (0..<8).map { _ in try server.connect() }
        let client = try server.connect()
        for command in ["find", "search", "count", "list title", "findadd"] {
            for other in slow { other.send("\(command) \"(title =~ '(a+)+$')\"\n") }
            for _ in 0..<20 { #expect(files(client, "find title Two") == ["two.flac"]) }
            let name = command.prefix { $0 != " " }
            for other in slow { #expect(other.reply() == ["ACK [2@0] {\(name)} Error in regex: it takes too long"]) }
        }
        try client.order("add one.flac")
        let reply = client.ask("playlistfind \"(title =~ '(a+)+$')\"")
        #expect(reply == ["ACK [2@0] {playlistfind} Error in regex: it takes too long"])
        #expect(files(client, "find \"(title =~ '^(a+)+!$')\"") == ["one.flac"])
    }
}
