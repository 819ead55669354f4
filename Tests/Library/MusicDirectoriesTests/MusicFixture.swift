import Foundation
import Glibc
import MusicDirectories
import TestSupport
import Testing

/// A music directory for one test.
struct MusicFixture {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = try folder.makeFolder("music")
    }

    var directory: MusicDirectory { MusicDirectory(root: path, followsOutsideLinks: false) }
    var openDirectory: MusicDirectory { MusicDirectory(root: path, followsOutsideLinks: true) }

    /// Makes a file with the directories above it.
    func write(_ name: String, _ text: String = "x") throws {
        try makeParent(of: name)
        try FileBytes.write(Array(text.utf8), to: path + "/" + name)
    }

    func copy(_ source: String, to name: String) throws {
        try makeParent(of: name)
        try FileManager.default.copyItem(atPath: source, toPath: path + "/" + name)
    }

    func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
    }

    func link(_ name: String, to target: String) throws {
        try makeParent(of: name)
        try #require(unsafe symlink(target, path + "/" + name) == 0)
    }

    private func makeParent(of name: String) throws {
        guard let slash = name.lastIndex(of: "/") else { return }
        try makeDirectory(String(name[..<slash]))
    }

    /// The tags of the sample songs.
    static let tags = [
        "title": "T one", "artist": "Art", "album_artist": "AA", "album": "Alb", "track": "3/12", "disc": "1/2",
        "date": "2001-02-03", "genre": "Rock; Pop", "comment": "A comment",
    ]

    /// A file of two seconds with tags.
    static func song(_ codec: MediaFixtures.Codec) async throws -> String {
        try await MediaFixtures.audio("music", codec, tags: tags) { Signal.tone(440, seconds: 2, sampleRate: 44_100) }
    }
}
