package import AudioTypes
internal import FFmpeg
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

    /// The tags as stored, where their format is one that FFmpeg keeps only the first or a merged value of; else FFmpeg's.
    private func tags(of uri: String, _ info: MediaInfo, keepsComments: Bool) -> [(TagType, String)] {
        var result: [(TagType, String)] = []
        func add(_ name: String, _ value: String) {
            guard let tag = TagType(mediaTag: name.lowercased()), tag != .comment || keepsComments else { return }
            let value = tidied(value, tag)
            if !value.isEmpty { result.append((tag, value)) }
        }
        if let comments = try? storedComments(uri, decodesFrames: true) {
            for (name, value) in comments { add(name, value) }
        } else {
            for name in info.tags.names { for value in info.tags[all: name] { add(name, value) } }
        }
        return result
    }
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
