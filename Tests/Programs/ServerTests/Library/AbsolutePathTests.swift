import Foundation
import TestSupport
import TestThreads
import Testing

/// Songs of the music directory that clients name by whole paths, as file managers and scripts do.
@Suite(.blocking, .enabled("mpd or the fixtures' tools are missing") { RealMPD.missing.isEmpty })
struct AbsolutePathTests {
    /// `%` is the music directory.
    private static let commands = [
        "add %/one.flac", "addid file://%/two.flac", "addid \"%/Blue/01 So What.flac\" 0",
        "add \"file://%/Blue/02 Freddie Freeloader.flac\"", "playlistinfo", "addid %/none.flac",
        "addid file://%/one%20two.flac", "clear", "list: add %/one.flac | addid file://%/two.flac | add two.flac",
        "playlist", "readcomments %/one.flac", "albumart \"%/Blue/01 So What.flac\" 999999",
        "playlistadd mine file://%/one.flac", "playlistadd mine \"file://%/Blue/01 So What.flac\"",
        "listplaylist mine", "load mine", "playlist",
    ]

    @Test func areRelativeToItAsInMPD() async throws {
        let own = try await OwnMusic()
        let lines = Self.commands.map { $0.replacing("%/", with: own.path + "/").replacing("%", with: own.path) }
        let session = Session("absolute paths", lines.joined(separator: "\n"))
        let theirs = try SessionRun.exchanges(of: session, with: await RealMPD.start(music: own.path))
        let ours = try SessionRun.exchanges(of: session, with: await Segued.start(.mpdConf(""), music: own.path))
        for (their, our) in zip(theirs, ours) {
            #expect(Difference.levelled(our) == Difference.levelled(their), "\(their.line)")
        }
    }

    /// Directories, too, and whatever else takes a URI; MPD takes them for files elsewhere, which they are not.
    @Test func standForDirectories() async throws {
        let own = try await OwnMusic()
        let server = try await Segued.start(in: own.folder, music: own.path)
        let client = try server.connect()
        for (path, uri) in [("", ""), ("/", ""), ("/Blue", "Blue"), ("/Blue/../one.flac", "one.flac"), ("/no", "no")] {
            for command in ["lsinfo", "add", "playlistadd mine"] {
                for prefix in ["", "file://"] {
                    let found = client.ask("\(command) \"\(prefix)\(own.path)\(path)\"")
                    #expect(found == client.ask("\(command) \"\(uri)\""), "\(command) \(path)")
                }
            }
        }
        #expect(own.uris(client, "playlistinfo").filter { $0.hasPrefix("/") } == [])
        #expect(client.ask("lsinfo \(own.path)/../one.flac").first?.hasPrefix("ACK") == true)
    }

    /// They follow their files, as any song of the music directory does; what lies elsewhere stays what it is.
    @Test func followTheirFiles() async throws {
        let own = try await OwnMusic()
        let link = own.folder.file("link")
        try own.files.createSymbolicLink(atPath: link, withDestinationPath: own.path)
        let outside = own.folder.file("outside.flac")
        try own.files.copyItem(atPath: own.path + "/two.flac", toPath: outside)
        let server = try await Segued.start(in: own.folder, music: link)
        let client = try server.connect()
        for uri in [link + "/one.flac", "file://" + link + "/two.flac", own.path + "/one.flac", outside] {
            try client.order("add \(uri)")
        }
        #expect(own.uris(client, "playlistinfo") == ["one.flac", "two.flac", "one.flac", outside])
        try own.move("one.flac", to: "other/uno.flac")
        try own.move("two.flac", to: "one.flac")
        try own.update(client)
        #expect(own.uris(client, "playlistinfo") == ["other/uno.flac", "one.flac", "other/uno.flac", outside])
    }
}
