internal import AudioTypes

/// All keys of segued.toml.
enum Schema {
    static let main: [Setting<Draft>] =
        folders + access + sound + sessions + library + [
            Setting(table: "limits", limits, \.configuration.limits),
            Setting("mpris", .truth, \.configuration.isOnBus),
            Setting("mpris-zones", .truth, \.configuration.areZonesOnBus),
            Setting("desktop-notifications", .truth, \.configuration.showsNotifications),
            Setting("zeroconf", .truth, \.configuration.isOnNetwork),
            Setting("zeroconf-name", .serviceName, \.configuration.networkName),
            Setting("log-level", .word, \.configuration.logLevel),
            Setting("log-format", .word, \.configuration.logFormat),
        ]

    private static let folders: [Setting<Draft>] = [
        Setting("music-directory", .path, \.configuration.musicDirectory),
        Setting("playlist-directory", .path, \.playlistDirectory),
        Setting("state-directory", .path, \.stateDirectory),
        Setting("cache-directory", .path, \.cacheDirectory),
        Setting("picture-cache-size", .size(0...1 << 40), \.configuration.pictureCacheBytes),
        Setting("follow-inside-symlinks", .truth, \.configuration.followsInsideLinks),
        Setting("follow-outside-symlinks", .truth, \.configuration.followsOutsideLinks),
    ]

    private static let access: [Setting<Draft>] = [
        listen(\.listeners),
        Setting(table: "web", web, \.web),
        Setting(table: "tls", tls, \.configuration.tls),
        Setting("allow-anonymous", .word, \.configuration.access.allowAnonymous),
        Setting("anonymous-permissions", .permissions, \.configuration.access.anonymousPermissions),
        Setting("local-permissions", .permissions, \.configuration.access.localPermissions),
        Setting(list: "password", of: PasswordDraft(), password, \.passwords) { $0.finished($1, &$2) },
        Setting(table: "network", network, \.configuration.network),
        Setting(list: "host", of: HostDraft(), host, \.hosts) { $0.finished($1, &$2) },
    ]

    private static let sound: [Setting<Draft>] = [
        Setting(list: "output", of: OutputDraft(), output, \.outputs) { $0.finished($1, &$2) },
        Setting(list: "zone", of: ZoneDraft(), zone, \.zones) { $0.finished($1, &$2) },
        Setting(table: "replay-gain", replayGain, \.configuration.replayGain),
        Setting("audio-languages", .languages, \.configuration.audioLanguages),
        Setting("crossfade", .time(0...60)) { $0.configuration.crossfade = $1 ?? .zero },
        Setting(
            "resume-within",
            .time(0...31_536_000, unlimited: "always", zero: "never"),
            \.configuration.resumeWithin
        ),
        Setting("restore-paused", .truth, \.configuration.restoresPaused),
        Setting(table: "stream", stream, \.stream),
    ]

    private static let sessions: [Setting<Draft>] =
        [Setting(table: "session", session, \.configuration.session)] + zoneSession(\.session) + spoken + [
            Setting(table: "announcements", announcements, \.configuration.announcements),
            Setting(list: "announcement-rule", of: AnnouncementRuleDraft(), announcementRule, \.announcementRules) {
                $0.finished($1, &$2)
            },
            Setting("foreign-streams", .truth, \.configuration.watchesForeignStreams),
            Setting(list: "foreign", of: ForeignRule(), foreign, \.foreignRules) { $0.finished($1, &$2) },
        ]

    private static let library: [Setting<Draft>] = [
        charset,
        Setting("auto-update", .truth, \.configuration.updatesAutomatically),
        Setting("measure-loudness", .truth, \.configuration.measuresLoudness),
        Setting("library-file", .path, \.configuration.libraryFile),
        Setting("tags", .tags, \.configuration.tags),
        Setting("save-absolute-paths", .truth, \.configuration.savesAbsolutePaths),
    ]

    private static let replayGain: [Setting<ReplayGainSettings>] = [
        Setting("mode", .word, \.mode),
        Setting("preamp", .decibels(-30...30), \.preamp),
        Setting("missing-preamp", .decibels(-60...30), \.fallback),
        Setting("limit", .truth, \.preventsClipping),
    ]

    private static let limits: [Setting<Limits>] = [
        Setting("max-connections", .count(1...100_000), \.maxConnections),
        Setting("max-connections-per-address", .count(1...100_000), \.maxConnectionsPerAddress),
        Setting("max-local-connections", .count(1...100_000), \.maxLocalConnections),
        Setting("max-connections-before-permission", .count(1...100_000), \.maxConnectionsBeforePermission),
        Setting("owner-connections", .count(0...1_000), \.ownerConnections),
        Setting("connection-timeout", .time(1...86_400, unlimited: "never"), \.connectionTimeout),
        Setting("max-line-size", .size(4_096...16 << 20), \.maxLineBytes),
        Setting("max-line-size-before-permission", .size(256...16 << 20), \.maxLineBytesBeforePermission),
        Setting("max-command-list-size", .size(4_096...1 << 30), \.maxCommandListBytes),
        Setting(
            "max-command-list-size-before-permission",
            .size(256...1 << 30),
            \.maxCommandListBytesBeforePermission
        ),
        Setting("max-command-list-length", .count(1...10_000_000), \.maxCommandListLength),
        Setting("max-request-memory", .size(65_536...16 << 30), \.maxRequestBytes),
        Setting("max-output-buffer-size", .size(16_384...1 << 30), \.maxOutputBufferBytes),
        Setting("max-uri-size", .size(256...1 << 20), \.maxURIBytes),
        Setting("max-playlist-length", .count(1...10_000_000), \.maxPlaylistLength),
        Setting("max-queue-size", .size(4_096...64 << 30), \.maxQueueBytes),
        Setting("max-zones", .count(1...1_000), \.maxZones),
        Setting("max-stickers", .count(0...100_000_000), \.maxStickers),
        Setting("max-stickers-size", .size(0...64 << 30), \.maxStickersBytes),
        Setting("max-sticker-size", .size(1...1 << 20), \.maxStickerBytes),
        Setting("max-stored-playlists", .count(0...1_000_000), \.maxStoredPlaylists),
        Setting("max-stored-playlist-size", .size(0...64 << 20), \.maxStoredPlaylistBytes),
        Setting("max-subscriptions", .count(1...10_000), \.maxSubscriptions),
        Setting("max-messages", .count(1...100_000), \.maxMessages),
        Setting("max-messages-size", .size(0...16 << 20), \.maxMessagesBytes),
        Setting("max-sessions", .count(0...100_000), \.maxSessions),
        Setting("max-sessions-per-client", .count(0...100_000), \.maxSessionsPerClient),
        Setting("max-foreign-streams", .count(0...1_024), \.maxForeignStreams),
        Setting("max-announcements-per-client", .count(0...10_000), \.maxAnnouncementsPerClient),
        Setting("max-principals", .count(0...100_000), \.maxPrincipals),
        Setting("max-scopes-size", .size(0...1 << 30), \.maxScopeBytes),
        Setting("max-tls-handshakes", .count(1...10_000), \.maxHandshakes),
        Setting("max-tls-handshakes-per-address", .count(1...10_000), \.maxHandshakesPerAddress),
        Setting("tls-handshake-timeout", .time(1...600)) { $0.handshakeTimeout = $1 ?? $0.handshakeTimeout },
    ]
}

extension Configuration {
    /// The names of all keys of segued.toml; keys in tables are written `table.key`.
    package static var keys: [String] { Schema.main.qualifiedNames() }
}
