package import AudioTypes
package import Charsets
package import Songs

/// All settings of the daemon, read once.
package struct Configuration: Sendable, Hashable {
    // Folders; absolute paths.
    package var musicDirectory: String
    package var playlistDirectory: String
    package var stateDirectory: String
    package var cacheDirectory: String
    /// How much the small pictures in the cache directory may take, in bytes.
    package var pictureCacheBytes = 256 << 20
    /// The library's database; `nil` for one in the state directory.
    package var libraryFile: String?
    /// Whether to follow links in the music directory that lead to other places in it.
    package var followsInsideLinks = true
    /// Whether to follow links in the music directory that lead out of it.
    package var followsOutsideLinks = true

    /// The character sets of texts that declare none: of tags and playlists by folder, of stations by address.
    package var charsets = CharsetRules()

    package var listeners: [Listener]
    package var web = WebSettings()
    package var tls = TLSSettings()
    package var access = AccessRules()
    /// The file of the configuration if it has passwords that every user of this machine can read.
    package var readablePasswordFile: String?
    package var limits = Limits()
    /// The addresses that the server fetches from for clients beyond their own reach, and the allowed protocols.
    package var network = NetworkPolicy()

    /// The first is the default zone.
    package var zones: [ZoneSettings]

    /// How network media are read in zones without settings of their own.
    package var stream = StreamOptions()
    package var replayGain = ReplayGainSettings()
    /// The languages of which the first that a medium has audio in is played.
    package var audioLanguages: [LanguageCode] = []
    /// The crossfade between items in a new zone.
    package var crossfade: Duration = .zero
    /// The longest time since the last stop after which playback resumes at a start; `nil` for no limit.
    package var resumeWithin: Duration? = .seconds(600)
    /// Whether playback never resumes at a start: playing zones are paused instead.
    package var restoresPaused = false

    package var session = SessionSettings()
    package var announcements = AnnouncementSettings()
    package var announcementRules: [AnnouncementRule] = []
    package var spoken = SpokenContent()
    /// Whether the streams of other programs take part in arbitration.
    package var watchesForeignStreams = false
    /// The rules for their sessions; the first that matches counts.
    package var foreignRules: [ForeignRule] = []

    /// Whether the library is updated when files change.
    package var updatesAutomatically = false
    /// Whether the loudness of songs without ReplayGain is measured while nothing plays.
    package var measuresLoudness = true
    /// The tags that clients see.
    package var tags = TagMask.usual
    /// Whether stored playlists hold absolute paths.
    package var savesAbsolutePaths = false
    /// Whether what is now playing is a player on the user's message bus, where there is one.
    package var isOnBus = true
    /// Whether each zone is a player there, besides the one that is now playing.
    package var areZonesOnBus = true
    /// Whether the user's desktop shows what clients ask of the owner.
    package var showsNotifications = true

    /// Whether other machines on the network find this server, where it listens for them.
    package var isOnNetwork = true
    /// The name that they see; `%h` stands for this machine's.
    package var networkName = "Segue on %h"

    package var logLevel = LogLevel.info
    package var logFormat = LogFormat.text

    /// The files that an mpd.conf names for MPD's own state; `nil` without an mpd.conf.
    package var mpdFiles: MPDFiles?

    /// The network access of fetches for clients, extended by the prefixes of the announcement rules.
    package var fetching: NetworkPolicy {
        var policy = network
        policy.prefixes = announcementRules.map(\.prefix)
        return policy
    }

    /// Where the server listens for HTTP.
    package var webListeners: [Listener] { web.listeners ?? WebSettings.defaultListeners }

    /// How a zone reads network media.
    package func streamOptions(ofZone name: String) -> StreamOptions {
        zones.first { $0.name == name }?.stream ?? stream
    }

    /// The path of the library's database.
    package var libraryPath: String { libraryFile ?? stateDirectory + "/library.db" }
}

/// MPD's own files, which are imported but never written to.
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
