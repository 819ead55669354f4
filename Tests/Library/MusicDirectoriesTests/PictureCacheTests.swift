import Foundation
import Glibc
import MusicDirectories
import TestSupport
import Testing

/// Pictures are looked for once, and again when their files change.
@Suite(.enabled("ffmpeg, lame or flac is not installed") { MediaFixtures.missing.isEmpty })
struct PictureCacheTests {
    /// A folder of songs with pictures, some without, and a CUE sheet.
    private static func fixture() async throws -> MusicFixture {
        let music = try MusicFixture()
        let covered = try await MediaFixtures.tagged("covered", .flac, tags: [:])
        for name in ["a/1.flac", "a/2.flac", "b/disc.flac"] { try music.copy(covered, to: name) }
        try music.copy(try await MusicFixture.song(.flac), to: "a/plain.flac")
        try music.write("b/disc.cue", "FILE \"disc.flac\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\n")
        try music.settle()
        return music
    }

    /// How often a cache had to look.
    private final class Looks {
        private(set) var count = 0

        func note<Answer>() -> Answer? {
            count += 1
            return nil
        }
    }

    @Test(arguments: ["a/1.flac", "a/plain.flac", "b/disc.cue/track0001"])
    func looksOnceUntilTheFileChanges(_ uri: String) async throws {
        let music = try await Self.fixture()
        let (cache, looks) = (PictureCache(restlessness: .zero), Looks())
        let expected = try music.directory.picture(uri)
        for _ in 0..<3 {
            #expect(try cache.picture(uri, in: music.directory) { _, _ in looks.note() } == expected)
        }
        #expect(looks.count == 1)
        try music.settle()
        let file = uri.hasPrefix("b") ? "b/disc.flac" : uri
        try ChildProcess.run("metaflac", ["--remove", "--block-type=PICTURE", music.path + "/" + file])
        #expect(try cache.picture(uri, in: music.directory) { _, _ in looks.note() } == nil)
        #expect(looks.count == 2)
        try FileManager.default.removeItem(atPath: music.path + "/" + file)
        #expect(throws: MusicDirectoryError.self) {
            try cache.picture(uri, in: music.directory) { _, _ in looks.note() }
        }
    }

    @Test func anotherSheetHasAnotherPicture() async throws {
        let music = try await Self.fixture()
        let cache = PictureCache(restlessness: .zero)
        let uri = "b/disc.cue/track0001"
        #expect(try cache.picture(uri, in: music.directory) { _, _ in nil } != nil)
        try music.settle()
        try music.write("b/disc.cue", "FILE \"../a/plain.flac\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\n")
        #expect(try cache.picture(uri, in: music.directory) { _, _ in nil } == nil)
    }

    @Test func anIndexSavesTheLook() async throws {
        let music = try await Self.fixture()
        #expect(try PictureCache(restlessness: .zero).picture("a/1.flac", in: music.directory) { _, _ in false } == nil)
        #expect(try PictureCache(restlessness: .zero).picture("a/1.flac", in: music.directory) { _, _ in true } != nil)
    }

    /// Two that do not fit displace each other; one alone is kept.
    @Test func isBounded() async throws {
        let music = try await Self.fixture()
        let (cache, looks) = (PictureCache(capacity: 100, restlessness: .zero), Looks())
        for uri in ["a/1.flac", "a/1.flac", "a/2.flac", "a/2.flac", "a/1.flac"] {
            #expect(try cache.picture(uri, in: music.directory) { _, _ in looks.note() } != nil)
        }
        #expect(looks.count == 3)
    }

    @Test func coversBesideSongsAreLookedForOnce() async throws {
        let music = try await Self.fixture()
        let (cache, looks) = (PictureCache(restlessness: .zero), Looks())
        func cover() throws -> String? {
            try cache.coverFile("a/1.flac", in: music.directory) { _, _ in looks.note() }?.uri
        }
        for _ in 0..<3 { #expect(try cover() == nil) }
        #expect(looks.count == 1)
        try music.write("a/folder.jpg", "f")
        for _ in 0..<3 { #expect(try cover() == "a/folder.jpg") }
        #expect(looks.count == 2)
        try music.settle()
        try music.write("a/cover.jpg", "c")
        #expect(try cover() == "a/cover.jpg")
        try music.settle()
        for name in ["folder.jpg", "cover.jpg"] {
            try FileManager.default.removeItem(atPath: music.path + "/a/" + name)
        }
        #expect(try cover() == nil)
    }

    /// What an index says is looked at: it may be gone.
    @Test func anIndexNamesACover() async throws {
        let music = try await Self.fixture()
        try music.write("a/cover.jpg", "c")
        try music.write("a/folder.jpg", "f")
        func cover(_ known: String) throws -> String? {
            try PictureCache(restlessness: .zero).coverFile("a/1.flac", in: music.directory) { _, _ in known }?.uri
        }
        #expect(try cover("folder.jpg") == "a/folder.jpg")
        #expect(try cover("front.jpg") == "a/cover.jpg")
    }
}

extension MusicFixture {
    /// Returns when the file system's clock, which goes in steps, has gone on: the next change will show.
    fileprivate func settle() throws {
        func changed(_ name: String) throws -> [Int] {
            var status = stat()
            try #require(unsafe stat(name, &status) == 0)
            return [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
        }
        let probe = try folder.write("probe", "")
        let start = try changed(probe)
        while try changed(probe) == start { try folder.write("probe", "") }
    }

    /// The names of files, and the picture that stands for songs beside them; what `albumart` gives stays MPD's.
    @Test(
        arguments: [
            (["a.jpg", "Cover.JPG"], "Cover.JPG"), (["folder.jpg", "AlbumArtSmall.jpg"], "folder.jpg"),
            (["back.png", "AlbumArtSmall.jpg"], "AlbumArtSmall.jpg"), (["back.jpg", "cover.gif"], "cover.gif"),
            (["back.png", "cover.avif", "Folder.tif"], "cover.avif"), (["Scan 0001.HEIC"], "Scan 0001.HEIC"),
            (["one.jpg", "two.jpg"], nil), (["one.bmp", "._one.jpg", ".hidden.png"], "one.bmp"), (["notes.txt"], nil),
            (["cover", "jpg"], nil), ([".jpg"], nil),
        ] as [([String], String?)]
    )
    func anyPictureStandsForSongs(names: [String], expected: String?) throws {
        let music = try MusicFixture()
        for name in names { try music.write("b/" + name, "x") }
        let cache = PictureCache(restlessness: .zero)
        for _ in 0..<2 {
            let found = try cache.albumPicture("b/1.flac", in: music.directory) { _, _ in nil }?.uri
            #expect(found == expected.map { "b/" + $0 })
        }
        let usual = names.first { ["cover.jpg", "folder.jpg"].contains($0.lowercased()) }
        #expect(try cache.coverFile("b/1.flac", in: music.directory) { _, _ in nil }?.uri == usual.map { "b/" + $0 })
    }

    @Test(
        arguments: [
            ("CD1", true), ("cd 02", true), ("Disc 2", true), ("disk_3", true), ("Disc 2 - Live", true),
            ("CD #1 (Live)", true), ("Discography", false), ("CD", false), ("Disc One", false), ("CD1000", false),
            ("CD1st", false), ("x CD1", false),
        ]
    )
    func discsHaveTheAlbumsPicture(name: String, isDisc: Bool) throws {
        let music = try MusicFixture()
        try music.write("album/Front of it.png", "x")
        try music.write("album/\(name)/1.flac", "x")
        let cache = PictureCache(restlessness: .zero)
        func found() throws -> String? {
            try cache.albumPicture("album/\(name)/1.flac", in: music.directory) { _, _ in nil }?.uri
        }
        #expect(try found() == (isDisc ? "album/Front of it.png" : nil))
        // MPD's clients are told of none.
        #expect(try cache.coverFile("album/\(name)/1.flac", in: music.directory) { _, _ in nil } == nil)
        try music.settle()
        try music.write("album/\(name)/own.jpg", "x")
        #expect(try found() == "album/\(name)/own.jpg")
    }
}
