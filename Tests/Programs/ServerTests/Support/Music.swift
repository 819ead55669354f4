import Foundation
import TestSupport

/// The music that every server of these tests plays.
enum Music {
    static let missing = MediaFixtures.missing + ChildProcess.missing("metaflac")

    private static let songs: [(path: String, seconds: Double, tags: [String: String])] = [
        (
            "Blue/01 So What.flac", 30,
            [
                "title": "So What", "artist": "Miles Davis", "album": "Kind of Blue", "track": "1", "date": "1959",
                "genre": "Jazz", "album_artist": "Miles Davis",
            ]
        ),
        (
            "Blue/02 Freddie Freeloader.flac", 20,
            ["title": "Freddie Freeloader", "artist": "Miles Davis", "album": "Kind of Blue", "track": "2"]
        ),
        ("one.flac", 40, ["title": "One"]),
        ("other/日本 \"q\" \\.flac", 10, ["title": "東京ナイト", "composer": "Ängström & Co", "album": "世界"]),
        ("other/untagged.wav", 5, [:]),
        ("two.flac", 15, ["title": "Two", "artist": "Someone"]),
    ]

    /// A folder with all of it; no test writes to it.
    ///
    /// Besides the songs a cover beside an album, a picture in `two.flac`, a playlist file and a file that is no music.
    @MediaWork
    static func folder() throws -> String {
        if let made { return made.file("music") }
        let folder = try TemporaryFolder()
        let root = try folder.makeFolder("music")
        for name in ["Blue", "other", "lists"] { _ = try folder.makeFolder("music/\(name)") }
        for (path, seconds, tags) in songs {
            let codec: MediaFixtures.Codec = path.hasSuffix(".wav") ? .wav : .flac
            let source = try MediaFixtures.audio("server-\(seconds)", codec, tags: tags) {
                Signal.tone(440, seconds: seconds, sampleRate: 44_100)
            }
            try FileManager.default.copyItem(atPath: source, toPath: "\(root)/\(path)")
        }
        try folder.write("music/Blue/cover.jpg", (0..<20_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        let picture = folder.file("picture.png")
        try MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "color=red:size=64x64", "-frames:v", "1", picture])
        try ChildProcess.run("metaflac", ["--import-picture-from=\(picture)", "\(root)/two.flac"])
        try folder.write("music/lists/list.m3u", "../one.flac\n../Blue/01 So What.flac\n")
        try folder.write("music/notes.txt", "hello\n")
        made = folder
        return root
    }

    @MediaWork private static var made: TemporaryFolder?
}
