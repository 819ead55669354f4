import Foundation
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// What a client with a limited library is told.
@Suite(.blocking)
struct LimitedLibraryTests {
    private typealias It = LimitedServer

    @Test("Nothing that a limited client is sent has the name of a song that it does not see")
    func secretSongs() async throws {
        let it = try await It(songs: 10_000)
        #expect(SecretSongLines.forgotten == [])
        try it.limit()
        try it.prepare()
        let identifier = try #require(try it.owner.values("identify \"\(it.secret)\"")["id"])
        let (guest, idle) = (try LineClient(it.address), try LineClient(it.address))
        idle.send("idle\n")
        #expect(try guest.order("listall").count { $0.hasPrefix("file: ") } == It.visible)
        for text in SecretSongLines.lines {
            let hidden = it.line(text, identifier, isAbsent: false)
            // Announcements play between requests.
            if text.hasPrefix("announcement") { _ = it.owner.ask("announce \"\(it.secret)\" volume 1") }
            let reply = try it.ask(guest, hidden)
            let told = reply.map { $0.replacing(it.secret, with: "").replacing("qzx/qzx album 1", with: "") }
            // What the guest named itself may come back.
            let words = text.contains("%") ? told.map { it.echo(hidden, in: $0) } : reply
            #expect(
                words.allSatisfy { !$0.contains(It.word) },
                "\(hidden): \(words.first { $0.contains(It.word) } ?? "")"
            )
            #expect(!String(decoding: guest.chunk, as: UTF8.self).contains(It.word), "\(hidden)")
            guard text.contains("%") else { continue }
            let absent = try it.ask(guest, it.line(text, identifier, isAbsent: true))
            let expected = absent.map {
                $0.replacing(String(identifier.reversed()), with: identifier).replacing("xqz", with: It.word)
            }
            #expect(it.unnumbered(reply) == it.unnumbered(expected), "\(hidden)")
        }
        it.owner.send("clear\nadd \"\(it.secret)\"\n")
        idle.send("idle\n")
        var events: [String] = []
        while let line = Optional(idle.line()), line.hasPrefix("changed") { events.append(line) }
        #expect(!events.isEmpty && events.allSatisfy { !$0.contains(It.word) })
    }

    @Test("A limited client that watches is told of the songs that it sees, and of no others")
    func watchedValues() async throws {
        let it = try await It(songs: 500)
        try it.limit()
        try it.owner.order("add \"\(it.secret)\"")
        try it.owner.order("add \"Open/song 1.flac\"")
        try it.owner.order("play 1")
        try it.owner.order("pause 1")
        let watcher = try JSONClient(LineClient(it.address)).watch(#"{"zones":"all"}"#)
        func file() -> JSON? { watcher.values["player default"]?["song"]?["file"] }
        // The songs of its library are looked up when it begins to watch, and nothing changes since then.
        try watcher.wait { file() == .string("Open/song 1.flac") }
        try it.owner.order("play 0")
        try watcher.wait { file() == .string("private") }
        _ = it.owner.ask("announce \"\(it.secret)\" volume 1")
        try watcher.wait { watcher.values["announcements"]?.elements.isEmpty == false }
        try it.owner.order("schedule add 07:00 name \(It.word) command stop")
        try it.owner.order("stop")
        try watcher.wait { watcher.values["player default"]?["state"] == .string("stopped") }
        #expect(watcher.values["why default"] == .null && watcher.values["timers"]?["schedules"] == .null)
        for (name, value) in watcher.told { #expect(!value.text.contains(It.word), "\(name): \(value.text)") }
        #expect(watcher.values["queue default"]?.elements.count == 2)
        // When its library becomes the whole one, it is told the name of the song that plays.
        try it.owner.order("play 0")
        try watcher.wait { file() == .string("private") }
        try it.owner.order("clients set \(It.guest) library all")
        try watcher.wait { file() == .string(it.secret) }
    }

    @Test("A limited client counts, lists and finds what it sees, in full")
    func whatIsVisible() async throws {
        let it = try await It(songs: 500)
        try it.limit()
        let guest = try LineClient(it.address)
        #expect(try guest.values("stats")["songs"] == "37")
        #expect(try guest.values("count \"(title =~ '.')\"")["songs"] == "37")
        #expect(try guest.values("count genre Open")["songs"] == "4")
        #expect(try guest.order("list title").count == 37)
        #expect(try guest.order("list genre") == ["Genre: Noise", "Genre: Open"])
        #expect(try guest.order("find genre Noise window 0:100").count { $0.hasPrefix("file: ") } == 33)
        #expect(try guest.order("search title picked sort title").count { $0.hasPrefix("file: ") } == 3)
        #expect(try guest.order("lsinfo Mixed").count { $0.hasPrefix("file: ") } == 7)
        #expect(try guest.order("listfiles Mixed").count { $0.hasPrefix("file: ") } == 7)
        #expect(try guest.order("listplaylists").filter { $0.hasPrefix("playlist: ") } == ["playlist: party"])
        #expect(try guest.order("listplaylist party") == ["file: Mixed/picked 36.flac"])
        #expect(try guest.order("readcomments \"Open/song 1.flac\"") == ["title: Open 1", "genre: Noise"])
        try guest.order("add Mixed")
        #expect(try guest.values("status")["playlistlength"] == "7")
        // The owner sees everything.
        #expect(try it.owner.values("stats")["songs"] == "500")
    }

    @Test("Entries of others that a limited client does not see are private, and their places and owners shown")
    func privateEntries() async throws {
        let it = try await It(songs: 500)
        try it.limit()
        try it.prepare()
        let guest = try LineClient(it.address)
        let entries = try guest.order("playlistinfo 0:2")
        #expect(entries.prefix(3) == ["file: private", "Pos: 0", "Id: 1"])
        #expect(entries.contains("file: Open/song 1.flac") && entries.contains("Title: Open 1"))
        #expect(try guest.order("playlistfind title \"qzx title 100\"").isEmpty)
        let last = try guest.values("status")["playlistlength"] ?? ""
        try guest.order("add \"Open/song 3.flac\"")
        #expect(try guest.values("playlistinfo \(last)")["AddedBy"] == It.guest)
        // A file without sound, which stays current with an error.
        for line in ["clear", "add \"\(it.secret)\"", "play"] { try it.owner.order(line) }
        try wait(for: "the error") { try it.owner.values("status")["error"] != nil }
        #expect(try guest.values("status")["error"] == "something cannot be played")
        #expect(try guest.order("currentsong").first == "file: private")
    }

    @Test("A change of the part is told, and holds at once; a change of the library or a playlist is followed")
    func changes() async throws {
        let it = try await It(songs: 500)
        try it.limit()
        let (guest, idle) = (try LineClient(it.address), try LineClient(it.address))
        #expect(try guest.values("stats")["songs"] == "37")
        idle.send("idle permission database\n")
        try wait(for: "the guest to wait") {
            try it.owner.order("clients show \(It.guest)").count { $0 == "idle: 0" } > 0
        }
        try it.owner.order("clients set \(It.guest) library none folder \"Mixed/shown 30.flac\"")
        #expect(idle.reply() == ["changed: database", "changed: permission", "OK"])
        #expect(try guest.order("listall").filter { $0.hasPrefix("file") } == ["file: Mixed/shown 30.flac"])
        #expect(guest.ask("add \"Open/song 1.flac\"") == ["ACK [50@0] {add} No such directory"])
        try it.owner.order("clients set \(It.guest) playlist other")
        try it.owner.order("playlistadd other \"Open/song 7.flac\"")
        #expect(try guest.values("stats")["songs"] == "2")
        try it.folder.write("music/Open/new.flac", It.file(20_000, ["title=New"]))
        try it.owner.order("clients set \(It.guest) folder Open")
        try it.owner.order("update")
        try It.waitForScan(it.owner)
        #expect(try guest.values("stats")["songs"] == "32")
        try it.owner.order("clients set \(It.guest) library none")
        #expect(try guest.values("stats")["songs"] == "0" && guest.order("listall").isEmpty)
        try it.owner.order("clients set \(It.guest) library all")
        #expect(try guest.values("stats")["songs"] == "501")
    }

    @Test("Items are picked by identifiers, and what is wrong with one is said")
    func items() async throws {
        let it = try await It(songs: 500)
        let id = try #require(try it.owner.values("identify \"Mixed/picked 34.flac\"")["id"])
        let unknown = String(id.reversed())
        #expect(
            it.owner.ask("clients set a item \(unknown)").last
                == "ACK [50@0] {clients} identifierNotFound: \(unknown)"
        )
        try FileManager.default.copyItem(
            atPath: it.folder.file("music/Mixed/picked 34.flac"),
            toPath: it.folder.file("music/Open/copy.flac")
        )
        try it.owner.order("update")
        try It.waitForScan(it.owner)
        #expect(it.owner.ask("clients set a item \(id)").last?.contains("multipleIdentifiersFound") == true)
        for words in ["filter (title", "filter title", "item", "folder \"\"", "library some"] {
            #expect(it.owner.ask("clients set a \(words)").last?.hasPrefix("ACK [2@0]") == true, "\(words)")
        }
    }
}
