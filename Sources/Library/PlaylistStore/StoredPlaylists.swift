package import AudioTypes
internal import Files
internal import Glibc
package import MusicDirectories
internal import Playlists
package import Songs
private import Synchronization

/// The playlist directory: one M3U file for each stored playlist.
///
/// Files are read again each time, so other programs' changes are seen. A change is in the file when its function returns,
/// and a reader sees the old list or the new one. It is there for good, too, except for songs added at the end: those are
/// with ``sync(_:)``. Every function is synchronous and waits for a disk: call them
/// from a thread that may block, and changes from one at a time.
package struct StoredPlaylists: Sendable {
    package let directory: String
    /// The root of the music directory: paths below it become relative URIs; `nil` leaves all as they are.
    private let music: MusicDirectory?
    /// How many songs a playlist may have.
    package let limit: Int
    private let sizeLimit: Int
    private let countLimit: Int
    private let lastAppended = LastAppended()

    /// One line of `listplaylists`.
    package struct Name: Sendable, Hashable {
        package let name: String
        /// Seconds since 1970.
        package let lastModified: Int
    }

    /// One song of a playlist.
    package struct Entry: Sendable, Hashable {
        /// Relative to the music directory, or a URL.
        package let uri: String
        /// The facts that another program noted of it.
        package let title: String?
        /// In seconds.
        package let duration: Double?
        /// The addresses that a URL is fetched from, or the files that a path may lead to, for the client that put it there.
        package var reach = NetworkReach.anywhere

        /// The song as far as the playlist knows it; MPD gives the title as the song's name.
        package var song: Song {
            Song(uri: uri, reach: reach, tags: title.map { [(.name, $0)] } ?? [], duration: duration)
        }
    }

    /// The behaviour of `save` towards a playlist that exists.
    package enum SaveMode: String, Sendable, Hashable, CaseIterable {
        /// Refuses to replace one.
        case create
        /// Adds to one, which must exist.
        case append
        /// Replaces one, which must exist.
        case replace
    }

    /// - Parameters:
    ///   - sizeLimit: How large a playlist's file may be made, in bytes.
    ///   - countLimit: How many playlists there may be for another one to be made.
    package init(
        directory: String,
        music: MusicDirectory?,
        limit: Int = 16_384,
        sizeLimit: Int = largestSize,
        countLimit: Int = 10_000
    ) {
        self.directory = directory
        self.music = music
        self.limit = limit
        self.sizeLimit = sizeLimit
        self.countLimit = countLimit
    }

    // MARK: - Reading

    /// All playlists, in the order of their names; none when the directory does not exist yet.
    package func list() throws(StoredPlaylistError) -> [Name] {
        var names: [(key: CollationKey, name: Name)] = []
        do throws(SystemError) {
            try Descriptor(directory, .folder).forEachEntry { entry in
                guard let file = entry.text, !file.utf8.contains(0x0a), file.hasSuffix(".m3u"), file != ".m3u",
                    let state = try? entry.status(followsLink: true), state.kind == .file
                else { return }
                let name = Name(name: String(file.dropLast(4)), lastModified: state.lastModified)
                names.append((CollationKey(file), name))
            }
        } catch {
            if [ENOENT, ENOTDIR, ENAMETOOLONG].contains(error.number) { return [] }
            throw .inaccessible("", errno: error.number)
        }
        return names.sorted { $0.key < $1.key }.map(\.name)
    }

    /// A playlist's songs.
    package func read(_ name: String) throws(StoredPlaylistError) -> [Entry] {
        try load(name).items.map { item in
            let (duration, title) = item.information
            return Entry(uri: uri(of: item.location), title: title, duration: duration, reach: item.reach)
        }
    }

    /// How many songs a playlist has.
    package func length(of name: String) throws(StoredPlaylistError) -> Int { try load(name).items.count }

    // MARK: - Changing

    /// The use that `save` makes of the songs of a queue.
    package func save(_ name: String, _ songs: [Song], mode: SaveMode = .create) throws(StoredPlaylistError) {
        var list = StoredM3U()
        if mode != .create {
            let old = try load(name)
            if mode == .append { list = old }
        }
        list.items += songs.map { StoredM3U.Item($0) }
        try store(list, name, isNew: mode == .create)
    }

    /// Adds songs, at the end unless told otherwise, to a playlist that is made if need be (`playlistadd`).
    package func add(_ songs: [Song], to name: String, at position: Int? = nil) throws(StoredPlaylistError) {
        let items = songs.map { StoredM3U.Item($0) }
        if position == nil, try append(items, to: name) { return }
        var list: StoredM3U
        do throws(StoredPlaylistError) {
            list = try load(name)
        } catch .doesNotExist {
            list = StoredM3U()
        }
        let place = position ?? list.items.count
        guard (0...list.items.count).contains(place) else { throw .badPosition(name) }
        list.items.insert(contentsOf: items, at: place)
        try store(list, name, isNew: false)
    }

    /// Writes whole lines behind those that are there, so that adding many songs one by one is not a file each.
    ///
    /// - Returns: False when that does not do: there is no such file, it ends in a way that they would change, or it must
    ///   be made private and is another account's.
    private func append(_ items: [StoredM3U.Item], to name: String) throws(StoredPlaylistError) -> Bool {
        guard !items.isEmpty, let location = FilePath(bytes: Array(try path(of: name).utf8)),
            let file = try? Descriptor(location, .appending), let state = try? file.status, state.kind == .file,
            state.size <= Self.largestSize
        else { return false }
        var end = lastAppended.end(of: state)
        if end == nil {
            do { end = StoredM3UEnd(try file.bytes(at: 0, count: state.size)) } catch { throw failure(error, name) }
        }
        guard var end, !end.hasComments else { return false }
        guard end.count + items.count <= limit else { throw .tooLarge(name, limit: limit) }
        guard items.allSatisfy({ isOneLine($0.location) }) else { throw .inaccessible(name, errno: EINVAL) }
        guard state.size + items.reduce(1, { $0 + $1.bytes.count }) <= sizeLimit else {
            throw .tooManyBytes(name, limit: sizeLimit)
        }
        if items.contains(where: { hasCredentials($0.location) }), (try? file.setPermissions(0o600)) == nil {
            return false
        }
        // A line that lacks its end gets it: what is added must not become a part of it.
        let lines = Array((end.isOpen ? "\n" : "").utf8) + items.flatMap(\.bytes)
        do { try file.append(lines, behind: state.size) } catch { throw failure(error, name) }
        end.count += items.count
        end.isOpen = false
        lastAppended.record(end, of: try? file.status)
        return true
    }

    /// Has what was added to a playlist on the disk when it returns.
    package func sync(_ name: String) throws(StoredPlaylistError) {
        let path = try path(of: name)
        do {
            try Descriptor(path, .reading).syncBytes()
        } catch {
            // Gone since then, there is nothing to be kept.
            if error != .noSuchFile { throw failure(error, name) }
        }
    }

    /// Takes songs out; a range may reach beyond the end, but not begin there.
    ///
    /// One that begins at the very end takes nothing out and is right, as in MPD.
    package func delete(_ range: Range<Int>, from name: String) throws(StoredPlaylistError) {
        var list = try load(name)
        guard range.lowerBound >= 0, range.lowerBound <= list.items.count else { throw .badIndex(name) }
        guard range.lowerBound < list.items.count, !range.isEmpty else { return }
        list.items.removeSubrange(range.clamped(to: 0..<list.items.count))
        try store(list, name, isNew: false)
    }

    /// Moves songs so that the first of them comes to be at `destination`.
    package func move(_ range: Range<Int>, to destination: Int, in name: String) throws(StoredPlaylistError) {
        var list = try load(name)
        // MPD lets a song stay where it is even where there is none.
        if range.count == 1, range.lowerBound == destination { return }
        guard range.lowerBound >= 0, range.upperBound <= list.items.count, !range.isEmpty, destination >= 0,
            destination + range.count <= list.items.count
        else { throw .badRange(name) }
        let moved = list.items[range]
        list.items.removeSubrange(range)
        list.items.insert(contentsOf: moved, at: destination)
        try store(list, name, isNew: false)
    }

    /// Takes all songs out of a playlist, which stays.
    package func clear(_ name: String) throws(StoredPlaylistError) {
        _ = try load(name)
        try store(StoredM3U(), name, isNew: false)
    }

    package func rename(_ name: String, to other: String) throws(StoredPlaylistError) {
        let (old, new) = (try path(of: name), try path(of: other))
        // Told first, as MPD does.
        guard (try? FileStatus(of: new, followsLink: false)) == nil else { throw .alreadyExists(other) }
        do { _ = try FileStatus(of: old, followsLink: false) } catch { throw failure(error, name) }
        do { try AtomicFile.rename(old, toNew: new) } catch { throw failure(error, other) }
    }

    package func remove(_ name: String) throws(StoredPlaylistError) {
        let path = try path(of: name)
        do { try AtomicFile.remove(path) } catch { throw failure(error, name) }
    }

    // MARK: - Files

    /// In bytes: a hundred times what such a playlist needs.
    package static let largestSize = 64 * 1_048_576

    private func path(of name: String) throws(StoredPlaylistError) -> String {
        let isBad = name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0x0a || $0 == 0x0d || $0 == 0 }
        guard !name.isEmpty, !isBad else { throw .badName(name) }
        return directory + "/" + name + ".m3u"
    }

    private func load(_ name: String) throws(StoredPlaylistError) -> StoredM3U { StoredM3U(try bytes(of: name)) }

    func bytes(of name: String) throws(StoredPlaylistError) -> [UInt8] {
        let path = try path(of: name)
        do {
            return try fileContents(path, atMost: Self.largestSize)
        } catch {
            switch error {
            case .isFolder, .notAFile: throw .doesNotExist(name)
            case .tooLarge: throw .tooLarge(name, limit: limit)
            default: throw failure(error, name)
            }
        }
    }

    private func store(_ list: StoredM3U, _ name: String, isNew: Bool) throws(StoredPlaylistError) {
        guard list.items.count <= limit else { throw .tooLarge(name, limit: limit) }
        guard list.items.allSatisfy({ isOneLine($0.location) }) else { throw .inaccessible(name, errno: EINVAL) }
        if unsafe mkdir(directory, 0o777) != 0, errno != EEXIST { throw .noFolder(directory, errno: errno) }
        let bytes = list.bytes
        guard bytes.count <= sizeLimit else { throw .tooManyBytes(name, limit: sizeLimit) }
        if (try? FileStatus(of: path(of: name), followsLink: false)) == nil, try self.list().count >= countLimit {
            throw .tooMany(limit: countLimit)
        }
        try write(bytes, to: name, isNew: isNew)
    }

    /// Writes a playlist's file; one whose URLs hold credentials only its owner may read.
    func write(_ bytes: [UInt8], to name: String, isNew: Bool = false) throws(StoredPlaylistError) {
        let path = try path(of: name)
        let isPrivate = StoredM3U(bytes).items.contains { hasCredentials($0.location) }
        do {
            try AtomicFile.write(bytes, to: path, access: isPrivate ? .onlyOwner : .asBefore, isNew: isNew)
        } catch {
            throw failure(error, name)
        }
    }

    private func failure(_ error: SystemError, _ name: String) -> StoredPlaylistError {
        switch error {
        case .noSuchFile: .doesNotExist(name)
        case .exists: .alreadyExists(name)
        default: .inaccessible(name, errno: error.number)
        }
    }

    /// A song's URI as another one's line is written: where that is a path from the root, so is this one.
    func written(_ uri: String, as location: String) -> String {
        guard let music, !isSame(uri, location), !hasScheme(location), location.hasPrefix("/") else { return uri }
        return music.root + "/" + uri
    }

    /// A line's location as a URI: what lies in the music directory is relative to it.
    func uri(of location: String) -> String {
        if hasScheme(location), fileSystemPath(of: location) == nil { return location }
        guard let music, let path = fileSystemPath(of: location).flatMap({ String(validating: $0, as: UTF8.self) })
        else {
            return location
        }
        let absolute = path.hasPrefix("/") ? path : music.root + "/" + path
        return music.uri(ofPath: absolute) ?? path
    }
}

/// The end of the file that was added to last, so that it is not read again for each song.
private final class LastAppended: Sendable {
    private let known = Mutex<(state: FileStatus, end: StoredM3UEnd)?>(nil)

    /// - Returns: `nil` unless the file is the one, as it was left.
    func end(of state: FileStatus) -> StoredM3UEnd? { known.withLock { $0?.state == state ? $0?.end : nil } }

    func record(_ end: StoredM3UEnd, of state: FileStatus?) { known.withLock { $0 = state.map { ($0, end) } } }
}

/// Whether a location can be a line: with a line's end in it, it would be two.
func isOneLine(_ location: String) -> Bool {
    !location.isEmpty && !location.utf8.contains { $0 == 0x0a || $0 == 0x0d || $0 == 0 }
}
