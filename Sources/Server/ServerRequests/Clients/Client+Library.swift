internal import Authorization
internal import LibraryIndex
package import LineProtocol
package import ServerMusic
internal import Songs

/// The part of the library that a client sees.
extension Client {
    /// Whether the client sees a song of the library.
    package func sees(song uri: String) -> Bool { visible?.contains(uri) ?? true }

    /// Whether the client sees a song, or a folder that leads to some.
    package func sees(place uri: String) -> Bool {
        visible.map { $0.contains(uri) || $0.containsDirectory(uri) } ?? true
    }

    /// Whether the client sees a stored playlist.
    package func sees(playlist name: String) -> Bool {
        visible == nil || rights.limits.library?.playlists.contains { isSame($0, name) } ?? false
    }

    /// Throws what an absent one leads to unless the client sees all that a request names.
    package func require(_ names: [LibraryName], in media: MusicAccess) throws(AckError) {
        for name in names {
            switch name {
            case .song(let uri):
                let uri = media.uriInMusic(uri)
                if !hasScheme(uri), !sees(song: uri) { throw AckError(.doesNotExist, "No such song") }
            case .place(let uri):
                let uri = media.uriInMusic(uri)
                if !hasScheme(uri), !sees(place: uri) { throw AckError(.doesNotExist, "No such directory") }
            case .playable(let uri):
                let place = media.uriInMusic(uri)
                if !hasScheme(place), !sees(song: place), !sees(playlist: uri) {
                    throw AckError(.doesNotExist, "No such song")
                }
            case .playlist(let name):
                if !sees(playlist: name) { throw AckError(.doesNotExist, "No such playlist") }
            }
        }
    }
}
