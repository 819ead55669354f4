internal import AudioTypes
internal import Charsets
internal import Files
internal import MediaCoding
internal import MediaHeaders
internal import Playlists

extension MusicDirectory {
    /// The comments that `readcomments` shows: the names and values that a file has, as they are stored.
    ///
    /// Vorbis comments (FLAC, Ogg), ID3v2's own words (`TXXX`) and APE items come in their order, with every value. Of other
    /// formats FFmpeg's names are given, in lower case. A CUE sheet is left out, as in MPD: it is shown as a playlist.
    ///
    /// Blocks.
    package func readComments(_ uri: String) throws(MusicDirectoryError) -> [(String, String)] {
        var uri = uri
        if let sheet = try cueSheet(of: uri) {
            guard let track = try cueTracks(sheet.uri).first(where: { $0.number == sheet.track }) else {
                throw .doesNotExist(uri)
            }
            uri = track.file
        }
        return try comments(ofFile: uri).filter { $0.0.lowercased() != "cuesheet" }
    }

    private func comments(ofFile uri: String) throws(MusicDirectoryError) -> [(String, String)] {
        guard try state(of: uri).kind == .file, isPlayable(uri) else { throw .notPlayable(uri) }
        let file = try open(uri, .reading)
        var reader = TagReader(file.number, size: (try? file.status.size) ?? 0, charset: charsets[uri])
        if let comments = reader.comments(ofID3: true) { return comments }
        guard let info = try? FileProbe.info(uri, in: self) else {
            throw .notPlayable(uri)
        }
        return info.namedTags
    }
}

extension MediaInfo {
    /// FFmpeg's names and values.
    fileprivate var namedTags: [(String, String)] {
        tags.names.flatMap { name in tags[all: name].map { (name, $0) } }
    }

    /// Names and values as they are stored, of the formats that are read here; else FFmpeg's.
    func storedComments(in file: borrowing Descriptor) -> [(String, String)] {
        var reader = TagReader(file.number, size: (try? file.status.size) ?? 0)
        return reader.comments(ofID3: false) ?? namedTags
    }
}
