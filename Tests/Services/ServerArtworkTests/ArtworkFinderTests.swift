import AudioTypes
import MediaCoding
import MusicDirectories
import PictureValues
import PictureWorkers
import ServiceTestSupport
import Songs
import TestSupport
import Testing

@testable import ServerArtwork

/// Where artwork is found, with the program that makes pictures small.
@Suite struct ArtworkFinderTests {
    private let folder: TemporaryFolder
    private let order = PictureOrder(side: 20, format: .png)

    init() throws {
        folder = try TemporaryFolder()
        for name in ["inside", "beside", "damaged", "bare"] {
            _ = try folder.makeFolder("music/\(name)")
            try folder.write("music/\(name)/song.mp3", MadeMedia.mp3())
        }
        try folder.write("music/inside/song.mp3", TestPictures.song(TestPictures.red))
        try folder.write("music/inside/cover.bmp", TestPictures.green)
        try folder.write("music/inside/cover.png", TestPictures.green)
        try folder.write("music/beside/cover.png", TestPictures.blue)
        try folder.write("music/damaged/cover.png", "no picture")
    }

    private func makeFinder(
        _ stations: [String: FetchedPicture] = [:],
        program: String? = nil
    ) throws -> ArtworkFinder {
        ArtworkFinder(
            music: MusicDirectory(root: folder.file("music"), followsOutsideLinks: false),
            pictures: PictureCache(),
            library: nil,
            store: PictureStore(program: try program ?? builtProgram("segue-pictures"), workers: 1, folder: nil),
            stations: stations
        )
    }

    /// A picture as it is made small.
    private func small(_ picture: [UInt8], _ order: PictureOrder, _ finder: ArtworkFinder) throws -> [UInt8] {
        try finder.store.picture(order, ofParts: [picture], madeOf: ["\(picture.hashValue)"])
    }

    private func problem(_ body: () throws -> Void) -> ArtworkError? {
        do {
            try body()
            return nil
        } catch { return error as? ArtworkError }
    }

    @Test func aSongsOwnGoesBeforeTheOneBesideIt() throws {
        let finder = try makeFinder()
        for (uri, picture) in [("inside/song.mp3", TestPictures.red), ("beside/song.mp3", TestPictures.blue)] {
            let found = try finder.artwork(order, ofSong: uri)
            #expect(found.picture.bytes == (try small(picture, order, finder)), "\(uri)")
            #expect(found.picture.mimeType == "image/png" && !found.source.isEmpty)
        }
        // A damaged one is as good as none.
        for (name, expected) in [("damaged", ArtworkError.noPicture), ("bare", .noPicture), ("none", .noSuchSong)] {
            #expect(problem { _ = try finder.artwork(order, ofSong: "\(name)/song.mp3") } == expected, "\(name)")
        }
    }

    @Test func aDirectorysIsTheCoverInIt() throws {
        let finder = try makeFinder()
        let found = try finder.artwork(order, ofDirectory: "inside")
        #expect(found.picture.bytes == (try small(TestPictures.green, order, finder)))
        for name in ["", "bare", "damaged", "none"] {
            #expect(problem { _ = try finder.artwork(order, ofDirectory: name) } == .noPicture, "\(name)")
        }
        let shown = try finder.artwork(order, ofFile: "beside/cover.png")
        #expect(shown.picture.bytes == (try small(TestPictures.blue, order, finder)))
    }

    @Test func aStreamsIsTheStations() throws {
        let station = try #require(FetchedPicture(TestPictures.red))
        let finder = try makeFinder(["http://radio/a": station])
        let found = try finder.artwork(order, ofSong: "http://me:secret@radio/a")
        #expect(found.picture.bytes == (try small(TestPictures.red, order, finder)) && found.source == station.name)
        #expect(problem { _ = try finder.artwork(order, ofSong: "http://radio/b") } == .noPicture)
    }

    /// That is no fault of the song's, which may have a picture.
    @Test func withoutTheProgramThereIsAnError() throws {
        let finder = try makeFinder(program: folder.file("no-program"))
        let problems = [
            problem { _ = try finder.artwork(order, ofSong: "inside/song.mp3") },
            problem { _ = try finder.artwork(order, ofSongs: [Song(uri: "inside/song.mp3")]) },
        ]
        #expect(problems.allSatisfy { if case .notMade? = $0 { true } else { false } }, "\(problems)")
    }

    // MARK: Many songs

    /// Writes songs with covers into folders of their own, and returns them.
    private func albums(_ covers: [[UInt8]?]) throws -> [Song] {
        try covers.enumerated().map { number, cover in
            _ = try folder.makeFolder("music/\(number)")
            try folder.write("music/\(number)/song.mp3", cover.map(TestPictures.song) ?? MadeMedia.mp3())
            return Song(uri: "\(number)/song.mp3")
        }
    }

    @Test func fourDifferentCoversAreAMosaic() throws {
        let finder = try makeFinder()
        let four = [TestPictures.red, TestPictures.green, TestPictures.blue, TestPictures.white]
        let songs = try albums([four[0], nil, four[1], four[0], four[2], four[3], TestPictures.bitmap((9, 9, 9))])
        let found = try finder.artwork(order, ofSongs: songs)
        var (square, mosaic) = (PictureOrder(side: 10, format: .png), order)
        (square.layout, mosaic.layout) = (.square, .mosaic)
        let parts = try four.map { try small($0, square, finder) }
        #expect(
            found.picture.bytes == (try finder.store.picture(mosaic, ofParts: parts, madeOf: ["a", "b", "c", "d"]))
        )
        #expect(found.source.split(separator: "+").count == 4)
    }

    @Test func fewerCoversShowTheFirst() throws {
        let finder = try makeFinder()
        let songs = try albums([nil, TestPictures.green, TestPictures.blue, TestPictures.green])
        let found = try finder.artwork(order, ofSongs: songs)
        #expect(found.picture.bytes == (try small(TestPictures.green, order, finder)))
        // A mosaic of one pixel has no room for four.
        let tiny = PictureOrder(side: 1, format: .png)
        #expect(
            try finder.artwork(tiny, ofSongs: songs).picture.bytes == (try small(TestPictures.green, tiny, finder))
        )
        #expect(problem { _ = try finder.artwork(order, ofSongs: [songs[0]]) } == .noPicture)
        #expect(problem { _ = try finder.artwork(order, ofSongs: []) } == .noPicture)
    }

    /// One song of each album is looked at, or of each directory where there are no albums, and no streams.
    @Test func oneSongOfEachAlbumIsAsked() {
        let songs = [
            Song(uri: "x/1.mp3", tags: [(.album, "A"), (.albumArtist, "a")]),
            Song(uri: "y/1.mp3", tags: [(.album, "A"), (.albumArtist, "a")]),
            Song(uri: "y/2.mp3", tags: [(.album, "A"), (.albumArtist, "b")]),
            Song(uri: "z/1.mp3"), Song(uri: "z/2.mp3"), Song(uri: "http://radio/a"), Song(uri: "3.mp3"),
        ]
        #expect(ArtworkFinder.candidates(songs) == ["x/1.mp3", "y/2.mp3", "z/1.mp3", "3.mp3"])
        let many = (0..<2_000).map { Song(uri: "\($0)/a.mp3") }
        #expect(ArtworkFinder.candidates(many).count == 64)
        let late = (0..<ArtworkFinder.songLimit).map { _ in Song(uri: "one/a.mp3") } + [Song(uri: "two/a.mp3")]
        #expect(ArtworkFinder.candidates(late) == ["one/a.mp3"])
    }
}
