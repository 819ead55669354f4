internal import AudioTypes
internal import Charsets
internal import Files
package import MediaExpansion
internal import Playlists
package import Songs

extension MusicDirectory {
    /// The songs of a playlist file in the music directory, as `load` and `listplaylist` give them.
    ///
    /// Entries inside the music directory become relative URIs, URLs stay. A cue sheet gives its files with ranges.
    /// Playlists in it are followed. A song's file is the playlist of the CUE sheet that it carries.
    ///
    /// Blocks.
    ///
    /// - Parameters:
    ///   - keepsMissing: Whether entries that are not there, or not in the music directory, are given as they are written
    ///     (`listplaylist`) or left out (`load`).
    ///   - source: Gives the songs of files; without it they are not looked into.
    package func playlist(
        _ uri: String,
        keepsMissing: Bool = false,
        song source: SongSource? = nil
    ) throws(MusicDirectoryError) -> [Song] {
        guard try state(of: uri).kind == .file else { throw .notPlayable(uri) }
        let source = source ?? Self.unexamined
        if isPlayable(uri) { return try songs(of: embeddedTracks(uri), source) }
        guard let format = PlaylistFormat(nameOf: uri) else { throw .notPlayable(uri) }
        _ = try resolve(uri)
        if format == .cue { return try songs(of: cueTracks(uri), source) }
        let list = MediaList(playlist: root + "/" + uri, charset: charsets[uri])
        if list.entries.isEmpty, list.problems.contains(where: \.preventsReading) { throw .notPlayable(uri) }
        return list.entries.compactMap { entry in
            let song = song(of: entry, format, source)
            guard song == nil, keepsMissing else { return song }
            return Song(uri: self.uri(ofPath: entry.location) ?? entry.location, tags: entry.songTags(format))
        }
    }

    /// Finds URIs that clients and lists spell in another Unicode form or in another case.
    ///
    /// It blocks.
    package func nameSearch() -> NameSearch {
        NameSearch { path in
            (try? state(of: String(decoding: path, as: UTF8.self))) != nil
        } list: { folder in
            var names: [String] = []
            try? open(String(decoding: folder, as: UTF8.self), .folder).forEachEntry { entry in
                if let name = entry.text { names.append(name) }
            }
            return names
        }
    }

    /// Parts of files, as songs of these files.
    private func songs(of tracks: [CueTrack], _ source: SongSource) throws(MusicDirectoryError) -> [Song] {
        try tracks.map { track throws(MusicDirectoryError) in
            track.song(of: source(track.file, try state(of: track.file)), in: nil)
        }
    }

    private func song(of entry: MediaEntry, _ format: PlaylistFormat, _ source: SongSource) -> Song? {
        let tags = entry.songTags(format)
        guard !entry.isURL else {
            return Song(uri: entry.location, range: entry.songRange, tags: tags, duration: entry.duration?.seconds)
        }
        guard let uri = uri(ofPath: entry.location), let state = try? state(of: uri), state.kind == .file else {
            return nil
        }
        return source(uri, state).part(uri: uri, range: entry.songRange, tags: tags)
    }
}

extension MediaProblem {
    fileprivate var preventsReading: Bool {
        switch reason {
        case .notAPlaylist, .tooLarge: true
        default: false
        }
    }
}
