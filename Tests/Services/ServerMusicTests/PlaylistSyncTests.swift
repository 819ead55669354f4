import NIOCore
import PlaylistStore
import ServerBasics
import ServiceTestSupport
import Songs
import TestSupport
import Testing
import Threads

@testable import ServerMusic

/// When additions to stored playlists are brought to the disk.
@Suite actor PlaylistSyncTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private let loop = TestLoop()
    private let work = WorkThreads()
    private let synced = Watched<[String]>([])
    private let lines = Watched<[String]>([])

    /// - Parameter sync: Called after the name was noted.
    private func makeSync(_ sync: @escaping @Sendable (String) throws -> Void = { _ in }) -> PlaylistSync {
        let (synced, lines) = (synced, lines)
        let note: @Sendable (String) throws -> Void = { name in
            synced.withLock { $0.append(name) }
            try sync(name)
        }
        return PlaylistSync(note, work, loop: loop) { _, line in lines.withLock { $0.append(line) } }
    }

    /// The names that were synced, once all work is done.
    private func names() async -> [String] {
        await withCheckedContinuation { continuation in
            work.submit(to: .playlistChanges) { continuation.resume() }
        }
        return synced.current
    }

    @Test func manyAdditionsShareOneSync() async {
        let sync = makeSync()
        for name in ["b", "a", "b"] { sync.added(to: name) }
        loop.pass(1.5)
        sync.added(to: "b")
        loop.pass(0.4)
        #expect(await names() == [])
        loop.pass(0.1)
        #expect(await names() == ["a", "b"])
        #expect(loop.waitingCount == 0)
        // A later addition is synced later.
        sync.added(to: "a")
        #expect(await names() == ["a", "b"])
        loop.pass(2)
        #expect(await names() == ["a", "b", "a"])
    }

    /// Names that are different bytes are different files, even if they look the same.
    @Test func namesAreBytes() async {
        let sync = makeSync()
        for name in ["\u{e4}", "a\u{308}"] { sync.added(to: name) }
        loop.pass(2)
        #expect(await names().count == 2)
    }

    @Test func theEndWaitsForNothingElse() async {
        let sync = makeSync()
        sync.added(to: "a")
        let ended = Watched(0)
        sync.syncAll { ended.withLock { $0 += 1 } }
        #expect(await names() == ["a"])
        #expect(ended.current == 1)
        // Nothing is left for the timer.
        loop.pass(2)
        #expect(await names() == ["a"])
        sync.syncAll { ended.withLock { $0 += 1 } }
        #expect(ended.current == 2)
    }

    /// A playlist that cannot be synced is told of, and does not keep the others from it.
    @Test func aFailureIsLogged() async {
        let sync = makeSync { name in if name == "a" { throw StoredPlaylistError.badName(name) } }
        for name in ["a", "b"] { sync.added(to: name) }
        loop.pass(2)
        #expect(await names() == ["a", "b"])
        #expect(lines.current == ["\(StoredPlaylistError.badName("a"))"])
    }

    @Test func withoutStoredPlaylistsThereIsNothingToDo() {
        let sync = PlaylistSync(nil, work, loop: loop) { _, _ in }
        sync.added(to: "a")
        let ended = Watched(false)
        sync.syncAll { ended.withLock { $0 = true } }
        #expect(ended.current)
    }
}
