import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// What the library does when the disk, or the music, is not as it should be.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct LibraryFaultTests {
    private func songs(_ client: LineClient) throws -> Int { Int(try client.values("stats")["songs"] ?? "") ?? -1 }

    /// Waits until the library says something else than it did.
    private func wait(
        _ client: LineClient,
        until condition: (LineClient) throws -> Bool
    ) throws -> Bool {
        let deadline = ContinuousClock.now + .patience
        while try !condition(client) {
            if ContinuousClock.now > deadline { return false }
            usleep(20_000)
        }
        return true
    }

    @Test(.enabled("nothing can be mounted") { MountNamespace.isAllowed }) func diskFull() async throws {
        let folder = try TemporaryFolder()
        let (music, small) = (try folder.makeFolder("tagged"), try folder.makeFolder("small"))
        let tagged = try await TaggedMusic(songs: 60, coverSize: 16, at: music)
        let settings = """
            listen = ["unix:\(folder.file("socket"))"]
            library-file = "\(small)/library.db"

            """
        let server = try await Segued.start(
            .toml(settings),
            in: folder,
            music: music,
            mounting: "mount -t tmpfs -o size=1280k none \(small)"
        )
        let client = try server.connect()
        #expect(try songs(client) == 60)
        try client.order("sticker set song \"\(TaggedMusic.uri(7))\" rating 5")
        for number in 60..<2_400 { try tagged.write(number) }
        try client.order("update")
        try await server.waitForUpdates()
        // The report, in the log and to clients.
        try #require(try wait(client) { try $0.values("library status")["error"]?.contains("has no room") == true })
        #expect(server.process.errorText.contains("has no room"), "\(server.process.errorText)")
        let environment = ["MPD_HOST": server.socket, "PATH": "/usr/bin:/bin"]
        let segue = try Segued.path().replacing(/segued$/, with: "segue")
        let waiting = try await ChildProcess(segue, ["update", "--wait"], environment: environment).wait()
        #expect(waiting.status == .code(1) && waiting.errorText.contains("has no room"), "\(waiting.errorText)")
        let doctor = try await ChildProcess(segue, ["doctor"], environment: environment).wait()
        #expect(doctor.outputText.contains("has no room") && !doctor.outputText.contains("it is empty"))
        // What was there is there, and can be asked for.
        #expect(try songs(client) >= 60)
        #expect(client.ask("find title \"Song 7 of the river\"").contains("file: \(TaggedMusic.uri(7))"))
        // With room it goes on by itself.
        try MountNamespace(server: server).run("mount -o remount,size=64m \(small)")
        #expect(try wait(client) { try songs($0) == 2_400 })
        try await server.waitForUpdates()
        #expect(try client.values("library status")["error"] == nil)
        #expect(client.ask("sticker get song \"\(TaggedMusic.uri(7))\" rating") == ["sticker: rating=5", "OK"])
        let expected = try await LibraryPicture.fresh(music)
        let difference = try LibraryPicture.difference(server, expected)
        #expect(difference == "", "\(difference)")
    }

    @Test func databaseThatCannotBeOpenedYet() async throws {
        let folder = try TemporaryFolder()
        let place = try folder.write("place", "this is no directory\n")
        let settings = """
            listen = ["unix:\(folder.file("socket"))"]
            library-file = "\(place)/library.db"

            """
        let server = try await Segued.start(.toml(settings), in: folder, waitsForLibrary: false)
        let client = try server.connect()
        try #require(try wait(client) { try $0.values("library status")["error"] != nil })
        // Waiting for an update ends with the reason, and not when it is removed some day.
        let segue = try Segued.path().replacing(/segued$/, with: "segue")
        let update = try await ChildProcess(segue, ["--host", folder.file("socket"), "update", "--wait"]).wait()
        #expect(update.status == .code(1) && update.errorText.contains("library.db"), "\(update.errorText)")
        #expect(client.ask("find title Two").last?.hasPrefix("ACK") == true)
        #expect(client.ask("lsinfo").contains("file: two.flac"), "the files are asked")
        try FileManager.default.removeItem(atPath: place)
        _ = try folder.makeFolder("place")
        #expect(try wait(client) { $0.ask("find title Two").contains("file: two.flac") })
        #expect(try client.values("library status")["error"] == nil)
    }

    /// Where the other file system is mounted.
    enum Place: String, CaseIterable {
        case root = ""
        case folder = "nas"
        /// Outside, and a link leads there.
        case link
    }

    @Test(.enabled("nothing can be mounted") { MountNamespace.isAllowed }, arguments: Place.allCases)
    func unmounted(_ place: Place) async throws {
        let folder = try TemporaryFolder()
        let (music, store) = (try folder.makeFolder("music"), try folder.makeFolder("store"))
        let mount = place == .link ? try folder.makeFolder("elsewhere") : music + (place == .root ? "" : "/nas")
        _ = try folder.makeFolder("music/nas")
        if place == .link {
            try FileManager.default.createSymbolicLink(atPath: music + "/away", withDestinationPath: mount)
        }
        // The files stay in `store` while they are not shown in `mount`; both are seen by the server alone.
        let mounting = "mount -t tmpfs none \(store) && mount --bind \(store) \(mount)"
        let form = Segued.Form.mpdConf("auto_update \"yes\"")
        let server = try await Segued.start(form, in: folder, music: music, mounting: mounting)
        let namespace = MountNamespace(server: server)
        if place != .root { _ = try await TaggedMusic(songs: 12, coverSize: 16, at: namespace.path(music) + "/here") }
        let tagged = try await TaggedMusic(songs: 60, coverSize: 16, at: namespace.path(store))
        let client = try server.connect()
        let all = place == .root ? 60 : 72
        try #require(try wait(client) { try songs($0) == all }, "\(server.process.errorText)")
        try await server.waitForUpdates()
        let before = try LibraryPicture.of(server)

        try namespace.run("umount \(mount)")
        let says = { (client: LineClient) in
            try place == .root
                ? client.values("library status")["error"]?.contains("not there now") == true
                : client.ask("library problems").contains { $0.contains("not there now") }
        }
        try #require(try wait(client, until: says), "\(server.process.errorText)")
        try client.order("update")
        try await server.waitForUpdates()
        #expect(try songs(client) == all)
        let difference = try LibraryPicture.difference(server, before)
        #expect(difference == "", "\(difference)")

        // Back again, it is noticed, and so is what changes in it then.
        try namespace.run("mount --bind \(store) \(mount)")
        try #require(try wait(client) { try !says($0) }, "\(server.process.errorText)")
        for number in 60..<72 { try tagged.write(number) }
        #expect(try wait(client) { try songs($0) == all + 12 }, "\(server.process.errorText)")
    }

    @Test func filesThatChangeWhileTheyAreRead() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("tagged")
        let tagged = try await TaggedMusic(songs: 240, coverSize: 16, at: music)
        let server = try await Segued.start(.mpdConf("auto_update \"yes\""), in: folder, music: music)
        let client = try server.connect()
        var generator = SystemRandomNumberGenerator()
        for round in 0..<30 {
            try client.order("rescan")
            // Written in place, so that readers meet halves of files.
            for _ in 0..<40 {
                try tagged.write(Int.random(in: 0..<240, using: &generator), remark: "\(round) of \(generator.next())")
            }
            if round % 3 == 0 { try await server.waitForUpdates() }
        }
        let expected = try await LibraryPicture.fresh(music)
        _ = try wait(client) { _ in try LibraryPicture.of(server) == expected }
        let difference = try LibraryPicture.difference(server, expected)
        #expect(difference == "", "\(difference)")
        try await server.waitForUpdates()
        #expect(try server.connect().ask("library problems") == ["OK"])
    }

    @Test(.timeLimit(.minutes(5))) func burstOfEvents() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("tagged")
        _ = try await TaggedMusic(songs: 720, coverSize: 16, at: music)
        let server = try await Segued.start(.mpdConf("auto_update \"yes\""), in: folder, music: music)
        let client = try server.connect()
        let song = TaggedMusic.uri(40)
        try client.order("sticker set song \"\(song)\" rating 5")
        // Each copy is about 1,700 events, each removal half of that.
        let script = """
            set -e
            mv 'Artist 1' 'Renamed 1'
            for n in 1 2 3 4 5; do mkdir Copies; cp -r Artist* Copies; mv Copies "Copies $n"; done
            rm -r 'Copies 2' 'Artist 5' 'Copies 4/Artist 7'
            mv 'Copies 3/Artist 2' 'Artist 2/below'
            rm -r 'Copies 1' && cp -r 'Copies 5' 'Copies 1'
            mv 'Artist 3' swap && mv 'Artist 4' 'Artist 3' && mv swap 'Artist 4'
            mkdir -p deep/er/and/deeper && cp -r 'Artist 6' deep/er/and/deeper && mv deep/er 'Copies 1'
            """
        try ChildProcess.run("sh", ["-c", script], folder: music)
        let expected = try await LibraryPicture.fresh(music)
        _ = try wait(client) { _ in try LibraryPicture.of(server) == expected }
        let difference = try LibraryPicture.difference(server, expected)
        #expect(difference == "", "\(difference)\n\(server.process.errorText)")
        try await server.waitForUpdates()
        let place = song.replacing("Artist 1/", with: "Renamed 1/")
        // The first connection may have been closed, if all of that took more than a minute.
        #expect(try server.connect().ask("sticker get song \"\(place)\" rating") == ["sticker: rating=5", "OK"])
    }
}
