internal import GRDB
internal import LibraryScan
internal import MediaHeaders
package import PictureValues

/// A picture or video of the library.
package struct LibraryMedium: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case image, video
    }

    package let uri: String
    package let kind: Kind
    /// In bytes.
    package let size: Int
    /// Seconds since 1970.
    package let lastModified: Int
    /// In pixels, as it is shown; `nil` when unknown.
    package let dimensions: PixelSize?
    package let captured: CaptureDate?
    /// Of a video, in seconds; `nil` when unknown.
    package let duration: Double?
    /// Whether its name is one of those that covers have.
    package let isCover: Bool

    package init(
        uri: String,
        kind: Kind,
        size: Int,
        lastModified: Int,
        dimensions: PixelSize?,
        captured: CaptureDate?,
        duration: Double?,
        isCover: Bool
    ) {
        (self.uri, self.kind, self.size, self.lastModified) = (uri, kind, size, lastModified)
        (self.dimensions, self.captured, self.duration, self.isCover) = (dimensions, captured, duration, isCover)
    }
}

/// Lists the pictures and videos at and below a URI, by folder and in each by name, page by page; between pages only a
/// position is kept.
///
/// Media that change meanwhile may or may not be listed; all others are listed once.
package struct MediaCursor: Sendable {
    private let reader: LibraryReader
    private let filter: MediaFilter
    /// The bounds of the directories' keys.
    private let low, high: [UInt8]
    /// The only name that is listed, of one file.
    private let name: String?
    /// The last one listed.
    private var place: Place?
    private var skipped: Int
    private var left: Int

    private struct Place: Sendable {
        let directory: Int
        let path: String
        let key: [UInt8]
        let name: String
    }

    /// - Parameters:
    ///   - uri: A directory or a file; empty for the root.
    ///   - filter: Decides which are listed.
    ///   - window: The range of all that would be listed.
    /// - Returns: `nil` when nothing has that URI.
    package init?(
        _ reader: LibraryReader,
        _ uri: String,
        _ filter: MediaFilter = .all([]),
        window: Range<Int> = 0..<Int.max
    ) throws(LibraryError) {
        (self.reader, self.filter) = (reader, filter)
        (skipped, left) = (window.lowerBound, window.count)
        let (folder, name) = parts(ofURI: uri)
        let (isDirectory, isFile) = try reader.library.read { db in
            (
                try Query(db, "SELECT 1 FROM directory WHERE path = ?", [.text(uri)]).first { _ in true } ?? false,
                try Query(
                    db,
                    "SELECT 1 FROM directory JOIN file ON file.directory = directory.id WHERE path = ? AND name = ?",
                    [.text(folder), .text(name)]
                ).first { _ in true } ?? false
            )
        }
        // Only songs are visible to those who do not see everything.
        guard isDirectory || isFile || uri.isEmpty, reader.visible == nil else { return nil }
        let base = isDirectory || uri.isEmpty ? uri : folder
        low = directoryKey(base)
        self.name = isDirectory || uri.isEmpty ? nil : name
        // One file is in its own folder only.
        high = self.name == nil ? low + [0xff] : low + [0]
    }

    /// The next ones; none at the end.
    ///
    /// - Parameter limit: The largest number of them.
    package mutating func nextPage(limit: Int) throws(LibraryError) -> [LibraryMedium] {
        let (start, count, skipped) = (place, min(limit, left), skipped)
        guard count > 0 else { return [] }
        let (page, found) = try reader.library.read { db in
            let finder = try Finder(db, filter, name)
            var found = try start.map { try finder.rest(of: $0, limit: count) } ?? []
            if found.count < count {
                found += try finder.below(
                    from: start?.key ?? low,
                    behind: start?.directory ?? 0,
                    to: high,
                    skipping: skipped,
                    limit: count - found.count
                )
            }
            return (try found.compactMap { try finder.medium(at: $0) }, found)
        }
        self.skipped = 0
        left = found.count < count ? 0 : left - count
        place = found.last
        return page
    }

    /// Whether nothing more follows.
    package var isAtEnd: Bool { left == 0 }

    private struct Finder {
        private let name: String?
        private let inFolder, inAll, details: Query

        init(_ db: Database, _ filter: MediaFilter, _ name: String?) throws {
            self.name = name
            let isMeant = filter == .all([]) ? "" : "AND \(filter.condition)"
            inFolder = try Query(
                db,
                """
                SELECT name FROM file WHERE directory = ? AND name > ? AND \(LibraryReader.isMedia) \(isMeant)
                ORDER BY name LIMIT ?
                """
            )
            inAll = try Query(
                db,
                """
                SELECT directory.id, path, key, name FROM directory CROSS JOIN file ON file.directory = directory.id
                WHERE key >= ?1 AND key < ?2 AND (key > ?1 OR directory.id > ?3) AND (?4 IS NULL OR name = ?4)
                    AND \(LibraryReader.isMedia) \(isMeant)
                ORDER BY key, directory.id, name LIMIT ?5 OFFSET ?6
                """
            )
            details = try Query(
                db,
                """
                SELECT kind, size, modified / 1000000000, milliseconds, width, height, orientation, captured, zone
                FROM file LEFT JOIN detail ON detail.id = file.id WHERE directory = ? AND name = ?
                """
            )
        }

        /// The media that follow in the same folder.
        func rest(of place: Place, limit: Int) throws -> [Place] {
            guard name == nil else { return [] }
            inFolder.bind(1, place.directory)
            inFolder.bind(2, place.name)
            inFolder.bind(3, limit)
            var found: [Place] = []
            try inFolder.each {
                found.append(Place(directory: place.directory, path: place.path, key: place.key, name: $0.text(0)))
            }
            return found
        }

        func below(
            from low: [UInt8],
            behind directory: Int,
            to high: [UInt8],
            skipping: Int,
            limit: Int
        ) throws -> [Place] {
            inAll.bind(1, low)
            inAll.bind(2, high)
            inAll.bind(3, directory)
            inAll.bind(4, name)
            inAll.bind(5, limit)
            inAll.bind(6, skipping)
            var found: [Place] = []
            try inAll.each {
                found.append(Place(directory: $0.int(0), path: $0.text(1), key: $0.bytes(2), name: $0.text(3)))
            }
            return found
        }

        func medium(at place: Place) throws -> LibraryMedium? {
            details.bind(1, place.directory)
            details.bind(2, place.name)
            return try details.first { row in
                let stored = row.optionalInt(4).flatMap { width in row.optionalInt(5).flatMap { PixelSize(width, $0) } }
                let orientation = row.optionalInt(6).flatMap(PictureOrientation.init) ?? .up
                let zone = row.optionalInt(8)
                let isVideo = row.int(0) == ScannedFile.Kind.video.number
                return LibraryMedium(
                    uri: uri(place.name, in: place.path),
                    kind: isVideo ? .video : .image,
                    size: row.int(1),
                    lastModified: row.int(2),
                    dimensions: orientation.swapsSides ? stored?.transposed : stored,
                    captured: row.optionalInt(7).flatMap { CaptureDate(seconds: Int64($0), zone: zone) },
                    duration: row.optionalInt(3).map { Double($0) / 1000 },
                    isCover: !isVideo && CoverChoice.mayChoose(place.name)
                )
            }
        }
    }
}

extension LibraryReader {
    /// Whether a file is a picture or a video that can be used; as `file_media` has it.
    static let isMedia = "file.kind IN (1, 2) AND file.problem IS NULL"
}
