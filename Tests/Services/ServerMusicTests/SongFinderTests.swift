import AudioTypes
import Foundation
import LibraryIndex
import LibraryService
import MusicDirectories
import ServiceTestSupport
import Songs
import TestSupport
import TestThreads
import Testing

@testable import ServerMusic

/// How often the disk is read for songs that are added one after another.
@Suite(.blocking) struct SongFinderTests {
    private let folder: TemporaryFolder
    private let now = Watched(HostTime(nanoseconds: 1_000_000_000))
    private let finder: SongFinder

    init() throws {
        folder = try TemporaryFolder()
        for album in ["a", "b"] {
            _ = try folder.makeFolder("music/\(album)")
            for number in 0..<10 { try writeSound(to: folder.file("music/\(album)/\(number).wav")) }
        }
        let now = now
        finder = SongFinder(
            MusicDirectory(root: folder.file("music"), followsOutsideLinks: false),
            SongCache(capacity: 100),
            now: { now.current }
        )
    }

    private func pass(_ seconds: Double) { now.withLock { $0 = $0 + seconds } }

    private func uris(_ album: String, _ numbers: Range<Int>) -> [String] { numbers.map { "\(album)/\($0).wav" } }

    /// The URIs of the songs that were found, by the URI that was asked for; an empty list for one that does not exist.
    private func find(_ uris: [String], _ library: LibraryView? = nil) -> [String: [String]] {
        finder.find(uris, library).reduce(into: [:]) { found, entry in
            found[entry.uri] = (try? entry.songs.get().map(\.uri)) ?? []
        }
    }

    // MARK: The disk

    @Test func songsAndFoldersAreFound() throws {
        try folder.write("music/a/notes.txt", "x")
        let found = find(["a/1.wav", "b", "a/none.wav", "a/notes.txt"])
        #expect(found["a/1.wav"] == ["a/1.wav"])
        #expect(found["b"] == uris("b", 0..<10))
        #expect(found["a/none.wav"] == [] && found["a/notes.txt"] == [])
        // Tags of a few are read at once.
        #expect(try finder.find(["a/1.wav"], nil).first?.songs.get().first?.duration == 0.25)
    }

    /// After eight lookups in a folder all of it is read, and the next songs need no disk.
    @Test func manyLookupsReadTheFolder() throws {
        for uri in uris("a", 0..<7) { _ = find([uri]) }
        #expect(finder.recent("a/8.wav") == nil)
        _ = find(["a/7.wav"])
        #expect(finder.recent("a/8.wav")?.uri == "a/8.wav")
        #expect(finder.recent("a/none.wav") == nil && finder.recent("b/1.wav") == nil)
        // The next folder is read at once, as it probably goes on like this.
        _ = find(["b/0.wav"])
        #expect(finder.recent("b/1.wav")?.uri == "b/1.wav")
    }

    @Test func manyAtOnceReadTheFolder() {
        _ = find(uris("a", 0..<8))
        #expect(finder.recent("a/9.wav") != nil)
    }

    @Test func lookupsHereAndThereReadNoFolder() {
        for number in 0..<10 { for album in ["a", "b"] { _ = find(["\(album)/\(number).wav"]) } }
        #expect(finder.recent("a/1.wav") == nil && finder.recent("b/1.wav") == nil)
    }

    /// A listing is old after two seconds.
    @Test func aListingIsFreshForAWhile() throws {
        _ = find(uris("a", 0..<8))
        try FileManager.default.removeItem(atPath: folder.file("music/a/8.wav"))
        pass(1.9)
        #expect(finder.recent("a/8.wav") != nil)
        pass(0.1)
        #expect(finder.recent("a/8.wav") == nil && finder.recent("a/9.wav") == nil)
        #expect(find(["a/8.wav"]) == ["a/8.wav": []])
        #expect(finder.recent("a/9.wav") != nil, "it was read again")
    }

    // MARK: The library

    /// A library that has read everything.
    private func makeLibrary() throws -> MusicLibrary {
        let changes = Watched(0)
        let music = MusicDirectory(root: folder.file("music"), followsOutsideLinks: false)
        let options = MusicLibrary.Options(music: music, path: folder.file("library.db"), followsChanges: false)
        let report: @Sendable (LibraryEvent) -> Void = { event in
            if case .changed = event { changes.withLock { $0 += 1 } }
        }
        let library = MusicLibrary(options, log: { _, _ in }, report: report)
        library.start()
        #expect(changes.waitBlocking(within: .patience) { $0 > 0 })
        return library
    }

    @Test func theLibraryAnswersFirst() throws {
        let library = try makeLibrary()
        defer { library.close() }
        try FileManager.default.removeItem(atPath: folder.file("music/a/0.wav"))
        try writeSound(to: folder.file("music/a/new.wav"))
        let found = find(["a/0.wav", "b", "a/new.wav", "a/none.wav"], LibraryView(library))
        // The library has not been told of the removal; songs that it lacks are on the disk.
        #expect(found["a/0.wav"] == ["a/0.wav"] && found["a/new.wav"] == ["a/new.wav"])
        #expect(found["b"].map { Set($0) } == Set(uris("b", 0..<10)))
        #expect(found["a/none.wav"] == [])
    }

    @Test func manyLookupsKeepTheLibrarysFolder() throws {
        let library = try makeLibrary()
        defer { library.close() }
        let view = LibraryView(library)
        for uri in uris("a", 0..<7) { _ = find([uri], view) }
        #expect(finder.recent("a/8.wav", in: view) == nil)
        _ = find(["a/7.wav"], view)
        #expect(finder.recent("a/8.wav", in: view)?.duration == 0.25)
        #expect(finder.recent("b/1.wav", in: view) == nil)
        // A client that sees nothing of the library finds nothing in what others looked for.
        #expect(finder.recent("a/8.wav", in: LibraryView(library, VisibleSongs.none)) == nil)
    }

    /// A change of the library invalidates the songs that were cached from it.
    @Test func aLibraryThatChangesIsAskedAgain() throws {
        let library = try makeLibrary()
        defer { library.close() }
        let view = LibraryView(library)
        _ = find(uris("a", 0..<8), view)
        #expect(finder.recent("a/9.wav", in: view) != nil)
        let before = library.generation
        try FileManager.default.removeItem(atPath: folder.file("music/a/9.wav"))
        _ = library.update("", rereads: false)
        try wait(for: "the update") { library.generation != before && library.updateNumber == nil }
        #expect(finder.recent("a/9.wav", in: view) == nil)
    }

    /// A file that the library lists as a problem is refused until it changes.
    @Test func problemsAreRefused() throws {
        try folder.write("music/bad.flac", "no music")
        let library = try makeLibrary()
        defer { library.close() }
        let found = try #require(finder.find(["bad.flac"], LibraryView(library)).first)
        #expect(throws: UnusableSong.self) { try found.songs.get() }
        try writeSound(to: folder.file("music/bad.flac"))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
            ofItemAtPath: folder.file("music/bad.flac")
        )
        #expect(find(["bad.flac"], LibraryView(library)) == ["bad.flac": ["bad.flac"]])
    }
}
