import Foundation
import TestSupport
import TestThreads
import Testing

/// Names that are no UTF-8, or that are the same letters in other bytes.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct OddNameTests {
    /// Runs a shell's commands in the music directory, where `$e` is an `é` of Latin-1.
    private func shell(_ own: OwnMusic, _ commands: String) throws {
        try ChildProcess.run("sh", ["-c", "set -e; cd \"$0\"; e=$(printf '\\351'); \(commands)", own.path])
    }

    /// What cannot be shown because of its name.
    private func problems(_ client: LineClient) -> [String] {
        let lines = client.ask("library problems")
        return zip(lines, lines.dropFirst()).compactMap { file, problem in
            let isOfName = problem == "problem: has a name that is not UTF-8 or holds a line feed; rename it"
            return isOfName ? String(file.dropFirst(6)) : nil
        }
    }

    /// What is not UTF-8 is told as a problem, and keeps nothing beside it from being shown, played and found.
    @Test func latin1() async throws {
        let own = try await OwnMusic()
        try shell(
            own,
            """
            mkdir "caf$e" Café
            cp one.flac "caf$e/one.flac"; cp one.flac "Café/gar${e}on.flac"; cp two.flac Café/deux.flac
            cp one.flac "Café/couv${e}.jpg"; cp Blue/cover.jpg Café/Cover.JPG
            """
        )
        let server = try await Segued.start(in: own.folder, music: own.path)
        let client = try server.connect()
        for command in ["lsinfo", "listall", "listallinfo", "listfiles"] {
            let reply = client.ask(command)
            #expect(reply.last == "OK")
            #expect(reply.filter { $0.contains("caf") || $0.contains("\u{fffd}") } == [], "\(command)")
        }
        #expect(own.uris(client, "lsinfo Café") == ["Café/deux.flac"])
        #expect(own.uris(client, "find base Café") == ["Café/deux.flac"])
        #expect(problems(client) == ["Café/couv\\xe9.jpg", "Café/gar\\xe9on.flac", "caf\\xe9"])
        #expect(client.ask("albumart Café/deux.flac 99999") == ["ACK [2@0] {albumart} Offset too large"])
        #expect(client.ask("albumart Café/deux.flac 20000").first == "size: 20000")
        try client.order("add Café")
        try client.order("play 0")
        _ = try client.wait("audio", "44100:16:2")
        // Renamed, all of it is there.
        try shell(own, "mv \"caf$e\" Cave; mv \"Café/gar${e}on.flac\" Café/garçon.flac; rm Café/couv*")
        try own.update(client)
        #expect(problems(client) == [])
        #expect(own.uris(client, "find title One").sorted() == ["Café/garçon.flac", "Cave/one.flac", "one.flac"])
    }

    /// Lists, and clients, that spell a name in another way than the file's: the only one that may be meant is found.
    @Test(arguments: [("e\u{301}", "\u{e9}"), ("\u{e9}", "e\u{301}"), ("\u{e9}", "\u{c9}")])
    func anotherSpellingIsFound(_ stored: String, _ written: String) async throws {
        let own = try await OwnMusic()
        try shell(own, "mkdir Caf\(stored); mv one.flac Caf\(stored)/\(stored).flac; cp two.flac TWO.flac")
        try shell(own, "echo Caf\(written)/\(written).flac >list.m3u; echo none.flac >none.m3u; : >empty.m3u")
        try shell(
            own,
            "printf '%s\\n' none.flac other.flac >several.m3u; echo none.flac >partly.m3u; echo two.flac >>partly.m3u"
        )
        let server = try await Segued.start(in: own.folder, music: own.path)
        let client = try server.connect()
        try own.update(client)
        let song = Array("Caf\(stored)/\(stored).flac".utf8)
        for command in ["load list.m3u", "add Caf\(written)/\(written).flac", "add Caf\(written)"] {
            try client.order("clear")
            try client.order(command)
            #expect(own.uris(client, "playlistinfo").map { Array($0.utf8) } == [song], "\(command)")
        }
        #expect(client.ask("add tWo.flac") == ["ACK [50@0] {add} No such directory"])
        #expect(client.ask("load none.m3u") == ["ACK [50@0] {load} The playlist's only song was not found: none.flac"])
        #expect(
            client.ask("load several.m3u")
                == ["ACK [50@0] {load} None of the playlist's 2 songs was found, from none.flac on"]
        )
        try client.order("load empty.m3u")
        try client.order("clear")
        try client.order("load partly.m3u")
        #expect(own.uris(client, "playlistinfo") == ["two.flac"])
    }

    /// As programs rename what has come from a Mac; the other way round, too.
    @Test(arguments: [("e\u{301}", "\u{e9}"), ("\u{e9}", "e\u{301}")])
    func lettersThatAreComposedOtherwise(_ before: String, _ after: String) async throws {
        let own = try await OwnMusic()
        try shell(own, "mkdir Caf\(before); mv one.flac Caf\(before)/\(before).flac; mv two.flac \(before).flac")
        let server = try await Segued.start(in: own.folder, music: own.path)
        let client = try server.connect()
        let (first, second) = ("Caf\(before)/\(before).flac", "\(before).flac")
        for uri in [first, second] {
            try client.order("add \(uri)")
            try client.order("playlistadd mine \(uri)")
            try client.order("sticker set song \(uri) rating 5")
        }
        try shell(
            own,
            "mv Caf\(before)/\(before).flac Caf\(before)/\(after).flac; mv Caf\(before) Caf\(after); mv \(before).flac \(after).flac"
        )
        try own.update(client)
        let now = ["Caf\(after)/\(after).flac", "\(after).flac"]
        func expect(_ command: String, _ uris: [String]) {
            #expect(own.uris(client, command).map { Array($0.utf8) } == uris.map { Array($0.utf8) }, "\(command)")
        }
        expect("playlistinfo", now)
        expect("find title One", [now[0]])
        expect("find title Two", [now[1]])
        for position in [0, 1] {
            try client.order("play \(position)")
            _ = try client.wait("audio", "44100:16:2")
            #expect(try client.values("status")["error"] == nil)
            try client.order("stop")
        }
        #expect(client.ask("sticker get song \(now[0]) rating") == ["sticker: rating=5", "OK"])
        try wait(for: "the playlist") {
            own.uris(client, "listplaylist mine").map { Array($0.utf8) } == now.map { Array($0.utf8) }
        }
        expect("listplaylist mine", now)
    }

    /// Two files and two directories whose names are the same letters are never taken for each other.
    @Test func twoFormsAreTwoFiles() async throws {
        let own = try await OwnMusic()
        let (one, two) = ("\u{e9}.flac", "e\u{301}.flac")
        let (first, second) = ("\u{dc}", "U\u{308}")
        try shell(own, "mkdir \(first) \(second); mv one.flac \(one); mv two.flac \(two)")
        let server = try await Segued.start(.mpdConf("auto_update \"yes\""), in: own.folder, music: own.path)
        let client = try server.connect()
        func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }
        func expect(_ command: String, _ uris: [String]) {
            #expect(bytes(own.uris(client, command)) == bytes(uris), "\(command)")
        }
        let order = [0, 1, 0, 1, 1, 0]
        let added = order.map { [one, two][$0] }
        try client.order("command_list_begin\n\(added.map { "add \($0)\n" }.joined())command_list_end")
        expect("playlistinfo", added)
        let titles = client.ask("playlistinfo").filter { $0.hasPrefix("Title") }
        #expect(titles == order.map { ["Title: One", "Title: Two"][$0] })

        try client.order("sticker set song \(one) rating 1")
        #expect(client.ask("sticker get song \(two) rating") == ["ACK [50@0] {sticker} no such sticker"])
        try client.order("sticker set song \(two) rating 2")
        #expect(client.ask("sticker get song \(one) rating") == ["sticker: rating=1", "OK"])
        expect("sticker find song \"\" rating sort -uri", [one, two])

        for uri in [one, two] { try client.order("playlistadd mine \(uri)") }
        try shell(own, "mv \(two) new.flac")
        while own.uris(client, "find title Two") != ["new.flac"] { try client.order("idle database") }
        expect("playlistinfo", order.map { [one, "new.flac"][$0] })
        expect("sticker find song \"\" rating sort -uri", [one, "new.flac"])
        #expect(client.ask("sticker get song \(one) rating") == ["sticker: rating=1", "OK"])
        try wait(for: "the playlist") { own.uris(client, "listplaylist mine").last == "new.flac" }
        expect("listplaylist mine", [one, "new.flac"])

        try shell(own, "cp new.flac \(first)/a.flac")
        while own.uris(client, "find title Two").count < 2 { try client.order("idle database") }
        try shell(own, "cp new.flac \(second)/b.flac")
        while own.uris(client, "find title Two").count < 3 { try client.order("idle database") }
        expect("find base \(second)", [second + "/b.flac"])
    }
}
