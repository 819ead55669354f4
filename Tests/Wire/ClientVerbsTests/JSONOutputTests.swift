import Foundation
import TestSupport
import TestThreads
import Testing

/// Every verb that shows something shows it as JSON, one object per line.
@Suite(.blocking, .serialized, .enabled("mpd or ffmpeg is not installed") { MPDServer.missing.isEmpty })
struct JSONOutputTests {
    private func objects(_ server: MPDServer, _ words: [String]) async throws -> [[String: Any]] {
        try await server.output(words + ["--json"]).split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any], "\(words): \(line)")
        }
    }

    @Test func listings() async throws {
        let server = try await MPDServer.start()
        for words in [["add", "/"], ["save", "mix"], ["sticker", "other/untagged.wav", "set", "k", "v=w"]] {
            _ = try await server.output(words)
        }
        let expected: [(words: [String], count: Int, field: String)] = [
            (["queue"], 4, "file"), (["ls"], 3, "directory"), (["ls", "Blue"], 2, "title"), (["lsall"], 4, "file"),
            (["search", "davis"], 2, "artist"), (["find", "title", "So What"], 1, "tags"),
            (["list", "artist"], 2, "artist"),
            (["list", "album", "group", "artist"], 3, "album"), (["count", "artist", "Miles Davis"], 1, "playtime"),
            (["stats"], 1, "db_playtime"), (["outputs"], 2, "enabled"), (["zone", "ls"], 1, "zone"),
            (["playlist", "ls"], 1, "playlist"), (["playlist", "mix"], 4, "file"), (["status"], 1, "state"),
            (["version"], 1, "protocol"), (["volume"], 1, "volume"), (["crossfade"], 1, "crossfade"),
            (["replaygain"], 1, "replay_gain_mode"), (["sticker", "other", "find", "k"], 1, "value"),
            (["doctor"], 7, "result"), (["current"], 0, ""), (["play", "2"], 1, "song"), (["current"], 1, "position"),
            (["queued"], 1, "file"), (["pause"], 1, "elapsed"), (["update", "-w"], 1, "updating"),
        ]
        for (words, count, field) in expected {
            let objects = try await objects(server, words)
            #expect(objects.count == count, "\(words)")
            if let first = objects.first { #expect(first[field] != nil, "\(words) has no \(field)") }
        }
        #expect(try await objects(server, ["-q", "play"]).isEmpty)
    }

    @Test func aStatus() async throws {
        let server = try await MPDServer.start()
        for words in [["add", "Blue"], ["play", "2"], ["pause"], ["seek", "5"], ["single", "once"]] {
            _ = try await server.output(words)
        }
        let status = try #require(try await objects(server, ["status"]).first)
        #expect(status["state"] as? String == "paused")
        #expect(status["position"] as? Int == 2)
        #expect(status["queue_length"] as? Int == 2)
        #expect(status["elapsed"] as? Double == 5)
        #expect(status["duration"] as? Double == 20)
        #expect(status["repeat"] as? Bool == false)
        #expect(status["single"] as? String == "once")
        #expect(status["speed"] as? Double == 1)
        let song = try #require(status["song"] as? [String: Any])
        #expect(song["title"] as? String == "Freddie Freeloader")
        #expect(song["position"] as? Int == 2)
        #expect((song["tags"] as? [String: [String]])?["artist"] == ["Miles Davis"])
    }
}
