import Foundation
import TestSupport
import TestThreads
import Testing

/// The queue of the last time.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct RestoredQueueTests {
    /// What the library knows of its songs is shown without reading a file, as of one that is not there now.
    @Test func whatIsKnownIsNotReadAgain() async throws {
        let own = try await OwnMusic()
        let first = try await Segued.start(in: own.folder, music: own.path)
        try first.connect().order("add one.flac")
        let shown = try first.connect().order("playlistinfo")
        try await first.stop()
        try own.move("one.flac", to: "../away.flac")
        let second = try await Segued.start(in: own.folder, music: own.path)
        let client = try second.connect()
        #expect(shown.contains("Title: One"))
        try wait(for: "the queue as it was") { try client.order("playlistinfo") == shown }
    }

    /// As in MPD; an order that is random begins anywhere.
    @Test(arguments: [("0", "0", "1"), ("1", nil, nil)])
    func aQueueThatWasNotPlayedBeginsWithItsFirstSong(random: String, song: String?, next: String?) async throws {
        let first = try await Segued.start()
        let client = try first.connect()
        for command in ["add one.flac", "add two.flac", "random \(random)"] { try client.order(command) }
        #expect(try client.values("status")["song"] == nil)
        try await first.stop()
        let status = try await Segued.start(in: first.folder).connect().values("status")
        #expect(status["state"] == "stop" && status["song"] == song && status["nextsong"] == next, "\(status)")
    }
}
