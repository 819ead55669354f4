import Foundation
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// The chapters of the current song.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct ChapterTests {
    /// A book of a minute with three chapters, the second of which has no title, and two that are not heard; and songs without
    /// chapters.
    private func start() async throws -> Segued {
        let music = try await OwnMusic()
        let marks = [
            "CHAPTER001=00:00:00.000", "CHAPTER001NAME=One", "CHAPTER002=00:00:20.500", "CHAPTER003=00:00:40.000",
            "CHAPTER003NAME=At the same time", "CHAPTER004=00:00:40.000", "CHAPTER004NAME=Last words",
            "CHAPTER005=99:00:00.000", "CHAPTER005NAME=Beyond",
        ]
        try await MediaFixtures.ffmpeg(
            ["-f", "lavfi", "-i", "sine=400:d=60"] + marks.flatMap { ["-metadata", $0] } + [music.path + "/book.flac"]
        )
        return try await Segued.start(in: music.folder, music: music.path)
    }

    private func chapters(_ client: LineClient) throws -> [String] {
        while client.ask("status").allSatisfy({ !$0.hasPrefix("audio: ") }) { try client.order("idle player") }
        return client.ask("chapters")
    }

    @Test func theyAreTold() async throws {
        let server = try await start()
        let client = try server.connect()
        #expect(client.ask("chapters") == ["OK"])
        for command in ["add book.flac", "add one.flac", "play 0"] { try client.order(command) }
        #expect(
            try chapters(client) == [
                "chapter: 1", "title: One", "start: 0.000", "end: 20.500", "chapter: 2", "start: 20.500", "end: 40.000",
                "chapter: 3", "title: Last words", "start: 40.000", "end: 60.000", "OK",
            ]
        )
        let result = try JSONClient(server.connect()).result("chapters")
        #expect(result.elements.map { $0["start"]?.number } == [0, 20.5, 40])
        #expect(result.elements.dropFirst().first?.text == #"{"chapter":2,"start":20.5,"end":40}"#)
        try client.order("play 1")
        #expect(try chapters(client) == ["OK"])
        try client.order("stop")
        #expect(client.ask("chapters") == ["OK"])
    }

    /// A part of a file has the chapters that are heard in it, by its own time.
    @Test func ofAPart() async throws {
        let client = try await start().connect()
        let id = try #require(try client.values("addid book.flac")["Id"])
        try client.order("rangeid \(id) 30:50")
        try client.order("play")
        #expect(
            try chapters(client) == [
                "chapter: 1", "start: 0.000", "end: 10.000", "chapter: 2", "title: Last words", "start: 10.000",
                "end: 20.000", "OK",
            ]
        )
    }

    @Test func ofASongThatAClientDoesNotSee() async throws {
        let server = try await start()
        let client = try server.connect()
        try client.order("add book.flac")
        try client.order("play")
        #expect(try chapters(client).count > 1)
        let guest = try server.connect()
        let password = try #require(
            try client.values("clients password guest permissions read folder elsewhere")["password"]
        )
        try guest.order("password \(password)")
        #expect(guest.ask("chapters") == ["OK"])
    }
}
