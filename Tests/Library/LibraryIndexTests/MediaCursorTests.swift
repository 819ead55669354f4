import LibraryIndex
import MediaHeaders
import PictureValues
import Songs
import Testing

/// Lists of pictures and videos.
@Suite struct MediaCursorTests {
    private let library: TemporaryLibrary

    init() throws { library = try TemporaryLibrary() }

    private func medium(_ uri: String, _ kind: ScannedFile.Kind = .image, inode: UInt64) -> ScannedFile {
        var file = file(uri, inode: inode)
        file.kind = kind
        (file.width, file.height) = (4000, 3000)
        return file
    }

    private func uris(
        _ uri: String = "",
        _ filter: MediaFilter = .all([]),
        _ window: Range<Int> = 0..<Int.max,
        pages: Int = 512
    ) throws -> [String] {
        var cursor = try #require(try MediaCursor(library.reader, uri, filter, window: window))
        var uris: [String] = []
        while !cursor.isAtEnd {
            let page = try cursor.nextPage(limit: pages)
            #expect(page.count <= pages)
            uris += page.map(\.uri)
        }
        return uris
    }

    /// Whatever the pages' size and the window, it is a part of the same list.
    @Test func windowsAndPagesAreOfOneList() throws {
        var files: [ScannedFile] = []
        let folders = ["", "a", "a/b", "a b", "a10", "a2", "z"]
        for folder in folders {
            for number in 0..<9 {
                let path = folder.isEmpty ? "" : folder + "/"
                files.append(medium("\(path)\(number).jpg", inode: UInt64(files.count + 3)))
                files.append(medium("\(path)\(number).mp4", .video, inode: UInt64(files.count + 3)))
                files.append(file("\(path)\(number).mp3", inode: UInt64(files.count + 3)))
            }
        }
        try library.add(files)
        let all = try uris()
        #expect(all.count == folders.count * 18)
        #expect(Set(all).count == all.count)
        // Folders as in other listings: each before what is below it.
        let order = all.map(parent).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        #expect(order == ["", "a", "a/b", "a b", "a10", "a2", "z"])
        let (images, videos) = (all.filter { $0.hasSuffix("jpg") }, all.filter { $0.hasSuffix("mp4") })
        for pages in [1, 2, 7, 9, 18, 512] {
            #expect(try uris(pages: pages) == all)
            #expect(try uris("", .images, pages: pages) == images)
            #expect(try uris("", .videos, pages: pages) == videos)
        }
        for window in [0..<0, 0..<1, 5..<25, 17..<18, 60..<Int.max, 1000..<2000, Int.max - 1..<Int.max] {
            for pages in [1, 10, 512] {
                #expect(
                    try uris("", .images, window, pages: pages) == Array(images[window.clamped(to: 0..<images.count)])
                )
            }
        }
        #expect(try uris("a") == all.filter { $0.hasPrefix("a/") })
        #expect(try uris("a/b", .videos) == videos.filter { $0.hasPrefix("a/b/") })
        #expect(try uris("a/3.jpg") == ["a/3.jpg"])
        #expect(try uris("3.jpg") == ["3.jpg"])
        #expect(try uris("a/3.jpg", .videos) == [])
        #expect(try uris("a/3.mp3") == [])
        for uri in ["b", "a/", "/", "a/4.png", "a/b/3.jpg/"] {
            #expect(try MediaCursor(library.reader, uri) == nil, "\(uri)")
        }
    }

    @Test func factsAreThoseOfTheFile() throws {
        var photo = medium("a/photo.jpg", inode: 3)
        photo.orientation = 6
        photo.captured = CaptureDate("2024:05:17 18:30:00", offset: "-03:30")
        var film = medium("a/film.mov", .video, inode: 4)
        (film.duration, film.hasSound) = (12.3456, false)
        film.captured = CaptureDate("1965:01:01 00:00:00")
        var loud = medium("a/loud.mov", .video, inode: 5)
        loud.duration = 2
        var damaged = medium("a/broken.jpg", inode: 6)
        damaged.problem = "is damaged"
        var plain = medium("a/Cover.JPG", inode: 7)
        (plain.width, plain.height) = (nil, nil)
        try library.add([photo, film, loud, damaged, plain])
        var cursor = try #require(try MediaCursor(library.reader, ""))
        let media = Dictionary(uniqueKeysWithValues: try cursor.nextPage(limit: 10).map { ($0.uri, $0) })
        #expect(media.keys.sorted() == ["a/Cover.JPG", "a/film.mov", "a/loud.mov", "a/photo.jpg"])
        #expect(media["a/photo.jpg"]?.dimensions == PixelSize(3000, 4000))
        #expect(media["a/photo.jpg"]?.captured?.description == "2024-05-17T18:30:00-03:30")
        #expect(media["a/photo.jpg"]?.lastModified == 1_700_000_000)
        #expect(media["a/film.mov"]?.duration == 12.346)
        #expect(media["a/film.mov"]?.captured?.description == "1965-01-01T00:00:00")
        #expect(media["a/loud.mov"]?.duration == 2)
        #expect(media["a/Cover.JPG"]?.isCover == true && media["a/Cover.JPG"]?.dimensions == nil)
        #expect(media.values.filter(\.isCover).count == 1)
        // Only what can be heard is a song.
        #expect(try library.songs().map(\.uri) == ["a/loud.mov"])
        // What was heard once, and is heard no more.
        loud.hasSound = false
        try library.add([loud])
        #expect(try library.songs().isEmpty)
        #expect(try uris("", .videos) == ["a/film.mov", "a/loud.mov"])
    }
}
