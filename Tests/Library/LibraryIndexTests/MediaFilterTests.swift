import LibraryIndex
import MediaHeaders
import PictureValues
import Testing

/// Filters of pictures and videos: as text, and as they hold for files.
@Suite struct MediaFilterTests {
    private let library: TemporaryLibrary

    /// Two of each kind, and some that look like it.
    private static let names =
        [
            "Photos/1.jpg", "Photos/2.JPG", "Photos/2.MOV", "Photos/3.heic", "Photos/3.mp4", "Photos/4.heic",
            "Other/4.mov",
            "Photos/5.tar.png", "Photos/5.tar.mov", "Photos/no-extension", "Photos/MVIMG_20200101.jpg",
            "Photos/PXL_1.MP.jpg",
            "Photos/PXL_2.mp.jpeg", "Photos/00000IMG_BURST20200101.jpg", "Photos/burst.jpg", "Blue/cover.jpg",
            "Blue/Folder.PNG",
            "Blue/discover.jpg", "Blue/cover.mp4", "Screenshot from 2024.png", "Bilder/Bildschirmfoto 2024.png",
            "Photos/not a Screenshot.png", "Photos/Screenshots/1.png", "screenshots/2.png",
            "Photos/screenshots of/3.png",
            "Photos/wide.jpg", "Photos/high.jpg", "Photos/unknown.jpg", "Photos/Screenshot.mp4",
            "Screen Recording 2024.mov", "Bilder/Bildschirmaufnahme 2024.mov", "ScreenRecording_05-06.mp4",
            "RPReplay_Final1.mp4",
            "Screen_Recording_2024.mp4", "Photos/screen-20240506-070809.mp4", "Screencast from 2024.mp4",
            "Videos/Screencasts/1.mp4", "Screenrecords/2.mp4", "Photos/screen-saver.mp4", "Photos/my screencast.mp4",
            "Screencast.jpg", "Photos/screencasts of/3.mp4", "Live/A.HEIC", "Films/A.MOV", "Live/B.HEIC", "Live/B.MOV",
            "Live/C.heic", "Live/D.mov", "Films/long.jpg", "Films/long.mp4", "Films/holiday timelapse.mp4",
            "Films/Hyperlapse_1.mp4",
        ] + told.map(\.name)

    /// Files whose names say nothing, and what they tell themselves.
    private static let told: [(name: String, subtypes: MediaSubtypes)] = [
        ("Told/1.jpg", .panorama), ("Told/2.jpg", .burst), ("Told/3.jpg", .motionPhoto), ("Told/4.jpg", .depthEffect),
        ("Told/5.png", .screenshot), ("Told/6.gif", .animated), ("Told/7.mp4", .highFrameRate),
        ("Told/8.mp4", .timelapse),
        ("Told/9.jpg", [.panorama, .depthEffect]),
    ]

    /// The identifiers of Live Photos in files: the first pair is in two folders, the second are two that look like one.
    private static let contents = [
        "Live/A.HEIC": "a", "Films/A.MOV": "a", "Live/B.HEIC": "b", "Live/B.MOV": "other", "Live/C.heic": "c",
        "Live/D.mov": "d",
    ]

    init() throws {
        library = try TemporaryLibrary()
        var files: [ScannedFile] = []
        for (number, name) in Self.names.enumerated() {
            var file = file(name, inode: UInt64(number + 3))
            let isVideo = ["mov", "mp4"].contains(name.split(separator: ".").last?.lowercased() ?? "")
            file.kind = isVideo ? .video : .image
            (file.width, file.height) = (4000, 3000)
            if name.hasSuffix("wide.jpg") { (file.width, file.height) = (8000, 4000) }
            if name.hasSuffix("high.jpg") { (file.width, file.height) = (1000, 2001) }
            if name.hasSuffix("unknown.jpg") { (file.width, file.height) = (nil, nil) }
            if isVideo { file.duration = name.hasSuffix("long.mp4") ? 10.1 : 3 }
            file.hasSound = number % 2 == 0
            file.subtypes = Self.told.first { $0.name == name }?.subtypes ?? []
            file.contentIdentifier = Self.contents[name].flatMap { ContentIdentifier($0) }
            files.append(file)
        }
        try library.add(files)
    }

    private func uris(_ filter: MediaFilter) throws -> Set<String> {
        var cursor = try #require(try MediaCursor(library.reader, "", filter))
        return Set(try cursor.nextPage(limit: 1_000).map(\.uri))
    }

    @Test func kindsAreThoseOfTheManual() throws {
        let videos = Set(Self.names.filter { $0.lowercased().hasSuffix(".mov") || $0.hasSuffix(".mp4") })
        #expect(try uris(.videos) == videos)
        #expect(try uris(.images) == Set(Self.names).subtracting(videos))
        #expect(try uris(.kind(.covers)) == ["Blue/cover.jpg", "Blue/Folder.PNG"])
        #expect(
            try uris(.kind(.livePhotos)) == [
                "Photos/2.JPG", "Photos/3.heic", "Photos/5.tar.png", "Blue/cover.jpg", "Live/A.HEIC",
            ]
        )
        #expect(
            try uris(.kind(.livePhotoVideos)) == [
                "Photos/2.MOV", "Photos/3.mp4", "Photos/5.tar.mov", "Blue/cover.mp4", "Films/A.MOV",
            ]
        )
        #expect(
            try uris(.kind(.motionPhotos)) == [
                "Photos/MVIMG_20200101.jpg", "Photos/PXL_1.MP.jpg", "Photos/PXL_2.mp.jpeg", "Told/3.jpg",
            ]
        )
        #expect(try uris(.kind(.bursts)) == ["Photos/00000IMG_BURST20200101.jpg", "Told/2.jpg"])
        #expect(
            try uris(.kind(.panoramas)) == ["Photos/wide.jpg", "Photos/high.jpg", "Told/1.jpg", "Told/9.jpg"]
        )
        #expect(try uris(.kind(.depthEffectPhotos)) == ["Told/4.jpg", "Told/9.jpg"])
        #expect(try uris(.kind(.animatedImages)) == ["Told/6.gif"])
        #expect(try uris(.kind(.slomoVideos)) == ["Told/7.mp4"])
        #expect(
            try uris(.kind(.timelapseVideos)) == [
                "Films/holiday timelapse.mp4", "Films/Hyperlapse_1.mp4", "Told/8.mp4",
            ]
        )
        #expect(
            try uris(.kind(.screenshots)) == [
                "Screenshot from 2024.png", "Bilder/Bildschirmfoto 2024.png", "Photos/Screenshots/1.png",
                "screenshots/2.png", "Told/5.png",
            ]
        )
        #expect(
            try uris(.kind(.screenRecordings)) == [
                "Screen Recording 2024.mov", "Bilder/Bildschirmaufnahme 2024.mov", "ScreenRecording_05-06.mp4",
                "RPReplay_Final1.mp4", "Screen_Recording_2024.mp4", "Photos/screen-20240506-070809.mp4",
                "Screencast from 2024.mp4", "Videos/Screencasts/1.mp4", "Screenrecords/2.mp4",
            ]
        )
    }

    @Test func anyOfNothingIsNothing() throws {
        #expect(try uris(.any([])).isEmpty)
        #expect(try uris(.all([])) == Set(Self.names))
        #expect(try uris(.not(.any([]))) == Set(Self.names))
        #expect(try uris(.not(.all([]))).isEmpty)
    }

    /// De Morgan's laws, double negation, and that each filter and its complement divide all media between them.
    @Test(arguments: 0..<60) func filtersAreSets(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        let parts = (0..<Int.random(in: 0...4, using: &generator)).map { _ in Self.random(depth: 3, &generator) }
        let (any, all) = (try uris(.any(parts)), try uris(.all(parts)))
        let sets = try parts.map { try uris($0) }
        #expect(any == sets.reduce(into: []) { $0.formUnion($1) })
        #expect(all == sets.reduce(into: Set(Self.names)) { $0.formIntersection($1) })
        #expect(try uris(.not(.any(parts))) == (try uris(.all(parts.map(MediaFilter.not)))))
        #expect(try uris(.not(.all(parts))) == (try uris(.any(parts.map(MediaFilter.not)))))
        #expect(try uris(.not(.not(.any(parts)))) == any)
        #expect(try uris(.not(.any(parts))) == Set(Self.names).subtracting(any))
        let filter = MediaFilter.all(parts)
        #expect(try MediaFilter(parsing: "\(filter)") == filter)
        let spaced = "\(filter)".replacing("(", with: " ( ").replacing(",", with: " ,\t").replacing(")", with: " ) ")
        #expect(try MediaFilter(parsing: spaced) == filter)
        #expect(try MediaFilter(parsing: "\(filter)".uppercased()) == filter)
    }

    private static func random(depth: Int, _ generator: inout SeededGenerator) -> MediaFilter {
        func parts() -> [MediaFilter] {
            (0..<Int.random(in: 0...2, using: &generator)).map { _ in random(depth: depth - 1, &generator) }
        }
        return switch depth > 0 ? Int.random(in: 0..<5, using: &generator) : 4 {
        case 0: .any(parts())
        case 1: .all(parts())
        case 2: .not(random(depth: depth - 1, &generator))
        default: .kind(MediaFilter.Kind.allCases.randomElement(using: &generator) ?? .images)
        }
    }

    @Test func whatIsNoFilterIsRefused() {
        let wrong: [(String, MediaFilterError)] = [
            ("", .expected("a kind of pictures or videos, any, all or not", at: 1)), ("photos", .unknownKind("photos")),
            ("images,videos", .expected("nothing more", at: 7)),
            ("any(images", .expected("',' or ')'", at: 11)), ("any", .expected("'('", at: 4)),
            ("any(,images)", .expected("a kind of pictures or videos, any, all or not", at: 5)),
            ("any(images,)", .expected("a kind of pictures or videos, any, all or not", at: 12)),
            ("not()", .expected("a kind of pictures or videos, any, all or not", at: 5)),
            ("not(images,videos)", .expected("')'", at: 11)), ("images)", .expected("nothing more", at: 7)),
            ("images' OR 1", .expected("nothing more", at: 7)),
            ("élan", .expected("a kind of pictures or videos, any, all or not", at: 1)),
            (String(repeating: " ", count: 1_025), .tooLong),
            (String(repeating: "not(", count: 16) + "images" + String(repeating: ")", count: 16), .tooDeep),
        ]
        for (text, error) in wrong { #expect(throws: error, "\(text)") { try MediaFilter(parsing: text) } }
    }

    /// The deepest and the longest filter that there can be are questions that the library answers.
    @Test func theLargestFiltersAreAnswered() throws {
        let deep = String(repeating: "not(", count: 15) + "livePhotos" + String(repeating: ")", count: 15)
        #expect(try uris(try MediaFilter(parsing: deep)) == (try uris(.not(.kind(.livePhotos)))))
        let wide = "any(" + Array(repeating: "bursts", count: 145).joined(separator: ",") + ")"
        #expect(wide.utf8.count <= 1_024)
        #expect(try uris(try MediaFilter(parsing: wide)) == (try uris(.kind(.bursts))))
    }
}
