package import AudioTypes
internal import Charsets
internal import FFmpegValues
package import Files
internal import Glibc
internal import MediaCoding
internal import MediaHeaders
internal import Playlists
package import Songs

extension MusicDirectory {
    /// A song with all that its file says of it; also one track of a cue sheet.
    ///
    /// Blocks, for as long as opening the file and decoding its first samples takes: a millisecond or two on a warm disk.
    ///
    /// - Parameter keepsComments: Whether the tag `Comment` is kept, which MPD leaves out unless `metadata_to_use` says so.
    package func song(_ uri: String, keepsComments: Bool = false) throws(MusicDirectoryError) -> Song {
        if let sheet = try cueSheet(of: uri) {
            guard let number = sheet.track else { throw .notPlayable(uri) }
            guard let track = try cueTracks(sheet.uri).first(where: { $0.number == number }) else {
                throw .doesNotExist(uri)
            }
            return track.song(of: try song(track.file, keepsComments: keepsComments), in: sheet.uri)
        }
        let state = try state(of: uri)
        guard state.kind == .file, isPlayable(uri) else { throw .notPlayable(uri) }
        let info = try probed(uri) { try FileProbe.info(uri, in: self) }
        var tags: [(TagType, String)] = []
        if let file = try? open(uri, .reading) { tags = Self.tags(of: file, named: uri, info, charsets) }
        return try Self.song(uri, state, info, tags.filter { $0.0 != .comment || keepsComments })
    }

    /// A song of a file that is open already, anywhere, with what the file itself says of it.
    ///
    /// Blocks, as for a song of the directory.
    ///
    /// - Parameter uri: Its path, by which it is known and whose name says that it can be played.
    package static func song(of file: borrowing Descriptor, uri: String) throws(MusicDirectoryError) -> Song {
        guard isPlayable(uri), let state = try? file.status, let path = FilePath(bytes: file.link.utf8) else {
            throw .notPlayable(uri)
        }
        let info = try probed(uri) { try FileProbe.info(path) }
        let tags = tags(of: file, named: uri, info, CharsetRules()).filter { $0.0 != .comment }
        return try song(uri, state, info, tags)
    }

    private static func song(
        _ uri: String,
        _ state: FileStatus,
        _ info: MediaInfo,
        _ tags: [(TagType, String)]
    ) throws(MusicDirectoryError) -> Song {
        guard let stream = info.audioStreams.first else { throw .notPlayable(uri) }
        return Song(
            uri: uri,
            lastModified: state.lastModified,
            format: songFormat(stream, container: info.container),
            tags: tags,
            duration: info.duration?.seconds,
            isExamined: true,
            hasSheet: info.tags["cuesheet"] != nil
        )
    }

    /// A song of which nothing is known but that its file is there, and since when.
    ///
    /// Blocks for one look at the file; it is not opened.
    package func unexamined(_ uri: String) throws(MusicDirectoryError) -> Song {
        if let sheet = try cueSheet(of: uri) {
            let tracks = try list(sheet, Self.unexamined)
            guard sheet.track != nil, case .song(let song)? = tracks.first else { throw .notPlayable(uri) }
            return song
        }
        let state = try state(of: uri)
        guard state.kind == .file, isPlayable(uri) else { throw .notPlayable(uri) }
        return Self.unexamined(uri, state)
    }

    /// The medium that the player opens for a song of the music directory or of the network, by way of `resolve`.
    ///
    /// Looks at no disk: a file that is gone fails when it is opened.
    package func mediaEntry(for song: Song) throws(MusicDirectoryError) -> MediaEntry {
        guard !hasScheme(song.uri) else {
            var entry = entry(song.uri, song.range)
            entry.alternatives = song.alternatives
            return entry
        }
        return entry(Playlists.location(ofFileSystemPath: try path(of: song.uri).bytes), song.range)
    }

    /// The file, and the part of it, that an entry in the music directory means: a track of a cue sheet is in another
    /// file, and only links that are followed lead to one.
    ///
    /// Blocks, unless all links are followed and it is no track.
    package func resolve(_ entry: MediaEntry) throws(MusicDirectoryError) -> MediaEntry {
        guard !entry.isURL, let uri = uri(ofWritten: entry.location) else { return entry }
        var resolved = entry
        if let sheet = try cueSheet(of: uri), let number = sheet.track {
            guard let track = try cueTracks(sheet.uri).first(where: { $0.number == number }) else {
                throw .doesNotExist(uri)
            }
            let part = self.entry(Playlists.location(ofFileSystemPath: try resolve(track.file).bytes), track.range)
            resolved.location = part.location
            if entry.start == nil, entry.end == nil { (resolved.start, resolved.end) = (part.start, part.end) }
        } else if !followsAllLinks {
            resolved.location = Playlists.location(ofFileSystemPath: try resolve(uri).bytes)
        }
        return resolved
    }

    /// The medium to open for a file, links followed as configured.
    ///
    /// Blocks.
    package func fileEntry(_ uri: String) throws(MusicDirectoryError) -> MediaEntry {
        entry(Playlists.location(ofFileSystemPath: try resolve(uri).bytes), nil)
    }

    private func entry(_ location: String, _ range: Song.Range?) -> MediaEntry {
        MediaEntry(
            location: location,
            start: range.map { MediaTime(seconds: $0.start) },
            end: range?.end.map { MediaTime(seconds: $0) }
        )
    }

    /// The tags as headers have them, where these are usual ones; else as they are stored, or as FFmpeg has them.
    private static func tags(
        of file: borrowing Descriptor,
        named uri: String,
        _ info: MediaInfo,
        _ charsets: CharsetRules
    ) -> [(TagType, String)] {
        var found = ScannedFile(uri: uri, size: (try? file.status.size) ?? 0, modified: 0, inode: 0)
        var reader = HeaderReader()
        _ = reader.read(file.number, into: &found, texts: UndeclaredText(in: charsets[uri]))
        return found.tags.isEmpty ? TagReader.libraryTags(info.storedComments(in: file)) : found.tags
    }
}

/// Has libavformat look into a file.
private func probed(_ uri: String, _ body: () throws -> MediaInfo) throws(MusicDirectoryError) -> MediaInfo {
    do {
        return try body()
    } catch let error as MusicDirectoryError {
        throw error
    } catch let error as MediaError {
        guard case .inaccessible = error.reason else { throw .notPlayable(uri) }
        throw .inaccessible(uri, errno: error.systemError)
    } catch {
        throw .notPlayable(uri)
    }
}

extension MediaError {
    /// The system's error number in it; that of an input/output error when FFmpeg says it in words of its own.
    fileprivate var systemError: Int32 {
        guard case .inaccessible(let error) = reason, (-4096..<0).contains(error.code) else { return 5 }
        return -error.code
    }
}
