import AudioTypes
import Foundation
import Glibc
import MusicDirectories
import PlaylistStore
import Songs
import TestSupport
import Testing
import Threads

@Suite struct StoredPlaylistTests {
    private let folder: TemporaryFolder
    private let root: String
    private let lists: StoredPlaylists

    init() throws {
        folder = try TemporaryFolder()
        root = try folder.makeFolder("music")
        lists = StoredPlaylists(
            directory: folder.file("lists"),
            music: MusicDirectory(root: root, followsOutsideLinks: false),
            limit: 100
        )
    }

    private func uris(_ name: String) throws -> [String] { try lists.read(name).map(\.uri) }
    private func text(_ name: String) throws -> String {
        String(decoding: try FileBytes.read(folder.file("lists/\(name).m3u")), as: UTF8.self)
    }
    private func write(_ name: String, _ text: String) throws {
        _ = unsafe mkdir(folder.file("lists"), 0o700)
        try FileBytes.write(Array(text.utf8), to: folder.file("lists/\(name).m3u"))
    }

    /// A client that loads it must not fetch what the client that added it could not.
    @Test func aURLKeepsTheReachOfWhoAddedIt() throws {
        let reach = NetworkReach(networks: ["192.168.1.0/24"].compactMap { AddressRange($0) })
        try lists.save("x", [Song(uri: "a.flac"), Song(uri: "http://h/1", reach: reach), Song(uri: "http://h/2")])
        try lists.add([Song(uri: "http://h/3", reach: .networks([]))], to: "x")
        try lists.add([Song(uri: "http://h/4", reach: reach)], to: "x", at: 0)
        try lists.move(1..<2, to: 2, in: "x")
        try lists.rename("x", to: "y")
        let entries = try lists.read("y")
        #expect(entries.map(\.uri) == ["http://h/4", "http://h/1", "a.flac", "http://h/2", "http://h/3"])
        #expect(entries.map(\.reach) == [reach, reach, .anywhere, .anywhere, .networks([])])
        #expect(entries.map(\.song.reach) == entries.map(\.reach))
    }

    @Test func savedListsAreBareLines() throws {
        #expect(try lists.list().isEmpty)
        try lists.save("Mine", ["a.flac", "Ä/ö.mp3", "http://u:p@h/x"])
        #expect(try text("Mine") == "a.flac\nÄ/ö.mp3\nhttp://u:p@h/x\n")
        #expect(try uris("Mine") == ["a.flac", "Ä/ö.mp3", "http://u:p@h/x"])
        #expect(try lists.length(of: "Mine") == 3)
        #expect(throws: StoredPlaylistError.alreadyExists("Mine")) { try lists.save("Mine", []) }
        try lists.save("Mine", ["b"], mode: .append)
        #expect(try uris("Mine").last == "b")
        try lists.save("Mine", ["c"], mode: .replace)
        #expect(try uris("Mine") == ["c"])
        for mode in [StoredPlaylists.SaveMode.append, .replace] {
            #expect(throws: StoredPlaylistError.doesNotExist("No")) { try lists.save("No", ["x"], mode: mode) }
        }
        #expect(try lists.list().map(\.name) == ["Mine"])
        #expect(abs(try lists.list()[0].lastModified - Int(Date().timeIntervalSince1970)) < 60)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("lists")) == ["Mine.m3u"])
    }

    @Test func onlyPlaylistFilesAreListed() throws {
        try write("b", "x\n")
        try write("a b", "x\n")
        for name in [".m3u", "notes.txt", "two\nlines.m3u"] {
            try FileBytes.write(Array("x\n".utf8), to: folder.file("lists/" + name))
        }
        _ = try folder.makeFolder("lists/folder.m3u")
        try #require(unsafe symlink("b.m3u", folder.file("lists/a.m3u")) == 0)
        try #require(unsafe symlink("nothing", folder.file("lists/gone.m3u")) == 0)
        #expect(try lists.list().map(\.name) == ["a b", "a", "b"])
        // A file in place of the folder.
        #expect(try StoredPlaylists(directory: folder.file("lists/b.m3u"), music: nil).list().isEmpty)
    }

    @Test(arguments: [
        (0..<1, ["b", "c", "d", "e"]), (1..<3, ["a", "d", "e"]), (3..<100, ["a", "b", "c"]), (0..<5, []),
        (2..<2, ["a", "b", "c", "d", "e"]),
    ])
    func deleting(_ range: Range<Int>, _ expected: [String]) throws {
        try lists.save("x", ["a", "b", "c", "d", "e"])
        try lists.delete(range, from: "x")
        #expect(try uris("x") == expected)
    }

    @Test(arguments: [
        (0..<1, 4, ["b", "c", "d", "e", "a"]), (4..<5, 0, ["e", "a", "b", "c", "d"]),
        (1..<3, 2, ["a", "d", "b", "c", "e"]),
        (1..<3, 3, ["a", "d", "e", "b", "c"]), (2..<4, 0, ["c", "d", "a", "b", "e"]),
        (7..<8, 7, ["a", "b", "c", "d", "e"]),
    ])
    func moving(_ range: Range<Int>, _ destination: Int, _ expected: [String]) throws {
        try lists.save("x", ["a", "b", "c", "d", "e"])
        try lists.move(range, to: destination, in: "x")
        #expect(try uris("x") == expected)
    }

    /// Only the names of songs that were moved are changed, however the rest is written.
    @Test func songsThatWereMoved() throws {
        let places = [
            ExactText("a.flac"): "new/ä.flac", ExactText("b.flac"): "a.flac", ExactText("c.flac"): "b\nd.flac",
            // The same letters in another form are another file's.
            ExactText("e\u{301}.flac"): "moved.flac",
        ]
        func list(_ a: String, _ b: String) -> String {
            "\u{feff}#EXTM3U\r\n\r\n#EXTINF:12,a.flac\n \t\(a) \r\n\n\(b)\n#a.flac\nA.flac\nhttp://h/a.flac\nc.flac\né.flac\n\(b)"
        }
        try write("x", list("a.flac", "b.flac"))
        try write("roots", "\(root)/a.flac\nfile://\(root)/b.flac\n/a.flac\n")
        try write("others", "d.flac\n")
        let before = try FileManager.default.attributesOfItem(atPath: folder.file("lists/others.m3u"))
        let outcome = lists.replace(places)
        #expect(outcome.changed == 2 && outcome.problems == [])
        #expect(try text("x") == list("new/ä.flac", "a.flac"))
        #expect(try text("roots") == "\(root)/new/ä.flac\na.flac\n/a.flac\n")
        let after = try FileManager.default.attributesOfItem(atPath: folder.file("lists/others.m3u"))
        #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int, "nothing to be written")
        try write("x", "a.flac\n")
        unsafe truncate(folder.file("lists/others.m3u"), 70 << 20)
        let second = lists.replace([ExactText("a.flac"): "z"])
        #expect(second.problems == [.tooLarge("others", limit: 100)])
        #expect(try uris("x") == ["z"], "the others are done")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("lists")).count == 3)
    }

    /// What is behind the last line's end stays what it was, and the file is the same one.
    @Test(arguments: [
        ("a\n", "a\nx\ny\n"), ("", "x\ny\n"), ("a\nha", "a\nha\nx\ny\n"),
        ("#EXTM3U\n#EXTINF:1,A\na\n", "#EXTM3U\n#EXTINF:1,A\na\nx\ny\n"), ("a\r\n", "a\r\nx\ny\n"),
    ])
    func addingAtTheEndWritesOnlyWhatIsAdded(_ before: String, _ after: String) throws {
        try write("x", before)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("lists/x.m3u"))
        try lists.add(["x", "y"], to: "x")
        #expect(try text("x") == after)
        let now = try FileManager.default.attributesOfItem(atPath: folder.file("lists/x.m3u"))
        #expect(now[.systemFileNumber] as? Int == attributes[.systemFileNumber] as? Int)
        try lists.sync("x")
        try lists.sync("gone")
    }

    /// The file's permissions; one that holds credentials is its owner's alone, also when it was everybody's before.
    @Test func credentialsAreNotWorldReadable() throws {
        func mode(_ name: String) throws -> Int? {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("lists/\(name).m3u"))
            return attributes[.posixPermissions] as? Int
        }
        let secret = "http://user:word@host/x"
        try lists.save("new", [secret])
        try lists.save("plain", ["http://host/a@b", "a.flac"])
        let plain = try mode("plain")
        #expect(try mode("new") == 0o600 && plain != 0o600)
        for name in ["saved", "appended", "added", "inserted"] { try lists.save(name, ["a.flac"]) }
        try lists.save("saved", [secret], mode: .replace)
        try lists.save("appended", [secret], mode: .append)
        try lists.add([secret], to: "added")
        try lists.add([secret], to: "inserted", at: 0)
        for name in ["saved", "appended", "added", "inserted"] { #expect(try mode(name) == 0o600, "\(name)") }
        try lists.add(["b.flac"], to: "plain")
        #expect(try mode("plain") == plain)
    }

    @Test func theLimitHoldsWhileOthersEditTheFile() throws {
        for number in 0..<60 { try lists.add(["\(number)"], to: "x") }
        try write("x", String(repeating: "a\n", count: 99))
        try lists.add(["z"], to: "x")
        #expect(throws: StoredPlaylistError.tooLarge("x", limit: 100)) { try lists.add(["z"], to: "x") }
        #expect(try lists.length(of: "x") == 100)
    }

    /// Wherever the power failed, what comes after it is whole, and so is what was before.
    @Test func aTornLineSpoilsNoOther() throws {
        let whole = Array("one.flac\ntwo.flac\n".utf8)
        for length in 9...whole.count {
            for tail in [Array(whole[..<length]), whole[..<length] + [0, 0, 0]] {
                try write("x", String(decoding: tail, as: UTF8.self))
                try lists.add(["three.flac"], to: "x")
                let found = try uris("x")
                #expect(found.first == "one.flac" && found.last == "three.flac" && found.count <= 3)
                #expect(!found.contains { $0.utf8.contains(0) })
            }
        }
    }

    @Test func commentsAtTheEndAreNobodys() throws {
        try write("x", "a\n#EXTINF:9,Somebody\n")
        try lists.add(["b"], to: "x")
        #expect(try lists.read("x").map(\.title) == [nil, nil])
    }

    @Test func aFolderThatCannotBeMadeIsNamed() throws {
        let path = folder.file("none/lists")
        let lists = StoredPlaylists(directory: path, music: nil)
        let expected = StoredPlaylistError.noFolder(path, errno: ENOENT)
        #expect(throws: expected) { try lists.save("x", []) }
        #expect(throws: expected) { try lists.add(["a"], to: "x") }
        #expect(expected.description.contains("\(path) cannot be made: "))
    }

    @Test func whatCannotBeDoneIsSaid() throws {
        try lists.save("x", ["a", "b", "c"])
        #expect(throws: StoredPlaylistError.badIndex("x")) { try lists.delete(4..<5, from: "x") }
        #expect(throws: StoredPlaylistError.badRange("x")) { try lists.move(0..<2, to: 2, in: "x") }
        #expect(throws: StoredPlaylistError.badRange("x")) { try lists.move(3..<4, to: 0, in: "x") }
        #expect(throws: StoredPlaylistError.badPosition("x")) { try lists.add(["d"], to: "x", at: 4) }
        #expect(throws: StoredPlaylistError.tooLarge("x", limit: 100)) {
            try lists.add(Array(repeating: "y", count: 98), to: "x")
        }
        #expect(throws: StoredPlaylistError.self) { try lists.add(["a\nb"], to: "x") }
        for body in [lists.remove, lists.clear, { _ = try lists.read($0) }, { try lists.delete(0..<1, from: $0) }]
            as [(String) throws -> Void]
        {
            #expect(throws: StoredPlaylistError.doesNotExist("no")) { try body("no") }
        }
        #expect(throws: StoredPlaylistError.doesNotExist("no")) { try lists.rename("no", to: "y") }
        try lists.save("y", [])
        #expect(throws: StoredPlaylistError.alreadyExists("y")) { try lists.rename("x", to: "y") }
        #expect(throws: StoredPlaylistError.alreadyExists("x")) { try lists.rename("x", to: "x") }
        #expect(try uris("x") == ["a", "b", "c"])
    }

    @Test(arguments: ["", "a/b", "../x", "a\nb", "a\rb", "a\0b", "/"])
    func badNames(_ name: String) throws {
        #expect(throws: StoredPlaylistError.badName(name)) { try lists.save(name, []) }
        #expect(throws: StoredPlaylistError.badName(name)) { try lists.read(name) }
        #expect(throws: StoredPlaylistError.badName(name)) { try lists.remove(name) }
        try lists.save("good", [])
        #expect(throws: StoredPlaylistError.badName(name)) { try lists.rename("good", to: name) }
    }

    @Test(arguments: [".hidden", "..", "Ä b", "x.m3u", "-"])
    func oddNamesThatMPDTakesToo(_ name: String) throws {
        try lists.add(["a"], to: name)
        #expect(try uris(name) == ["a"])
        #expect(try lists.list().map(\.name) == [name])
        try lists.rename(name, to: "new")
        try lists.clear("new")
        #expect(try lists.length(of: "new") == 0)
        try lists.remove("new")
        #expect(try lists.list().isEmpty)
    }

    @Test func otherProgramsListsAreReadAndKept() throws {
        try write(
            "hand",
            "\u{feff}#EXTM3U\r\n#EXTINF:12,A: title\r\n\(root)/sub/one.flac\r\n  ./two.mp3  \n\n# note\nz/../three.ogg\n"
                + "http://h/x y\n/etc/passwd\nfile://\(root)/per%20cent.flac\n#end\n"
        )
        let entries = try lists.read("hand")
        #expect(
            entries.map(\.uri)
                == ["sub/one.flac", "two.mp3", "three.ogg", "http://h/x y", "/etc/passwd", "per cent.flac"]
        )
        #expect(entries[0].title == "A: title")
        #expect(entries[0].duration == 12)
        #expect(entries[0].song.values(of: .name) == ["A: title"])
        try lists.delete(1..<2, from: "hand")
        #expect(
            try text("hand")
                == "#EXTM3U\n#EXTINF:12,A: title\n\(root)/sub/one.flac\n# note\nz/../three.ogg\nhttp://h/x y\n/etc/passwd\n"
                + "file://\(root)/per%20cent.flac\n#end\n"
        )
        try write("hand", "other.flac\n")
        #expect(try uris("hand") == ["other.flac"])
    }

    @Test func aLinkStaysALinkAndRightsStay() throws {
        try lists.save("x", ["a"])
        let target = folder.file("elsewhere.m3u")
        try FileBytes.write(Array("a\n".utf8), to: target)
        try #require(unsafe chmod(target, 0o640) == 0)
        try #require(unsafe symlink(target, folder.file("lists/link.m3u")) == 0)
        try lists.add(["b"], to: "link")
        #expect(try FileBytes.read(target) == Array("a\nb\n".utf8))
        var status = stat()
        try #require(unsafe stat(target, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o640)
    }

    /// A reader beside a writer always sees a whole list.
    @Test func readersSeeTheOldOrTheNewList() async throws {
        let first = (0..<80).map { "first \($0)" }
        let second = (0..<60).map { "second \($0)" }
        try lists.save("x", first)
        let (lists, stop) = (lists, Watched(false))
        async let writer: Void = WorkThread.run(named: "writer") {
            var round = 0
            while !stop.current {
                try lists.save("x", round.isMultiple(of: 2) ? second : first, mode: .replace)
                round += 1
            }
        }
        for _ in 0..<500 {
            let found = try uris("x")
            #expect(found == first || found == second)
        }
        stop.withLock { $0 = true }
        try await writer
    }
}

extension StoredPlaylists {
    /// Songs by their URIs alone.
    @_disfavoredOverload
    func save(_ name: String, _ uris: [String], mode: SaveMode = .create) throws(StoredPlaylistError) {
        try save(name, uris.map { Song(uri: $0) }, mode: mode)
    }

    @_disfavoredOverload
    func add(_ uris: [String], to name: String, at position: Int? = nil) throws(StoredPlaylistError) {
        try add(uris.map { Song(uri: $0) }, to: name, at: position)
    }
}
