import Foundation
import TestSupport
import TestThreads
import Testing

/// `library media`, and what pictures and videos are to MPD's commands.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct MediaTests {
    /// A photo, a film with sound, one without, and a cover.
    private func start() async throws -> (OwnMusic, Segued) {
        let music = try await OwnMusic()
        try music.files.createDirectory(atPath: music.path + "/Photos", withIntermediateDirectories: true)
        let jpeg = MadeMedia.jpeg(width: 4000, height: 3000)
        try FileBytes.write(jpeg, to: music.path + "/Photos/1.jpg")
        try FileBytes.write(jpeg, to: music.path + "/Blue/cover.jpg")
        let video = ["-f", "lavfi", "-i", "testsrc=s=64x48:d=1"]
        let date = ["-metadata", "creation_time=2024-05-17T18:30:00Z", "-c:v", "mpeg4"]
        try await MediaFixtures.ffmpeg(video + date + [music.path + "/Photos/silent.mp4"])
        try await MediaFixtures.ffmpeg(
            video + ["-f", "lavfi", "-i", "sine=d=1"] + date + [music.path + "/Photos/loud.mp4"]
        )
        return (music, try await Segued.start(in: music.folder, music: music.path))
    }

    @Test func picturesAndVideosAreListed() async throws {
        let (music, server) = try await start()
        let client = try server.connect()
        #expect(
            music.uris(client, "library media") == [
                "Blue/cover.jpg", "Photos/1.jpg", "Photos/loud.mp4", "Photos/silent.mp4",
            ]
        )
        let lines = client.ask("library media video Photos window 1:")
        #expect(lines.first == "file: Photos/silent.mp4")
        #expect(
            lines.filter { !$0.hasPrefix("size: ") && !$0.hasPrefix("Last-Modified: ") }.dropFirst() == [
                "kind: video", "width: 64", "height: 48", "captured: 2024-05-17T18:30:00Z", "duration: 1.000", "OK",
            ]
        )
        #expect(client.ask("library media image Blue").contains("cover: 1"))
        #expect(music.uris(client, "library media image /") == ["Blue/cover.jpg", "Photos/1.jpg"])
        #expect(music.uris(client, "library media image Photos/") == ["Photos/1.jpg"])
        #expect(music.uris(client, "library media Photos/1.jpg") == ["Photos/1.jpg"])
        #expect(music.uris(client, "library media window 3:9") == ["Photos/silent.mp4"])
        #expect(client.ask("library media nowhere") == ["ACK [50@0] {library} No such directory"])
        #expect(client.ask("library media image").last == "OK")
        #expect(music.uris(client, "library media filter not(covers)").count == 3)
        #expect(music.uris(client, "library media image filter not(covers) window 0:1") == ["Photos/1.jpg"])
        #expect(
            music.uris(client, "library media Photos window 1:9 filter any(videos,covers)") == ["Photos/silent.mp4"]
        )
        #expect(music.uris(client, "library media video Photos filter images") == [])
        for wrong in [
            "media a b", "media image a b", "media window x", "media window 5:2", "problems x", "media filter photos",
            "media filter images filter images", "media window 0:1 window 0:1",
        ] {
            #expect(client.ask("library \(wrong)").first?.hasPrefix("ACK [2@0] {library} ") == true, "\(wrong)")
        }
    }

    @Test func onlyWhatCanBeHeardIsASong() async throws {
        let (music, server) = try await start()
        let client = try server.connect()
        #expect(music.uris(client, "lsinfo Photos") == ["Photos/loud.mp4"])
        #expect(music.uris(client, "listall Photos") == ["Photos/loud.mp4"])
        #expect(try client.values("stats")["songs"] == "7")
        #expect(client.ask("library problems") == ["OK"])
        // Both are files all the same.
        #expect(music.uris(client, "listfiles Photos").sorted() == ["1.jpg", "loud.mp4", "silent.mp4"])
    }

    @Test func theListFollowsTheFiles() async throws {
        let (music, server) = try await start()
        let client = try server.connect()
        try music.move("Photos/1.jpg", to: "Photos/2.jpg")
        try FileBytes.write(MadeMedia.png, to: music.path + "/Photos/3.png")
        try music.update(client)
        #expect(music.uris(client, "library media image Photos") == ["Photos/2.jpg", "Photos/3.png"])
        try FileBytes.write([1, 2, 3], to: music.path + "/Photos/3.png")
        try music.update(client)
        #expect(music.uris(client, "library media image Photos") == ["Photos/2.jpg"])
        #expect(music.uris(client, "library problems") == ["Photos/3.png"])
    }

    @Test func theVerbShowsThem() async throws {
        let (_, server) = try await start()
        let program = try Segued.path().replacing(/segued$/, with: "segue")
        func run(_ words: [String]) async throws -> String {
            let environment = ["LANG": "C.UTF-8", "MPD_HOST": server.socket]
            return try await ChildProcess(program, words, environment: environment).wait().outputText
        }
        let lines = try await run(["library", "media", "--json", "video", "Photos"]).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(
            lines[1].hasPrefix(
                #"{"file":"Photos/silent.mp4","kind":"video","width":64,"height":48,"captured":"2024-05-17T18:30:00Z","#
                    + #""duration":1,"size":"#
            )
        )
        #expect(try await run(["library", "media", "Photos/1.jpg"]) == "Photos/1.jpg\timage\t4000 x 3000\t\t\n")
    }
}
