package import AudioTypes
package import LineProtocol
package import MusicDirectories
package import PlaylistStore
internal import Playlists
package import ServerBasics
internal import Settings
package import Songs

/// The music directory and the stored playlists, for commands and players; reads no disk itself.
///
/// Belongs to the server's event loop.
package final class MusicAccess {
    /// `nil` when no usable folder is configured.
    package let directory: MusicDirectory?
    /// `nil` when stored playlists are disabled.
    package let playlists: StoredPlaylists?
    package let cache = SongCache(capacity: 20_000)
    package let pictures = PictureCache()
    /// Tells players the loudness of songs without corrections.
    package let gains = MeasuredGains()
    /// `nil` without a music directory.
    package let finder: SongFinder?
    private let configuration: CurrentConfiguration

    package init(
        _ directory: MusicDirectory?,
        _ playlists: StoredPlaylists?,
        _ configuration: CurrentConfiguration
    ) {
        self.directory = directory
        self.playlists = playlists
        self.configuration = configuration
        finder = directory.map { [cache] in SongFinder($0, cache) }
    }

    package func requireDirectory() throws(AckError) -> MusicDirectory {
        guard let directory else { throw AckError(.doesNotExist, "No database") }
        return directory
    }

    package func requirePlaylists() throws(AckError) -> StoredPlaylists {
        guard let playlists else { throw AckError(.doesNotExist, "Stored playlists are disabled") }
        return playlists
    }

    /// Converts a location to a URI in the music directory if it lies inside; any client may write it either way.
    package func uriInMusic(_ uri: String) -> String {
        // Old clients write the root as `/`.
        uri == "/" ? "" : directory?.uri(ofWritten: uri) ?? uri
    }

    /// The medium that the player opens for a song.
    package func medium(_ song: Song) -> MediaEntry? {
        if song.uri.hasPrefix("/") {
            return MediaEntry(
                location: song.uri,
                start: song.range.map { MediaTime(seconds: $0.start) },
                end: song.range?.end.map { MediaTime(seconds: $0) },
                access: NetworkAccess(song.reach, configuration.value.fetching)
            )
        }
        let directory = directory ?? MusicDirectory(root: "/nonexistent", followsOutsideLinks: false)
        var medium = try? directory.mediaEntry(for: song)
        medium?.access = NetworkAccess(song.reach, configuration.value.fetching)
        return medium
    }

    /// Resolves the media that players open; blocks.
    package var resolve: @Sendable (MediaEntry) throws -> MediaEntry {
        { [directory, gains] entry in
            guard let directory else { return entry }
            var resolved = try directory.resolve(entry)
            if !resolved.isURL, let uri = directory.uri(ofWritten: resolved.location) {
                resolved.measuredGain = gains.gain(uri) ?? ReplayGain()
            }
            return resolved
        }
    }

    /// The configured chime, which is played before every announcement; its path may lead anywhere.
    package var configuredChime: [MediaEntry] {
        guard let uri = configuration.value.announcements.chime, !uri.isEmpty else { return [] }
        if hasScheme(uri) || uri.hasPrefix("/") { return [MediaEntry(location: uri)] }
        return medium(Song(uri: uri)).map { [$0] } ?? []
    }
}
