private import Foundation

/// A music directory of songs that are told apart by their tags and their sound: albums of twelve with a cover beside them.
package final class TaggedMusic: Sendable {
    package let path: String
    package let count: Int
    private let files: TaggedFiles
    /// Removes the directory with this object, if it made one.
    private let folder: TemporaryFolder?

    /// Makes one in a temporary folder of its own.
    package convenience init(songs: Int, coverSize: Int = 300) async throws {
        let folder = try TemporaryFolder()
        try await self.init(songs: songs, coverSize: coverSize, folder: folder, path: folder.path)
    }

    /// Fills a directory that is there.
    package convenience init(songs: Int, coverSize: Int = 300, at path: String) async throws {
        try await self.init(songs: songs, coverSize: coverSize, folder: nil, path: path)
    }

    private init(songs: Int, coverSize: Int, folder: TemporaryFolder?, path: String) async throws {
        files = try await TaggedFiles(coverSize: coverSize)
        self.folder = folder
        self.path = path
        count = songs
        for number in 0..<songs { try write(number) }
    }

    /// Where a song lies in the directory.
    package static func uri(_ number: Int) -> String {
        "\(folder(number))/\(number % 12 + 1) Song \(number).\(TaggedFiles.suffix(number))"
    }

    private static func folder(_ number: Int) -> String { "Artist \(number / 36)/Album \(number / 12)" }

    /// Writes a song, for the first time or again.
    ///
    /// - Parameter remark: Goes into its tags, which change with it, and so do its time and size.
    package func write(_ number: Int, remark: String? = nil) throws {
        let folder = path + "/" + Self.folder(number)
        if number % 12 == 0 || !FileManager.default.fileExists(atPath: folder) {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try FileBytes.write(files.cover, to: folder + "/cover.jpg")
        }
        try FileBytes.write(files.bytes(number, Self.tags(number, remark)), to: path + "/" + Self.uri(number))
    }

    /// Has the system keep all of it in memory, as far as there is room.
    package func warm() throws {
        try ChildProcess.run(
            "sh",
            ["-c", "find . -type f -exec cat {} + >/dev/null"],
            folder: path,
            within: .seconds(600)
        )
    }

    private static func tags(_ number: Int, _ remark: String?) -> [(name: String, value: String)] {
        let (artist, album) = (number / 36, number / 12)
        return [
            ("ARTIST", "Artist \(artist)"), ("ALBUM", "Album \(album)"), ("ALBUMARTIST", "Artist \(artist)"),
            ("TITLE", "Song \(number) of the \(words[number % words.count])" + (remark.map { " " + $0 } ?? "")),
            ("TRACKNUMBER", "\(number % 12 + 1)"), ("DISCNUMBER", "1"), ("DATE", "\(1_950 + album % 70)"),
            ("GENRE", "Genre \(album % 10)"), ("COMPOSER", "Composer \(artist % 977)"),
            ("MUSICBRAINZ_TRACKID", identifier(number)),
        ]
    }

    private static func identifier(_ number: Int) -> String {
        let digits = String(UInt64(number) &* 0x9e37_79b9_7f4a_7c15 | 1 << 63, radix: 16)
        return "\(digits.prefix(8))-0000-4000-8000-\(digits.suffix(12))"
    }

    private static let words = ["river", "common night", "sea", "common day", "echo", "wind", "common road"]
}
