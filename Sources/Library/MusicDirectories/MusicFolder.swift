internal import Files
internal import LibraryScan
internal import Playlists
internal import Songs

/// One directory, sorted into what MPD shows of it.
struct MusicFolder {
    struct Entry {
        let uri: String
        let state: FileStatus
        let isLink: Bool
        /// Whether it is a cue sheet with its tracks, and no directory.
        var isSheet = false

        var lastModified: Int { state.lastModified }
        var identity: FileStatus.Identity { state.identity }
    }

    private let songs: [(uri: String, state: FileStatus)]
    private let playlists: [Entry]
    /// Directories and cue sheets.
    let folders: [Entry]
    let state: FileStatus
    /// The patterns of names that are ignored here and below.
    let ignored: IgnorePatterns

    init(_ music: MusicDirectory, _ uri: String, ignoring above: IgnorePatterns) throws(MusicDirectoryError) {
        let scan = try DirectoryScan(music, uri)
        state = scan.state
        let hasList = scan.files.contains { $0.name == IgnorePatterns.file }
        let ignored = hasList ? above.adding(music, uri) : above
        self.ignored = ignored
        var songs: [(uri: String, state: FileStatus)] = []
        var playlists: [Entry] = []
        var folders: [Entry] = []
        for file in scan.files where !ignored.matches(file.name) {
            let path = uri.isEmpty ? file.name : uri + "/" + file.name
            let entry = Entry(uri: path, state: file.state, isLink: file.isLink)
            switch file.state.kind {
            case .folder: folders.append(entry)
            // The file that a Mac leaves beside each song (`._song.mp3`) has its extension and is none.
            case .file where file.name.utf8.first == UInt8(ascii: "."): break
            case .file where isPlayable(file.name): songs.append((path, file.state))
            case .file where PlaylistFormat(nameOf: file.name) != nil: playlists.append(entry)
            default: break
            }
        }
        // A cue sheet's tracks take the place of the files they lie in.
        for sheet in playlists where PlaylistFormat(nameOf: sheet.uri) == .cue {
            guard let tracks = try? music.cueTracks(sheet.uri), !tracks.isEmpty else { continue }
            let files = Set(tracks.map { ExactText($0.file) })
            songs.removeAll { files.contains(ExactText($0.uri)) }
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

/// Songs of one directory: they differ in their last component.
private func sortedAsAlbums(_ songs: [Song]) -> [Song] {
    func order(_ song: Song) -> AlbumOrder {
        let slash = song.uri.utf8.lastIndex(of: UInt8(ascii: "/")).map { song.uri.utf8.index(after: $0) }
        var order = AlbumOrder(name: slash.map { String(song.uri[$0...]) } ?? song.uri)
        // Nothing is folded for songs that were not examined.
        if song.isExamined { for (tag, value) in song.tags { order.take(tag, value) } }
        return order
    }
    return songs.map { (order($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
}
