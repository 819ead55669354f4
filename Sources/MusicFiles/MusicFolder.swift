internal import Playlists
internal import Songs

/// One directory, sorted into what MPD shows of it.
struct MusicFolder {
    struct Entry {
        let uri: String
        let lastModified: Int
        let identity: FileState.Identity
        let isLink: Bool
        /// Whether it is a cue sheet with its tracks, and no directory.
        var isSheet = false
    }

    private let songs: [(uri: String, state: FileState)]
    private let playlists: [Entry]
    /// Directories and cue sheets.
    let folders: [Entry]
    let state: FileState
    /// What is ignored here and below.
    let ignored: IgnoreList

    init(_ music: MusicDirectory, _ uri: String, ignoring above: IgnoreList) throws(MusicFilesError) {
        let scan = try DirectoryScan(music, uri)
        state = scan.state
        let hasList = scan.files.contains { $0.name == IgnoreList.fileName }
        let ignored = hasList ? above.adding(music, uri) : above
        self.ignored = ignored
        var songs: [(uri: String, state: FileState)] = []
        var playlists: [Entry] = []
        var folders: [Entry] = []
        for file in scan.files where !ignored.matches(file.name) {
            let path = uri.isEmpty ? file.name : uri + "/" + file.name
            let entry = Entry(
                uri: path,
                lastModified: file.state.lastModified,
                identity: file.state.identity,
                isLink: file.isLink
            )
            switch file.state.kind {
            case .directory: folders.append(entry)
            case .file where isPlayable(file.name): songs.append((path, file.state))
            case .file where PlaylistFormat(nameOf: file.name) != nil: playlists.append(entry)
            case .file, .other: break
            }
        }
        // A cue sheet's tracks take the place of the files they lie in.
        for sheet in playlists where PlaylistFormat(nameOf: sheet.uri) == .cue {
            guard let tracks = try? music.cueTracks(sheet.uri), !tracks.isEmpty else { continue }
            let files = Set(tracks.map(\.file))
            songs.removeAll { files.contains($0.uri) }
            var folder = sheet
            folder.isSheet = true
            folders.append(folder)
        }
        self.songs = songs
        self.playlists = sorted(playlists, by: \.uri)
        self.folders = sorted(folders, by: \.uri)
    }

    /// The songs and the playlists, sorted.
    func listings(_ source: SongSource) -> [Listing] {
        let songs = songs.map { source($0.uri, $0.state) }
        return sortedAsAlbums(songs).map { .song($0) }
            + playlists.map { .playlist(uri: $0.uri, lastModified: $0.lastModified) }
    }
}

/// By album, disc and track, then by name.
private func sortedAsAlbums(_ songs: [Song]) -> [Song] {
    struct Key: Comparable {
        let album: CollationKey
        let disc: Int
        let track: Int
        let name: NaturalKey
        let uri: String

        static func < (left: Self, right: Self) -> Bool {
            if left.album != right.album { return left.album < right.album }
            return (left.disc, left.track, left.name, left.uri) < (right.disc, right.track, right.name, right.uri)
        }
    }
    func key(_ song: Song) -> Key {
        var (album, disc, track) = ("", 0, 0)
        if song.isExamined {
            for (tag, value) in song.tags {
                switch tag {
                case .album where album.isEmpty: album = value
                case .disc where disc == 0: disc = Int(value) ?? 0
                case .track where track == 0: track = Int(value) ?? 0
                default: break
                }
            }
        }
        return Key(
            album: CollationKey(album),
            disc: disc,
            track: track,
            name: NaturalKey(folded(song.uri)),
            uri: song.uri
        )
    }
    return songs.map { (key($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
}
