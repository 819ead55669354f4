internal import AudioTypes
internal import Glibc
internal import Playlists
package import Songs
private import Synchronization

/// The playlist directory: one M3U file for each stored playlist.
///
/// Files are read anew each time, so other programs' changes are seen. A change is in the file when its function returns,
/// and a reader sees the old list or the new one. It is there for good, too, except for songs added at the end: those are
/// with ``sync(_:)``. Every function is synchronous and waits for a disk: call them
/// from a thread that may block, and changes from one at a time.
package struct StoredPlaylists: Sendable {
    package let directory: String
    /// The root of the music directory: paths below it become relative URIs; `nil` leaves all as they are.
    private let music: MusicDirectory?
    /// How many songs a playlist may have.
    package let limit: Int
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
        /// What another program noted of it.
        package let title: String?
        /// In seconds.
        package let duration: Double?

        /// The song as far as the playlist knows it; MPD gives the title as the song's name.
        package var song: Song { Song(uri: uri, tags: title.map { [(.name, $0)] } ?? [], duration: duration) }
    }

    /// What `save` does about a playlist that exists.
    package enum SaveMode: String, Sendable, Hashable, CaseIterable {
        /// Refuses to replace one.
        case create
        /// Adds to one, which must exist.
        case append
        /// Replaces one, which must exist.
        case replace
    }

    package init(directory: String, music: MusicDirectory?, limit: Int = 16_384) {
        self.directory = directory
        self.music = music
        self.limit = limit
    }

    // MARK: - Reading

    /// All playlists, in the order of their names; none when the directory does not exist yet.
    package func list() throws(StoredPlaylistError) -> [Name] {
        let scan: DirectoryScan
        do {
            scan = try DirectoryScan(MusicDirectory(root: directory, followsOutsideLinks: true), "")
        } catch {
            switch error {
            case .doesNotExist: return []
            case .inaccessible(_, errno: let number): throw .inaccessible("", errno: number)
            case .malformed, .outside, .notPlayable: throw .inaccessible("", errno: EIO)
            }
        }
        let files = scan.files.filter { $0.state.kind == .file && $0.name.hasSuffix(".m3u") && $0.name != ".m3u" }
        return sorted(files, by: \.name).map {
            Name(name: String($0.name.dropLast(4)), lastModified: $0.state.lastModified)
        }
    }

    /// A playlist's songs.
    package func read(_ name: String) throws(StoredPlaylistError) -> [Entry] {
        try load(name).items.map { item in
            let (duration, title) = item.information
            return Entry(uri: uri(of: item.location), title: title, duration: duration)
        }
    }

    /// How many songs a playlist has.
    package func length(of name: String) throws(StoredPlaylistError) -> Int { try load(name).items.count }

    // MARK: - Changing

    /// What `save` does with the URIs of a queue.
    package func save(_ name: String, _ uris: [String], mode: SaveMode = .create) throws(StoredPlaylistError) {
        var list = StoredM3U()
        if mode != .create {
            let old = try load(name)
            if mode == .append { list = old }
        }
        list.items += uris.map { StoredM3U.Item(location: $0) }
        try store(list, name, isNew: mode == .create)
    }

    /// Adds songs, at the end unless told otherwise, to a playlist that is made if need be (`playlistadd`).
    package func add(_ uris: [String], to name: String, at position: Int? = nil) throws(StoredPlaylistError) {
        if position == nil, try append(uris, to: name) { return }
        var list: StoredM3U
        do throws(StoredPlaylistError) {
            list = try load(name)
        } catch .doesNotExist {
            list = StoredM3U()
        }
        let place = position ?? list.items.count
        guard (0...list.items.count).contains(place) else { throw .badPosition(name) }
        list.items.insert(contentsOf: uris.map { StoredM3U.Item(location: $0) }, at: place)
        try store(list, name, isNew: false)
    }

    /// Writes whole lines behind those that are there, so that adding many songs one by one is not a file each.
    ///
    /// - Returns: False when that does not do: there is no such file, or it ends in a way that they would change.
    private func append(_ uris: [String], to name: String) throws(StoredPlaylistError) -> Bool {
        guard !uris.isEmpty, let location = FilePath(bytes: Array(try path(of: name).utf8)),
            let file = Descriptor(location, O_RDWR | O_APPEND), let state = file.state, state.kind == .file,
            state.size <= Self.largestSize
        else { return false }
        var end = lastAppended.end(of: state)
        if end == nil {
            guard let bytes = file.bytes(at: 0, count: state.size) else { throw failure(errno, name) }
            end = StoredM3UEnd(bytes)
        }
        guard var end, !end.hasComments else { return false }
        guard end.count + uris.count <= limit else { throw .tooLarge(name, limit: limit) }
        guard uris.allSatisfy(isOneLine) else { throw .inaccessible(name, errno: EINVAL) }
        // A line that lacks its end gets it: what is added must not become a part of it.
        let lines = Array((end.isOpen ? "\n" : "").utf8) + uris.flatMap { Array($0.utf8) + [0x0a] }
        if let problem = file.append(lines, behind: state.size) { throw failure(problem, name) }
        end.count += uris.count
        end.isOpen = false
        lastAppended.note(end, of: file.state)
        return true
    }

    /// Has what was added to a playlist on the disk when it returns.
    package func sync(_ name: String) throws(StoredPlaylistError) {
        guard let location = FilePath(bytes: Array(try path(of: name).utf8)), let file = Descriptor(location, O_RDONLY)
        else {
            // Gone since then, there is nothing to be kept.
            if errno == ENOENT { return }
            throw failure(errno, name)
        }
        if fdatasync(file.number) != 0 { throw failure(errno, name) }
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
        var status = stat()
        // Told first, as MPD does.
        guard unsafe lstat(new, &status) != 0 else { throw .alreadyExists(other) }
        guard unsafe lstat(old, &status) == 0 else { throw failure(errno, name) }
        do {
            try AtomicFile.rename(old, toNew: new)
        } catch {
            throw failure(error, other)
        }
        AtomicFile.syncDirectory(of: new)
    }

    package func remove(_ name: String) throws(StoredPlaylistError) {
        let path = try path(of: name)
        guard unsafe unlink(path) == 0 else { throw failure(errno, name) }
        AtomicFile.syncDirectory(of: path)
    }

    // MARK: - Files

    /// In bytes: a hundred times what such a playlist needs.
    private static let largestSize = 64 * 1_048_576

    private func path(of name: String) throws(StoredPlaylistError) -> String {
        let isBad = name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0x0a || $0 == 0x0d || $0 == 0 }
        guard !name.isEmpty, !isBad else { throw .badName(name) }
        return directory + "/" + name + ".m3u"
    }

    private func load(_ name: String) throws(StoredPlaylistError) -> StoredM3U { StoredM3U(try bytes(of: name)) }

    func bytes(of name: String) throws(StoredPlaylistError) -> [UInt8] {
        let path = try path(of: name)
        guard let location = FilePath(bytes: Array(path.utf8)), let file = Descriptor(location, O_RDONLY) else {
            throw failure(errno, name)
        }
        guard let state = file.state, state.kind == .file else { throw .doesNotExist(name) }
        guard state.size <= Self.largestSize else { throw .tooLarge(name, limit: limit) }
        guard let bytes = file.bytes(at: 0, count: state.size) else { throw failure(errno, name) }
        return bytes
    }

    private func store(_ list: StoredM3U, _ name: String, isNew: Bool) throws(StoredPlaylistError) {
        guard list.items.count <= limit else { throw .tooLarge(name, limit: limit) }
        guard list.items.allSatisfy({ isOneLine($0.location) }) else { throw .inaccessible(name, errno: EINVAL) }
        if unsafe mkdir(directory, 0o777) != 0, errno != EEXIST { throw .noFolder(directory, errno: errno) }
        try write(list.bytes, to: name, isNew: isNew)
    }

    func write(_ bytes: [UInt8], to name: String, isNew: Bool = false) throws(StoredPlaylistError) {
        let path = try path(of: name)
        do {
            try AtomicFile.write(bytes, to: path, isNew: isNew)
        } catch {
            throw failure(error, name)
        }
    }

    private func failure(_ error: AtomicFile.Failure, _ name: String) -> StoredPlaylistError {
        switch error {
        case .exists: .alreadyExists(name)
        case .system(let number): failure(number, name)
        }
    }

    private func failure(_ number: Int32, _ name: String) -> StoredPlaylistError {
        number == ENOENT ? .doesNotExist(name) : .inaccessible(name, errno: number)
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
    private let known = Mutex<(state: FileState, end: StoredM3UEnd)?>(nil)

    /// - Returns: `nil` unless the file is the one, as it was left.
    func end(of state: FileState) -> StoredM3UEnd? { known.withLock { $0?.state == state ? $0?.end : nil } }

    func note(_ end: StoredM3UEnd, of state: FileState?) { known.withLock { $0 = state.map { ($0, end) } } }
}

/// Whether a location can be a line: with a line's end in it, it would be two.
func isOneLine(_ location: String) -> Bool {
    !location.isEmpty && !location.utf8.contains { $0 == 0x0a || $0 == 0x0d || $0 == 0 }
}

extension Descriptor {
    /// Writes all of some bytes at the end, or none of them.
    ///
    /// - Returns: An `errno`; `nil` when they are there.
    fileprivate borrowing func append(_ bytes: [UInt8], behind size: Int) -> Int32? {
        let count = unsafe bytes.withUnsafeBytes { unsafe write(number, $0.baseAddress, bytes.count) }
        if count == bytes.count { return nil }
        // No more than a part fits.
        let problem = count < 0 ? errno : ENOSPC
        if count > 0 { ftruncate(number, off_t(size)) }
        return problem
    }
}
