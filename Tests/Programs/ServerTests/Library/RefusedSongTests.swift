import Foundation
import TestSupport
import TestThreads
import Testing

/// What the library lists as a problem is not added.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct RefusedSongTests {
    @Test func problemsAreRefusedUntilTheyChange() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("music")
        let good = try await Music.folder() + "/one.flac"
        try FileManager.default.copyItem(atPath: good, toPath: music + "/good.flac")
        try folder.write("music/bad.flac", "this is no music\n")
        let server = try await Segued.start(in: folder, music: music)
        let client = try server.connect()
        let problems = try client.values("library problems")
        #expect(problems["file"] == "bad.flac")
        let reason = try #require(problems["problem"])
        for command in ["add", "addid"] {
            #expect(client.ask("\(command) bad.flac") == ["ACK [50@0] {\(command)} bad.flac: \(reason)"])
        }
        let segue = try Segued.path().replacing(/segued$/, with: "segue")
        let environment = ["MPD_HOST": server.socket, "LANG": "C.UTF-8"]
        let result = try await ChildProcess(segue, ["add", "bad.flac"], environment: environment).wait()
        #expect(result.status == .code(1) && result.errorText == "segue: bad.flac: \(reason)\n", "\(result.errorText)")
        try client.order("add good.flac")
        try client.order("add /")
        #expect(try client.values("status")["playlistlength"] == "2")
        // It may be good by now.
        try FileManager.default.removeItem(atPath: music + "/bad.flac")
        try FileManager.default.copyItem(atPath: good, toPath: music + "/bad.flac")
        try FileManager.default.setAttributes([.modificationDate: Date.now + 100], ofItemAtPath: music + "/bad.flac")
        try client.order("addid bad.flac")
    }
}
