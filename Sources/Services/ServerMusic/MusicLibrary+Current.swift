internal import Files
internal import LibraryIndex
package import LibraryService
package import MusicDirectories
package import Songs

extension MusicLibrary {
    /// A song's entry in the library; `nil` when the library has none, or when the file has changed since.
    ///
    /// Blocks.
    package func song(_ uri: String, in music: MusicDirectory) -> Song? {
        guard let song = try? read({ try $0.song(uri) }),
            let state = try? music.state(of: uri), song.lastModified == state.lastModified
        else { return nil }
        return song
    }
}
