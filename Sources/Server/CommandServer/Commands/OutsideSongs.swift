internal import Files
internal import LineProtocol
internal import MusicDirectories
internal import Playlists
internal import Songs

/// The songs at a path outside of the music directory: a file, those in a folder, or those that a playlist names.
///
/// Blocks.
///
/// - Parameters:
///   - isSong: Whether the path must be a single file.
///   - limit: The number of songs from which on they are refused.
func outsideSongs(_ path: String, isSong: Bool, limit: Int) throws(AckError) -> [Song] {
    let files = MusicDirectory(root: "/", followsOutsideLinks: true)
    // A song that takes longer than this to read is read once it is in the queue.
    let source = files.examining(SongCache(), for: .seconds(10))
    do {
        if isSong || (isPlayable(path) && !isFolder(path)) { return [try examinedFile(path)] }
        var songs: [Song] = []
        if PlaylistFormat(nameOf: path) != nil, !isFolder(path) {
            songs = try files.playlist(String(path.dropFirst()), song: source)
        } else {
            try files.walk(String(path.dropFirst()), song: source) { listing in
                guard case .song(let song) = listing else { return }
                guard songs.count < limit else { throw AckError(.queueFull, "\(path): it has too many songs") }
                songs.append(song)
            }
        }
        guard !songs.isEmpty else {
            throw AckError(.doesNotExist, "\(path): there is nothing in it that can be played")
        }
        return songs.map { hasScheme($0.uri) || $0.uri.hasPrefix("/") ? $0 : $0.with(uri: "/" + $0.uri) }
    } catch {
        throw reason(error, path)
    }
}

/// The file of a path outside of the music directory, with its tags.
///
/// Blocks.
func examinedFile(_ path: String) throws(AckError) -> Song {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    let music = MusicDirectory(root: String(path[..<name]), followsOutsideLinks: true)
    do {
        return try music.song(String(path[name...])).with(uri: path)
    } catch {
        throw reason(error, path)
    }
}

private func isFolder(_ path: String) -> Bool { (try? FileStatus(of: path).kind) == .folder }

private func reason(_ error: any Error, _ path: String) -> AckError {
    if let error = error as? AckError { return error }
    return switch error as? MusicDirectoryError {
    case .inaccessible(_, errno: let number): AckError(.doesNotExist, "\(path): \(SystemError(number).description)")
    case .notPlayable: AckError(.doesNotExist, "\(path): not a media file that can be played")
    default: AckError(.doesNotExist, "No such song")
    }
}
