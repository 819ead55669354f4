internal import CivilTime
internal import GRDB
internal import MediaHeaders
package import Songs

/// Lists a directory and everything below it in the order of `listall`, page by page; between pages only a position is
/// kept.
///
/// A directory is followed by its songs, its playlists, and then its subdirectories. Entries that change meanwhile may
/// or may not be listed; all others are listed once.
package struct LibraryCursor: Sendable {
    private let reader: LibraryReader
    /// The bounds of the directories' keys.
    private let low: [UInt8]
    private let high: [UInt8]
    private var place: Place?
    private var hasBegun = false

    /// The position in a directory where the last page ended.
    private struct Place: Sendable {
        let directory: Int
        let path: String
        let key: [UInt8]
        let hasPlaylists: Bool
        /// The position of the last song listed.
        var position = -1
        var number = -1
    }

    /// The form of entries.
    package enum Form: Sendable, Hashable {
        /// `listall`.
        case uris
        /// `listallinfo`, with these tags.
        case lines(TagMask)
    }

    /// - Returns: `nil` when no directory has that URI.
    package init?(_ reader: LibraryReader, _ uri: String) throws(LibraryError) {
        let isThere = try reader.library.read { db in
            try Query(db, "SELECT 1 FROM directory WHERE path = ?", [.text(uri)]).first { _ in true } ?? false
        }
        guard isThere || uri.isEmpty, reader.visible?.containsDirectory(uri) != false else { return nil }
        self.reader = reader
        low = directoryKey(uri)
        high = low + [0xff]
    }

    /// Appends the next entries to a reply.
    ///
    /// - Parameter limit: The largest number of entries, not counting playlists.
    /// - Returns: Whether more may follow.
    package mutating func appendPage(_ form: Form, limit: Int, to reply: inout [UInt8]) throws(LibraryError) -> Bool {
        var bytes = reply
        reply = []
        defer { reply = bytes }
        let (place, hasBegun) = (place, hasBegun)
        self.place = try reader.library.read { db in
            var page = try Page(db, form, limit, bytes, reader.visible)
            bytes = []
            defer { bytes = page.bytes }
            return try page.fill(from: place, low: place?.key ?? low, includesLow: !hasBegun, high: high)
        }
        self.hasBegun = true
        return self.place != nil
    }

    /// A page that is being built.
    private struct Page {
        private let form: Form
        private(set) var bytes: [UInt8]
        private var left: Int
        private let visible: VisibleSongs?
        /// Stays open while the page is built.
        private let directories: Query
        private let songs: Query
        private let playlists: Query

        init(_ db: Database, _ form: Form, _ limit: Int, _ bytes: [UInt8], _ visible: VisibleSongs?) throws {
            self.form = form
            self.bytes = bytes
            left = limit
            self.visible = visible
            directories = try Query(
                db,
                """
                SELECT id, path, key, EXISTS (SELECT 1 FROM file WHERE directory = directory.id AND kind = 3), modified
                FROM directory
                WHERE key >= ?1 AND key < ?2 AND (key > ?1 OR ?3) AND \(LibraryReader.isShown) ORDER BY key
                """
            )
            let songs =
                switch form {
                case .uris: "SELECT position, id, name, kind FROM file"
                case .lines: "SELECT position, file.id, lines FROM file CROSS JOIN block ON block.id = file.id"
                }
            self.songs = try Query(
                db,
                """
                \(songs) WHERE directory = ?1 AND tagset IS NOT NULL AND position >= ?2 AND (position > ?2 OR file.id > ?3)
                ORDER BY position, file.id LIMIT ?4
                """
            )
            playlists = try Query(
                db,
                "SELECT name, modified / 1000000000 FROM file WHERE directory = ? AND kind = 3 AND problem IS NULL"
            )
        }

        mutating func fill(from: Place?, low: [UInt8], includesLow: Bool, high: [UInt8]) throws -> Place? {
            if let from, let rest = try append(from) { return rest }
            directories.bind(1, low)
            directories.bind(2, high)
            directories.bind(3, includesLow ? 1 : 0)
            defer { directories.reset() }
            while let row = try directories.next() {
                if visible?.contains(directory: row.int(0)) == false { continue }
                let place = Place(
                    directory: row.int(0),
                    path: row.text(1),
                    key: row.bytes(2),
                    hasPlaylists: row.int(3) != 0 && visible == nil
                )
                appendDirectory(place.path, row.int(4))
                if let rest = try append(place) { return rest }
            }
            return nil
        }

        /// Appends what is in a directory.
        ///
        /// - Returns: The position to continue from, if the page is full.
        private mutating func append(_ place: Place) throws -> Place? {
            if let rest = try appendSongs(from: place) { return rest }
            if place.hasPlaylists { try appendPlaylists(place) }
            return nil
        }

        /// - Returns: The position to continue from, if the page is full.
        private mutating func appendSongs(from place: Place) throws -> Place? {
            if left <= 0 { return place }
            var place = place
            songs.bind(1, place.directory)
            songs.bind(2, place.position)
            songs.bind(3, place.number)
            songs.bind(4, left)
            let folder = [UInt8]((place.path.isEmpty ? "" : place.path + "/").utf8)
            try songs.each { row in
                left -= 1
                if left == 0 { (place.position, place.number) = (row.int(0), row.int(1)) }
                if visible?.contains(number: row.int(1)) == false { return }
                switch form {
                case .uris:
                    append("file: ", folder, row)
                    if row.int(3) == ScannedFile.Kind.withSheet { append("playlist: ", folder, row) }
                case .lines(let tags): unsafe row.withBytes(2) { unsafe SongLines.append($0, to: &bytes, tags: tags) }
                }
            }
            return left <= 0 ? place : nil
        }

        /// Appends a line with the URI of a row's file.
        private mutating func append(_ name: StaticString, _ folder: [UInt8], _ row: Query.Row) {
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
            bytes.append(contentsOf: folder)
            unsafe row.withBytes(2) { unsafe bytes.append(contentsOf: $0) }
            bytes.append(UInt8(ascii: "\n"))
        }

        private mutating func appendDirectory(_ path: String, _ modified: Int) {
            if path.isEmpty { return }
            left -= 1
            bytes.append(name: "directory", path.utf8)
            appendTime(modified)
        }

        private mutating func appendPlaylists(_ place: Place) throws {
            playlists.bind(1, place.directory)
            var found: [(key: CollationKey, name: String, modified: Int)] = []
            try playlists.each { row in found.append((CollationKey(row.text(0)), row.text(0), row.int(1))) }
            for playlist in found.sorted(by: { $0.key < $1.key }) {
                bytes.append(name: "playlist", uri(playlist.name, in: place.path).utf8)
                appendTime(playlist.modified)
            }
        }

        private mutating func appendTime(_ seconds: Int) {
            if case .lines = form { bytes.append(name: "Last-Modified", timestamp(seconds).utf8) }
        }
    }
}
