import AudioTypes
import Foundation
import LibraryService
import MPRIS
import MusicDirectories
import NIOCore
import PictureWorkers
import ServerArtwork
import ServerBasics
import ServerMusic
import ServerPersistence
import ServerRooms
import ServerSessions
import ServiceTestSupport
import Settings
import Songs
import TestSupport
import Testing
import Threads
import Zones

@testable import ServerNowPlaying

/// The files of the zones' covers.
@Suite actor PlayerCoversTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private final class Stage {
        let folder: TemporaryFolder
        let zone: Zone
        let covers: PlayerCovers
        let loop = TestLoop()
        let work = WorkThreads()
        /// How often a cover was made.
        var ready: Watched<Int> { seen.ready }
        private let upkeep: LibraryUpkeep
        private let artwork: ArtworkService
        private let seen = Seen()
        private let sessions = TestSessions()

        private final class Seen: ArtworkDelegate, LibraryDelegate, NowPlayingDelegate {
            let ready = Watched(0)
            var log: @Sendable (LogLevel, String) -> Void { { _, _ in } }

            func nowPlayingChanged() { ready.withLock { $0 += 1 } }
            func sessionCoverMade() {}
            func artworkReady(in zone: Zone) {}
            func artworkKnown(in zone: Zone) {}
            func libraryChanged(_ changes: Subsystems) {}
            func libraryStatusChanged() {}
            func songsChanged(in library: MusicLibrary) {}
        }

        /// - Parameter hasProgram: Whether pictures are made at all.
        init(hasProgram: Bool = true) throws {
            folder = try TemporaryFolder()
            zone = try sessions.add("a", .nowhere("x"))
            for (name, cover) in [("red", TestPictures.red), ("blue", TestPictures.blue), ("again", TestPictures.red)] {
                _ = try folder.makeFolder("music/\(name)")
                try folder.write("music/\(name)/song.mp3", TestPictures.song(cover))
            }
            _ = try folder.makeFolder("music/bare")
            try folder.write("music/bare/song.mp3", MadeMedia.mp3())
            let rooms = sessions.rooms
            let store =
                try hasProgram
                ? PictureStore(program: builtProgram("segue-pictures"), workers: 1, folder: nil) : nil
            let music = MusicDirectory(root: folder.file("music"), followsOutsideLinks: false)
            let media = MusicAccess(music, nil, rooms.configuration)
            let stickers = StickerService(rooms.configuration) { _ in }
            upkeep = LibraryUpkeep(
                media,
                rooms.rooms,
                stickers,
                rooms.configuration,
                work,
                loop: loop,
                delegate: seen
            )
            artwork = ArtworkService(
                media,
                upkeep,
                rooms.rooms,
                rooms.configuration,
                store,
                work,
                loop: loop,
                delegate: seen
            )
            covers = PlayerCovers(folder: folder.file("covers"), artwork, work, loop: loop, delegate: seen)
        }

        func play(_ name: String) throws {
            zone.clear()
            _ = try zone.add([Song(uri: "\(name)/song.mp3")])
            try zone.play()
        }

        /// Waits until a look has ended, and the removals that it caused.
        func wait(forCovers count: Int) async throws {
            guard await ready.wait(within: .patience, until: { $0 >= count }) else {
                throw TestRooms.Missing(what: "cover \(count)")
            }
            await finish("")
        }

        /// Waits for the work that was in the work queue of a folder.
        func finish(_ place: String) async {
            await withCheckedContinuation { continuation in
                work.submit(to: .artworkAhead(place)) { continuation.resume() }
            }
        }

        var files: [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: folder.file("covers"))) ?? []).sorted()
        }

        /// The address of the only file.
        var address: String? { files.count == 1 ? fileURL(folder.file("covers/" + files[0])) : nil }
    }

    @Test func theCoverOfWhatPlaysIsAFile() async throws {
        let stage = try Stage()
        #expect(stage.covers.address(of: stage.zone) == nil)
        try stage.play("red")
        #expect(stage.covers.address(of: stage.zone) == nil, "it is looked for")
        try await stage.wait(forCovers: 1)
        let address = try #require(stage.covers.address(of: stage.zone))
        #expect(address == stage.address && address.hasSuffix(".jpg"))
        #expect(try FileBytes.read(stage.folder.file("covers/" + stage.files[0])).starts(with: [0xff, 0xd8, 0xff]))
        #expect(stage.ready.current == 1)
        stage.zone.stop()
        #expect(stage.covers.address(of: stage.zone) == nil)
    }

    /// The next song does not show the cover of the one before, whose file goes.
    @Test func anotherSongHasAnotherCover() async throws {
        let stage = try Stage()
        try stage.play("red")
        _ = stage.covers.address(of: stage.zone)
        try await stage.wait(forCovers: 1)
        let first = stage.covers.address(of: stage.zone)
        try stage.play("blue")
        #expect(stage.covers.address(of: stage.zone) == nil)
        try await stage.wait(forCovers: 2)
        let second = try #require(stage.covers.address(of: stage.zone))
        #expect(second != first && second == stage.address)
        // A song without one.
        try stage.play("bare")
        _ = stage.covers.address(of: stage.zone)
        try await stage.wait(forCovers: 3)
        #expect(stage.covers.address(of: stage.zone) == nil && stage.files.isEmpty)
    }

    /// A cover that is found after its song has ended is removed once the next song has its own.
    @Test func aSongThatIsSkippedLeavesNothing() async throws {
        let stage = try Stage()
        let gate = Watched(false)
        stage.work.submit(to: .artworkAhead("red/song.mp3")) { _ = gate.waitBlocking(within: .patience) { $0 } }
        try stage.play("red")
        _ = stage.covers.address(of: stage.zone)
        try stage.play("blue")
        _ = stage.covers.address(of: stage.zone)
        try await stage.wait(forCovers: 1)
        let shown = try #require(stage.covers.address(of: stage.zone))
        gate.withLock { $0 = true }
        await stage.finish("red/song.mp3")
        stage.loop.runReady()
        #expect(stage.covers.address(of: stage.zone) == shown && stage.files.count == 2)
        try stage.play("bare")
        _ = stage.covers.address(of: stage.zone)
        try await stage.wait(forCovers: 2)
        #expect(stage.files.isEmpty)
    }

    /// A cover is shown until the new one is there.
    @Test func changedMusicIsLookedAtAgain() async throws {
        let stage = try Stage()
        stage.covers.musicChanged()
        #expect(stage.ready.current == 0)
        try stage.play("red")
        _ = stage.covers.address(of: stage.zone)
        try await stage.wait(forCovers: 1)
        let first = try #require(stage.covers.address(of: stage.zone))
        try stage.folder.write("music/red/song.mp3", TestPictures.song(TestPictures.green) + [0])
        #expect(stage.covers.address(of: stage.zone) == first)
        stage.covers.musicChanged()
        #expect(stage.ready.current == 2 && stage.covers.address(of: stage.zone) == first)
        try await stage.wait(forCovers: 3)
        let second = try #require(stage.covers.address(of: stage.zone))
        #expect(second != first && second == stage.address)
    }

    @Test func aZoneThatGoesTakesItsFile() async throws {
        let stage = try Stage()
        try stage.play("red")
        _ = stage.covers.address(of: stage.zone)
        try await stage.wait(forCovers: 1)
        #expect(stage.files.count == 1)
        stage.covers.remove("a")
        await stage.finish("")
        #expect(stage.files.isEmpty)
        // One that goes while its cover is looked for, too.
        try stage.play("blue")
        _ = stage.covers.address(of: stage.zone)
        stage.covers.remove("a")
        await stage.finish("blue/song.mp3")
        stage.loop.runReady()
        await stage.finish("")
        #expect(stage.files.isEmpty && stage.ready.current == 1)
    }

    @Test func withoutPicturesThereAreNoCovers() async throws {
        let stage = try Stage(hasProgram: false)
        try stage.play("red")
        #expect(stage.covers.address(of: stage.zone) == nil)
        await stage.finish("red/song.mp3")
        stage.loop.runReady()
        #expect(stage.covers.address(of: stage.zone) == nil && stage.files.isEmpty && stage.ready.current == 0)
    }
}
