package import Files
internal import LibraryScan
internal import MediaExpansion
internal import Playlists
package import Songs

/// One line's worth of `lsinfo`: what is in a directory of the music directory.
package enum Listing: Sendable {
    /// Also a cue sheet, whose tracks are listed under its own name.
    case directory(uri: String, lastModified: Int)
    case song(Song)
    case playlist(uri: String, lastModified: Int)

    package var uri: String {
        switch self {
        case .directory(let uri, lastModified: _), .playlist(let uri, lastModified: _): uri
        case .song(let song): song.uri
        }
    }
}

/// One line's worth of `listfiles`: any file, whether it can be played or not.
package struct FileListing: Sendable, Hashable {
    package let name: String
    /// In bytes; `nil` for a directory.
    package let size: Int?
    /// Seconds since 1970.
    package let lastModified: Int
}

/// How a listing comes by its songs: from a URI and what the system says of the file.
package typealias SongSource = (_ uri: String, _ state: FileStatus) -> Song

extension MusicDirectory {
    /// The listing of `lsinfo`: songs, playlists, then directories, as MPD 0.23 has them; for a song only that.
    ///
    /// Songs are in the order of album, disc, track where these are known, else of their names with numbers by value.
    /// Hidden directories are shown, as in MPD: there are bands whose names begin with dots. Hidden files are left out, and
    /// what `.mpdignore` names.
    ///
    /// Blocks.
    ///
    /// - Parameter song: Gives the songs; without it they are not looked into.
    package func list(_ uri: String, song source: SongSource? = nil) throws(MusicDirectoryError) -> [Listing] {
        let source = source ?? Self.unexamined
        let uri = uri == "/" ? "" : uri
        if let sheet = try cueSheet(of: uri) { return try list(sheet, source) }
        if !uri.isEmpty, try state(of: uri).kind != .folder { return [.song(try song(uri, source))] }
        let folder = try MusicFolder(self, uri, ignoring: IgnorePatterns(self, above: uri))
        let ancestors = identities(above: uri).union([folder.state.identity])
        let folders = folder.folders.filter { !ancestors.contains($0.identity) }
        return folder.listings(source) + folders.map { .directory(uri: $0.uri, lastModified: $0.lastModified) }
    }

    /// The listing of `listfiles`: every file and directory in a directory but links, in the order of names.
    ///
    /// Blocks.
    package func listFiles(_ uri: String) throws(MusicDirectoryError) -> [FileListing] {
        let scan = try DirectoryScan(self, uri)
        let shown = scan.files.filter { [.file, .folder].contains($0.state.kind) && !$0.isLink }
        return sorted(shown, by: \.name).map { file in
            let size = file.state.kind == .folder ? nil : file.state.size
            return FileListing(name: file.name, size: size, lastModified: file.state.lastModified)
        }
    }

    /// Everything below a URI in the order of `listall`: of each directory its songs, its playlists, then its directories.
    ///
    /// The directory itself comes first unless it is the root. Nothing is collected but one directory at a time, so that a
    /// library of any size streams. Links may make a directory appear several times, never in itself.
    ///
    /// Blocks.
    ///
    /// - Parameter body: Gets each; what it throws ends the walk.
    package func walk(_ uri: String, song source: SongSource? = nil, _ body: (Listing) throws -> Void) throws {
        let source = source ?? Self.unexamined
        let uri = uri == "/" ? "" : uri
        if let sheet = try cueSheet(of: uri) {
            if sheet.track == nil { try body(.directory(uri: sheet.uri, lastModified: sheet.lastModified)) }
            for listing in try list(sheet, source) { try body(listing) }
            return
        }
        let state = try state(of: uri)
        guard state.kind == .folder else { return try body(.song(try song(uri, source))) }
        var walk = MusicEnumerator(self, within: identities(above: uri))
        try walk.visit(uri, lastModified: state.lastModified, IgnorePatterns(self, above: uri), source, body)
    }

    /// The directories that a URI lies in, which a link in it must not lead back to.
    private func identities(above uri: String) -> Set<FileStatus.Identity> {
        guard !uri.isEmpty else { return [] }
        let above = uri.utf8.indices.filter { uri.utf8[$0] == UInt8(ascii: "/") }.map { String(uri[..<$0]) }
        return Set(([""] + above).compactMap { try? state(of: $0).identity })
    }

    /// A song that is a file, for a listing.
    private func song(_ uri: String, _ source: SongSource) throws(MusicDirectoryError) -> Song {
        let state = try state(of: uri)
        guard state.kind == .file, isPlayable(uri) else { throw .notPlayable(uri) }
        return source(uri, state)
    }

    func list(_ sheet: CueSheetPlace, _ source: SongSource) throws(MusicDirectoryError) -> [Listing] {
        let tracks = try cueTracks(sheet.uri)
        let wanted = sheet.track.map { number in tracks.filter { $0.number == number } } ?? tracks
        if wanted.isEmpty { throw .doesNotExist(sheet.track.map { CueTrack.uri(sheet.uri, $0) } ?? sheet.uri) }
        return try wanted.map { track throws(MusicDirectoryError) in
            .song(track.song(of: source(track.file, try state(of: track.file)), in: sheet.uri))
        }
    }

    /// A song of which only the file's date is known.
    static func unexamined(_ uri: String, _ state: FileStatus) -> Song {
        Song(uri: uri, lastModified: state.lastModified)
    }
}

/// Whether a name's extension is that of a medium.
package func isPlayable(_ name: String) -> Bool {
    pathExtension(of: name).flatMap { MediaType.rank(ofExtension: $0) } != nil
}

func sorted<Element>(_ elements: [Element], by name: (Element) -> String) -> [Element] {
    elements.map { (CollationKey(name($0)), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
}
