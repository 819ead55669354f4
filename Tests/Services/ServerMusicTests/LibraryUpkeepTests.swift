import AudioTypes
import Foundation
import LibraryIndex
import MusicDirectories
import NIOCore
import PlaylistStore
import Playlists
import ServerBasics
import ServerPersistence
import ServerRooms
import ServerSessions
import ServiceTestSupport
import Settings
import Songs
import Stickers
import TestSupport
import Testing
import Threads

@testable import LibraryService
@testable import ServerMusic
@testable import Zones

/// A real library of a small music directory, whose pauses the test lets pass.
@Suite actor LibraryUpkeepTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private final class Stage {
        let folder: TemporaryFolder
        let sessions = TestSessions()
        var rooms: TestRooms { sessions.rooms }
        let stickers: StickerService
        let media: MusicAccess
        let upkeep: LibraryUpkeep
        let loop = TestLoop()
        let work = WorkThreads()
        private let told = Told()
        var notes: Watched<[Subsystems]> { told.notes }
        var lines: Watched<[String]> { told.lines }
        /// How often songs have changed.
        var changes: Watched<Int> { told.changes }
        /// How often the status of the library has changed.
        var statusChanges: Watched<Int> { told.statusChanges }

        private final class Told: LibraryDelegate {
            let notes = Watched<[Subsystems]>([])
            let lines = Watched<[String]>([])
            let changes = Watched(0)
            let statusChanges = Watched(0)

            var log: @Sendable (LogLevel, String) -> Void { { [lines] _, line in lines.withLock { $0.append(line) } } }

            func libraryChanged(_ changes: Subsystems) { notes.withLock { $0.append(changes) } }
            func libraryStatusChanged() { statusChanges.withLock { $0 += 1 } }
            func songsChanged(in library: MusicLibrary) { changes.withLock { $0 += 1 } }
        }

        /// - Parameters:
        ///   - folder: Holds the state, and the music as `music`, unless told otherwise.
        ///   - music: The path of the music directory; `nil` for none.
        init(_ folder: TemporaryFolder, music: String?, isAutomatic: Bool = false) {
            self.folder = folder
            let rooms = sessions.rooms
            rooms.configuration.value.stateDirectory = folder.file("state")
            rooms.configuration.value.updatesAutomatically = isAutomatic
            let directory = music.map { MusicDirectory(root: $0, followsOutsideLinks: false) }
            let playlists = StoredPlaylists(directory: folder.file("playlists"), music: directory)
            media = MusicAccess(directory, playlists, rooms.configuration)
            stickers = StickerService(rooms.configuration) { _ in }
            upkeep = LibraryUpkeep(
                media,
                rooms.rooms,
                stickers,
                rooms.configuration,
                work,
                loop: loop,
                delegate: told
            )
        }

        deinit { upkeep.library?.close() }

        /// Waits until clients were told so often of a change.
        func wait(for subsystem: Subsystems, count: Int = 1) async throws {
            let isThere = await notes.wait(within: .patience) { $0.count { $0 == subsystem } >= count }
            if !isThere { throw TestRooms.Missing(what: "a change; there was \(lines.current)") }
        }

        func song(_ uri: String) throws -> Song? { try upkeep.library?.read { try $0.song(uri) } }

        /// Waits for the work that was in a work queue.
        func finish(_ workQueue: WorkQueue) async {
            await withCheckedContinuation { continuation in work.submit(to: workQueue) { continuation.resume() } }
        }
    }

    /// A folder with the state's, and with some songs of a quarter of a second.
    private func makeFolder(_ songs: String...) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in ["state", "playlists", "music"] { _ = try folder.makeFolder(name) }
        for song in songs { try writeSound(to: folder.file("music/" + song)) }
        return folder
    }

    private func makeStage(_ folder: TemporaryFolder, isAutomatic: Bool = false) -> Stage {
        Stage(folder, music: folder.file("music"), isAutomatic: isAutomatic)
    }

    // MARK: Updates

    @Test func theFirstUpdateMakesItComplete() async throws {
        let stage = makeStage(try makeFolder("one.wav"))
        #expect(throws: (any Error).self) { try stage.upkeep.requireLibrary() }
        stage.upkeep.start()
        _ = try stage.upkeep.requireLibrary()
        try await stage.wait(for: .database)
        #expect(stage.upkeep.completeLibrary != nil && stage.changes.current == 1)
        #expect(try stage.song("one.wav")?.duration == 0.25)
        try await stage.wait(for: .update, count: 2)
        #expect(stage.loop.waitingCount == 0)
        // An update without changes is told, too.
        #expect(stage.upkeep.library?.update("", rereads: false) != nil)
        try await stage.wait(for: .update, count: 4)
        #expect(stage.changes.current == 1)
    }

    @Test func withoutMusicThereIsNone() throws {
        let stage = Stage(try makeFolder(), music: nil)
        stage.upkeep.start()
        #expect(stage.upkeep.library == nil && stage.upkeep.completeLibrary == nil)
        #expect(throws: (any Error).self) { try stage.upkeep.requireLibrary() }
    }

    /// An index that cannot be opened is tried again, after 5 seconds, 10 and so on.
    @Test func anIndexThatCannotBeOpened() async throws {
        let folder = try makeFolder("one.wav")
        try FileManager.default.removeItem(atPath: folder.file("state"))
        try folder.write("state", "in the way")
        let stage = makeStage(folder)
        stage.upkeep.start()
        #expect(await stage.loop.wait(forTimers: 1))
        stage.loop.pass(4.9)
        #expect(stage.loop.waitingCount == 1)
        stage.loop.pass(0.1)
        try await stage.wait(for: .update, count: 2)
        #expect(await stage.loop.wait(forTimers: 1))
        #expect(stage.lines.current.count == 1, "it is told once")
        stage.loop.pass(9.9)
        #expect(stage.loop.waitingCount == 1)
        try FileManager.default.removeItem(atPath: folder.file("state"))
        _ = try folder.makeFolder("state")
        stage.loop.pass(0.1)
        try await stage.wait(for: .database)
        #expect(stage.upkeep.completeLibrary != nil && stage.loop.waitingCount == 0)
    }

    @Test func aFailedUpdateIsTriedAgain() async throws {
        let folder = try makeFolder()
        try FileManager.default.removeItem(atPath: folder.file("music"))
        let stage = makeStage(folder)
        stage.upkeep.start()
        try await stage.wait(for: .update, count: 2)
        #expect(stage.loop.waitingCount == 1 && stage.upkeep.completeLibrary == nil)
        stage.loop.pass(5)
        try await stage.wait(for: .update, count: 4)
        #expect(stage.lines.current.count == 1)
        _ = try folder.makeFolder("music")
        try writeSound(to: folder.file("music/one.wav"))
        stage.loop.pass(9.9)
        #expect(stage.loop.waitingCount == 1)
        stage.loop.pass(0.1)
        try await stage.wait(for: .database)
        #expect(stage.upkeep.completeLibrary != nil && stage.loop.waitingCount == 0)
    }

    /// The library of another music directory has that one's songs.
    @Test func anotherMusicDirectory() async throws {
        let folder = try makeFolder("one.wav")
        let first = makeStage(folder)
        first.upkeep.start()
        try await first.wait(for: .database)
        first.upkeep.library?.close()
        _ = try folder.makeFolder("other")
        try writeSound(to: folder.file("other/two.wav"))
        let second = Stage(folder, music: folder.file("other"))
        second.upkeep.start()
        try await second.wait(for: .database)
        #expect(second.upkeep.completeLibrary != nil)
        #expect(try second.song("two.wav") != nil && second.song("one.wav") == nil)
    }

    /// Changes on a network file system are not told, so its folders are looked at every quarter of an hour.
    @Test(.enabled(if: StallingFileSystem.missing == nil, "no FUSE: \(StallingFileSystem.missing ?? "")"))
    func unwatchedFoldersAreLookedAt() async throws {
        let folder = try makeFolder("one.wav")
        let system = try StallingFileSystem(of: folder.file("music"))
        let stage = Stage(folder, music: system.path, isAutomatic: true)
        stage.upkeep.start()
        try await stage.wait(for: .update, count: 2)
        let library = try stage.upkeep.requireLibrary()
        for (count, name) in ["two.wav", "three.wav"].enumerated() {
            try writeSound(to: folder.file("music/" + name))
            stage.loop.pass(899.9)
            #expect(try library.updateNumber == nil && stage.song(name) == nil)
            stage.loop.pass(0.1)
            try await stage.wait(for: .update, count: 2 * count + 4)
            #expect(try stage.song(name) != nil)
        }
        withExtendedLifetime(system) {}
    }

    // MARK: Moves

    /// A stage whose song `one.wav` is in a queue, in a playlist and has a sticker.
    private func makeUsed(_ folder: TemporaryFolder) async throws -> Stage {
        let stage = makeStage(folder)
        stage.upkeep.start()
        try await stage.wait(for: .database)
        try stage.sessions.add("a", .nowhere("x"), songs: ["one.wav", "stays.wav"])
        try stage.media.playlists?.save("mine", [Song(uri: "one.wav")])
        stage.stickers.change { $0.set(.song, "one.wav", "rating", to: "5") }
        return stage
    }

    private func move(_ stage: Stage) throws {
        let folder = stage.folder
        try FileManager.default.moveItem(atPath: folder.file("music/one.wav"), toPath: folder.file("music/two.wav"))
        _ = stage.upkeep.library?.update("", rereads: false)
    }

    @Test func everythingFollowsASongThatMoves() async throws {
        let stage = try await makeUsed(try makeFolder("one.wav", "stays.wav"))
        let library = try stage.upkeep.requireLibrary()
        try move(stage)
        try await stage.wait(for: .storedPlaylist)
        let zone = try #require(stage.rooms.rooms.zone(named: "a"))
        #expect((0..<2).map { zone.queue[$0].song.uri } == ["two.wav", "stays.wav"])
        #expect(stage.stickers.store.get(.song, "two.wav", "rating") == "5")
        #expect(try stage.media.playlists?.read("mine").map(\.uri) == ["two.wav"])
        #expect(stage.upkeep.followedMoves?.moves.map(\.to) == ["two.wav"])
        // The library forgets the move once the journals are surely on the disk.
        stage.loop.pass(1.9)
        await stage.finish(.housekeeping)
        #expect(try library.read { try $0.moves(after: 0) }.moves.count == 1)
        stage.loop.pass(0.1)
        await stage.finish(.housekeeping)
        #expect(try library.read { try $0.moves(after: 0) }.moves.isEmpty)
    }

    /// Moves that a playlist could not follow come again at the next start.
    @Test func movesThatCouldNotBeFollowed() async throws {
        let folder = try makeFolder("one.wav", "stays.wav")
        let first = try await makeUsed(folder)
        // Too large to be read.
        let large = try folder.write("playlists/large.m3u", "")
        let file = try #require(FileHandle(forWritingAtPath: large))
        try file.truncate(atOffset: UInt64(StoredPlaylists.largestSize) + 1)
        try file.close()
        try move(first)
        try await first.wait(for: .storedPlaylist)
        #expect(first.upkeep.followedMoves == nil && first.loop.waitingCount == 0)
        #expect(first.lines.current.contains { $0.contains("large") })
        first.upkeep.library?.close()
        try FileManager.default.removeItem(atPath: large)
        let second = makeStage(folder)
        second.stickers.change { $0.set(.song, "one.wav", "rating", to: "5") }
        second.upkeep.start()
        #expect(await second.loop.wait(forTimers: 1))
        #expect(second.upkeep.followedMoves?.moves.map(\.to) == ["two.wav"])
        #expect(second.stickers.store.get(.song, "two.wav", "rating") == "5")
        #expect(!second.notes.current.contains(.storedPlaylist), "it has followed already")
    }

    // MARK: Loudness

    /// It is measured where a zone evens it out, while none plays.
    @Test func whenLoudnessIsMeasured() async throws {
        let stage = makeStage(try makeFolder("one.wav"))
        let zone = try stage.sessions.add("a", .nowhere("x"), songs: ["one.wav"])
        stage.upkeep.start()
        let library = try stage.upkeep.requireLibrary()
        func isWanted() -> Bool {
            stage.upkeep.zonesChanged()
            return library.state.read { $0.loudness.isWanted }
        }
        #expect(!isWanted())
        zone.options.replayGain.mode = .track
        try zone.play()
        #expect(!isWanted())
        zone.stop()
        stage.rooms.configuration.value.measuresLoudness = false
        #expect(!isWanted())
        stage.rooms.configuration.value.measuresLoudness = true
        #expect(isWanted())
    }
    /// Each status that follows an event is of one moment: loudness is being measured until the results are counted.
    @Test func theCountsAreCurrentWhenNothingIsMeasured() async throws {
        struct Told: Equatable {
            var measured: Int?
            var isMeasuring: Bool
        }
        let folder = try makeFolder()
        let tone = Signal.tone(440, seconds: 1, sampleRate: 44_100)
        try WaveFile.write(tone, sampleRate: 44_100, to: folder.file("music/one.wav"))
        let music = MusicDirectory(root: folder.file("music"), followsOutsideLinks: false)
        let (statuses, current) = (Watched<[Told]>([]), Watched<MusicLibrary?>(nil))
        let library = MusicLibrary(
            .init(music: music, path: folder.file("library.db"), followsChanges: false),
            log: { _, _ in },
            report: { event in
                guard case .loudness = event, let status = current.current?.status else { return }
                statuses.withLock {
                    $0.append(Told(measured: status.loudness?.measured, isMeasuring: status.measuresLoudness))
                }
            }
        )
        current.withLock { $0 = library }
        defer { library.close() }
        library.setMeasuresLoudness(true)
        library.start()
        let last = Told(measured: 1, isMeasuring: false)
        #expect(await statuses.wait(within: .patience) { $0.last == last })
        #expect(statuses.current.first?.isMeasuring == true)
        #expect(statuses.current.allSatisfy { $0.isMeasuring || $0 == last })
    }
    @Test func resultsBelongToTheMeasurementUntilTheyAreStored() async throws {
        let stage = makeStage(try makeFolder("one.wav"))
        stage.upkeep.start()
        try await stage.wait(for: .database)
        let song = try #require(
            try stage.upkeep.requireLibrary().read { try $0.unmeasuredSongs(after: 0, limit: 1) }.first
        )
        let library = MusicLibrary(try stage.upkeep.requireLibrary().options, log: { _, _ in }, report: { _ in })
        library.state.change { $0.loudness.results = [SongLoudness(song, nil)] }
        guard case .keepLoudness = library.nextWork() else {
            Issue.record("the results are not stored")
            return
        }
        #expect(library.status.measuresLoudness)
    }

    @Test func clientsThatWatchAreToldOfAMeasurement() async throws {
        let stage = makeStage(try makeFolder("one.wav"))
        let zone = try stage.sessions.add("a", .nowhere("x"), songs: [])
        stage.upkeep.start()
        try await stage.wait(for: .database)
        zone.options.replayGain.mode = .track
        stage.upkeep.zonesChanged()
        #expect(await stage.statusChanges.wait(within: .patience) { $0 == 2 }, "it has begun and ended")
        #expect(try stage.upkeep.requireLibrary().status.loudness?.unmeasured == 0)
    }
}
