import MusicDirectories
import PlaylistStore
import TestSupport
import Testing

/// Stored playlists as a real MPD keeps them: the same requests to both, on directories of their own.
@Suite(.enabled("mpd is not installed") { !ReferenceMPD.isMissing })
struct StoredPlaylistComparisonTests {
    private enum Request: CustomStringConvertible {
        case save(String)
        case add(String, String, Int?)
        case delete(String, Range<Int>)
        case move(String, Int, Int)
        case clear(String)
        case rename(String, String)
        case remove(String)
        case read(String)
        case list

        /// As a line of the protocol.
        var description: String {
            switch self {
            case .save(let name): "save \"\(name)\""
            case .add(let name, let uri, let position):
                "playlistadd \"\(name)\" \(uri)" + (position.map { " \($0)" } ?? "")
            case .delete(let name, let range): "playlistdelete \"\(name)\" \(range.lowerBound):\(range.upperBound)"
            case .move(let name, let from, let to): "playlistmove \"\(name)\" \(from) \(to)"
            case .clear(let name): "playlistclear \"\(name)\""
            case .rename(let name, let other): "rename \"\(name)\" \"\(other)\""
            case .remove(let name): "rm \"\(name)\""
            case .read(let name): "listplaylist \"\(name)\""
            case .list: "listplaylists"
            }
        }

        /// What ours answers, in the lines of MPD.
        func run(_ lists: StoredPlaylists) throws(StoredPlaylistError) -> [String] {
            switch self {
            case .save(let name): try lists.save(name, [])
            case .add(let name, let uri, let position): try lists.add([uri], to: name, at: position)
            case .delete(let name, let range): try lists.delete(range, from: name)
            case .move(let name, let from, let to): try lists.move(from..<from + 1, to: to, in: name)
            case .clear(let name): try lists.clear(name)
            case .rename(let name, let other): try lists.rename(name, to: other)
            case .remove(let name): try lists.remove(name)
            case .read(let name): return try lists.read(name).map { "file: " + $0.uri }
            case .list: return try lists.list().map { "playlist: " + $0.name }
            }
            return []
        }
    }

    private static let requests: [Request] = [
        .list, .read("x"), .save("x"), .save("x"), .list, .save(""), .save("a/b"), .save(".hidden"), .save(".."), .list,
        .remove(".hidden"), .remove(".."), .remove("no"), .remove("a/b"), .add("x", "http://host/1", nil),
        .add("x", "http://host/2", nil), .add("x", "http://host/0", 0), .add("x", "http://host/9", 7), .read("x"),
        .add("new", "http://host/a", nil), .read("new"), .rename("new", "x"), .rename("x", "x"), .rename("no", "y"),
        .rename("x", "a/b"), .rename("x", "y"), .list, .move("y", 0, 2), .read("y"), .move("y", 2, 0), .read("y"),
        .move("y", 0, 3), .move("y", 3, 0), .move("y", 1, 1), .move("y", 9, 9), .move("no", 0, 1), .read("y"),
        .delete("y", 3..<4), .delete("y", 9..<12), .delete("no", 0..<1), .delete("y", 1..<9), .read("y"), .clear("no"),
        .clear("a/b"), .clear("y"), .read("y"), .delete("y", 0..<1), .move("y", 0, 0), .list, .remove("y"),
        .remove("new"),
        .list,
    ]

    private func words(_ error: StoredPlaylistError, _ request: Request) -> String {
        switch error {
        // MPD asks the music directory too when it reads, and so finds none where a name is bad.
        case .badName: if case .read = request { "No such playlist" } else { "Bad playlist name" }
        case .doesNotExist: "No such playlist"
        case .alreadyExists: if case .save = request { "Playlist already exists" } else { "Playlist exists already" }
        case .badIndex: "Bad song index"
        case .badRange: "Bad range"
        case .badPosition: "Bad position"
        case .tooLarge, .tooManyBytes, .tooMany, .inaccessible, .noFolder: error.description
        }
    }

    @Test func bothAnswerTheSame() throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("music")
        let mpd = try ReferenceMPD(music: music)
        let lists = StoredPlaylists(
            directory: folder.file("lists"),
            music: MusicDirectory(root: music, followsOutsideLinks: false)
        )
        for request in Self.requests {
            var expected = mpd.command(request.description).filter { !$0.hasPrefix("Last-Modified") }
            if let first = expected.first, first.hasPrefix("ACK") {
                expected = [String(first.split(separator: "} ", maxSplits: 1)[1])]
            }
            // MPD lists files as they come.
            if case .list = request { expected.sort() }
            var found: [String]
            do throws(StoredPlaylistError) { found = try request.run(lists) } catch { found = [words(error, request)] }
            if case .list = request { found.sort() }
            #expect(found == expected, "\(request)")
        }
    }
}
