import Foundation
import TestSupport
import Testing

/// The queue of the last time.
@Suite(.enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
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
        let end = ContinuousClock.now + .seconds(10)
        while try client.order("playlistinfo") != shown, ContinuousClock.now < end {}
        #expect(try client.order("playlistinfo") == shown)
    }
}
