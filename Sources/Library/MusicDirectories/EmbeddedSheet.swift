internal import Files
internal import MediaHeaders
internal import Playlists
internal import Songs

extension MusicDirectory {
    /// The tracks of the CUE sheet that a song's file carries; all of them lie in that file, whatever the sheet calls it.
    ///
    /// Blocks.
    func embeddedTracks(_ uri: String) throws(MusicDirectoryError) -> [CueTrack] {
        guard let text = try embeddedSheet(uri), let sheet = try? Playlist(Array(text.utf8), as: .cue) else {
            throw .notPlayable(uri)
        }
        return sheet.entries.enumerated().map { index, entry in
            CueTrack(number: index + 1, file: uri, range: entry.songRange, tags: entry.songTags(.cue))
        }
    }

    private func embeddedSheet(_ uri: String) throws(MusicDirectoryError) -> String? {
        let file = try open(uri, .reading)
        guard let state = try? file.status, state.kind == .file else { throw .notPlayable(uri) }
        var scanned = ScannedFile(uri: uri, size: state.size, modified: state.modified, inode: state.inode)
        var reader = HeaderReader()
        if reader.read(file.number, into: &scanned) == .unknown {
            LibavformatExaminer().examine(try resolve(uri), into: &scanned)
        }
        return scanned.cueSheet
    }
}
