package import MediaHeaders
internal import Songs

extension MusicDirectory {
    /// The tracks of a CUE sheet, for a library; empty when it cannot be read.
    ///
    /// Blocks.
    package func tracks(ofSheet uri: String) -> [ScannedFile.Track] {
        guard let tracks = try? cueTracks(uri) else { return [] }
        return tracks.map { ScannedFile.Track(number: $0.number, file: $0.file, range: $0.range, tags: $0.tags) }
    }
}
