package import AudioTypes
internal import FFmpeg
internal import Glibc
internal import MediaScan
internal import Playlists
package import Songs

extension MusicDirectory {
    /// A song with all that its file says of it; also one track of a cue sheet.
    ///
    /// Blocks, for as long as opening the file and decoding its first samples takes: a millisecond or two on a warm disk.
    ///
    /// - Parameter keepsComments: Whether the tag `Comment` is kept, which MPD leaves out unless `metadata_to_use` says so.
    package func song(_ uri: String, keepsComments: Bool = false) throws(MusicFilesError) -> Song {
        if let sheet = try cueSheet(of: uri) {
            guard let number = sheet.track else { throw .notPlayable(uri) }
            guard let track = try cueTracks(sheet.uri).first(where: { $0.number == number }) else {
                throw .doesNotExist(uri)
            }
            return track.song(of: try song(track.file, keepsComments: keepsComments), in: sheet.uri)
        }
        let state = try state(of: uri)
        guard state.kind == .file, isPlayable(uri) else { throw .notPlayable(uri) }
        let path = try resolve(uri)
        let info: MediaInfo
        do {
            info = try FileProbe.info(path)
        } catch let error as MediaError {
            guard case .inaccessible = error.reason else { throw .notPlayable(uri) }
            throw .inaccessible(uri, errno: error.systemError)
        } catch {
            throw .notPlayable(uri)
        }
        guard let stream = info.audioStreams.first else { throw .notPlayable(uri) }
        return Song(
            uri: uri,
            lastModified: state.lastModified,
            format: songFormat(stream, container: info.container),
            tags: tags(of: uri, info, keepsComments: keepsComments),
            duration: info.duration?.seconds,
            isExamined: true,
            hasSheet: info.tags["cuesheet"] != nil
        )
    }

    /// A song of which nothing is known but that its file is there, and since when.
    ///
    /// Blocks for one look at the file; it is not opened.
    package func unexamined(_ uri: String) throws(MusicFilesError) -> Song {
        if let sheet = try cueSheet(of: uri) {
            let tracks = try list(sheet, Self.unexamined)
            guard sheet.track != nil, case .song(let song)? = tracks.first else { throw .notPlayable(uri) }
            return song
        }
        let state = try state(of: uri)
        guard state.kind == .file, isPlayable(uri) else { throw .notPlayable(uri) }
        return Self.unexamined(uri, state)
    }

    /// What the player is to open for a song of the music directory or of the network.
    ///
    /// Blocks for a look at a cue sheet, and at the file where not all links are followed; else nothing is looked at, and a
    /// file that is gone fails when the player opens it.
    package func mediaEntry(for song: Song) throws(MusicFilesError) -> MediaEntry {
        if hasScheme(song.uri) {
            var entry = entry(song.uri, song.range)
            entry.alternatives = song.alternatives
            return entry
        }
        if let sheet = try cueSheet(of: song.uri), let number = sheet.track {
            guard let track = try cueTracks(sheet.uri).first(where: { $0.number == number }) else {
                throw .doesNotExist(song.uri)
            }
            return entry(Playlists.location(ofFileSystemPath: try resolve(track.file).bytes), song.range ?? track.range)
        }
        let path = followsAllLinks ? try path(of: song.uri) : try resolve(song.uri)
        return entry(Playlists.location(ofFileSystemPath: path.bytes), song.range)
    }

    private func entry(_ location: String, _ range: Song.Range?) -> MediaEntry {
        MediaEntry(
            location: location,
            start: range.map { MediaTime(seconds: $0.start) },
            end: range?.end.map { MediaTime(seconds: $0) }
        )
    }

    /// The tags as headers have them, where these are usual ones; else as they are stored, or as FFmpeg has them.
    private func tags(of uri: String, _ info: MediaInfo, keepsComments: Bool) -> [(TagType, String)] {
        var tags: [(TagType, String)] = []
        if let file = try? open(uri, O_RDONLY) {
            var found = ScannedFile(uri: uri, size: file.state?.size ?? 0, modified: 0, inode: 0)
            var reader = HeaderReader()
            _ = reader.read(file.number, into: &found)
            tags = found.tags
            if tags.isEmpty { tags = libraryTags(comments(TagSource(file), info)) }
        }
        return tags.filter { $0.0 != .comment || keepsComments }
    }
}

/// Names and values as they are stored, of the formats that are read here; else FFmpeg's.
func comments(_ source: borrowing TagSource, _ info: MediaInfo) -> [(String, String)] {
    StoredComments.read(source, ofID3: false)
        ?? info.tags.names.flatMap { name in info.tags[all: name].map { (name, $0) } }
}

/// The library's tags among names and values.
func libraryTags(_ comments: [(String, String)]) -> [(TagType, String)] {
    var (tags, substitutes): ([(TagType, String)], [(TagType, String)]) = ([], [])
    for (name, value) in comments {
        let name = name.lowercased()
        guard let tag = TagType(mediaTag: name) else { continue }
        let text = tidied(value, tag)
        if text.isEmpty { continue }
        if TagType.isSubstitute(mediaTag: name) { substitutes.append((tag, text)) } else { tags.append((tag, text)) }
    }
    tags.fillIn(substitutes)
    return tags
}

/// A tag's value as MPD shows it: on one line, and a track's or disc's number without what is behind it.
func tidied(_ value: String, _ tag: TagType) -> String {
    let characters = value.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) }
    var text = String(characters)[...]
    text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    guard tag == .track || tag == .disc, let number = Int(text.prefix { $0.isASCII && $0.isNumber }) else {
        return String(text)
    }
    return String(number)
}

extension MediaError {
    /// The system's error number in it; that of an input/output error when FFmpeg says it in words of its own.
    fileprivate var systemError: Int32 {
        guard case .inaccessible(let error) = reason, (-4096..<0).contains(error.code) else { return 5 }
        return -error.code
    }
}
