internal import AudioTypes
internal import Files
package import LineProtocol
internal import MusicDirectories
internal import Playlists
internal import ServerRequests
internal import ServerRights
internal import Settings
package import Songs

/// The files outside of the music directory that a client may name by their whole paths.
enum OutsideFiles: Sendable {
    case none
    /// Those that everybody may read.
    case publicOnly
    /// Those that the server may read.
    case all
}

extension Client {
    /// A local user has them read by the server only if everybody may read them; one with a limited library gets none.
    var outsideFiles: OutsideFiles {
        if identity.isOwner { return .all }
        return principal.peer == nil || visible != nil ? .none : .publicOnly
    }
}

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
package func examinedFile(_ path: String) throws(AckError) -> Song {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    let music = MusicDirectory(root: String(path[..<name]), followsOutsideLinks: true)
    do {
        return try music.song(String(path[name...])).with(uri: path)
    } catch {
        throw reason(error, path)
    }
}

/// A file of another user, with its tags: nothing is read but that file, and only if everybody may read it.
///
/// Blocks.
///
/// - Throws: The same for a file that is hidden from the user as for one that is absent, a folder or a device.
func publicFile(_ path: String) throws(AckError) -> Song {
    do {
        guard let place = FilePath(bytes: path.utf8) else { throw SystemError.noSuchFile }
        let file = try Descriptor(place, readableBy: .everybody)
        return try MusicDirectory.song(of: file, uri: path).narrowed(to: .publicOnly)
    } catch MusicDirectoryError.notPlayable(let uri) {
        throw reason(MusicDirectoryError.notPlayable(uri), path)
    } catch {
        throw AckError(.doesNotExist, "No such song")
    }
}

/// Whether everybody may read a file.
///
/// Blocks.
func isPublic(_ file: FilePath) -> Bool { (try? Descriptor(file, readableBy: .everybody).status) != nil }

/// The file that a song names by its whole path, rather than by its place in the music directory.
func outsideFile(_ song: Song) -> FilePath? {
    let uri = song.uri
    return uri.hasPrefix("/") ? FilePath(bytes: uri.utf8) : FilePath(fileURL: uri)
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
