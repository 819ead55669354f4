package import AudioTypes
package import Songs

/// Everything that can be set about the daemon, read once.
package struct Configuration: Sendable, Hashable {
    // Folders; absolute paths.
    package var musicDirectory: String
    package var playlistDirectory: String
    package var stateDirectory: String
    package var cacheDirectory: String
    /// The library's database; `nil` for one in the state directory.
    package var libraryFile: String?
    /// Whether links inside the music directory to other places inside it are followed.
    package var followsInsideLinks = true
    /// Whether links from the music directory to places outside of it are followed.
    package var followsOutsideLinks = true

    package var listeners: [Listener]
    package var access = AccessRules()
    package var limits = Limits()

    /// The first is the default zone.
    package var zones: [ZoneSettings]

    /// How media of the network are read for zones of which nothing else is said.
    package var stream = StreamOptions()
    package var replayGain = ReplayGainSettings()
    /// How long one item fades into the next in a new zone.
    package var crossfade: Duration = .zero
    /// How long ago the last stop may be for playing to go on after a start; `nil` for any time.
    package var resumeWithin: Duration? = .seconds(600)
    /// Whether a start never plays: what was playing is paused.
    package var restoresPaused = false

    package var session = SessionSettings()
    package var announcements = AnnouncementSettings()
    package var announcementRules: [AnnouncementRule] = []
    package var spoken = SpokenContent()

    /// Whether the library is brought up to date when files change.
    package var updatesAutomatically = false
    /// The tags that clients see.
    package var tags = TagMask.usual
    /// Whether stored playlists hold absolute paths.
    package var savesAbsolutePaths = false

    package var logLevel = LogLevel.info
    package var logFormat = LogFormat.text

    /// What an mpd.conf says of MPD's own files; `nil` without one.
    package var mpdFiles: MPDFiles?

    /// Where the library's database lies.
    package var libraryPath: String { libraryFile ?? stateDirectory + "/library.db" }
}

/// Files of MPD's, to be taken over but not written to.
package struct MPDFiles: Sendable, Hashable {
    package var stateFile: String?
    package var stickerFile: String?
    package var databaseFile: String?

    package init(stateFile: String? = nil, stickerFile: String? = nil, databaseFile: String? = nil) {
        self.stateFile = stateFile
        self.stickerFile = stickerFile
        self.databaseFile = databaseFile
    }
}
