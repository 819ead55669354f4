/// A value of the server that clients watch: it is sent to them whenever it changes.
package enum Topic: String, CaseIterable, Sendable {
    case player, queue, mixer, options, outputs, routes, artwork, why, sleep, permissions, channels
    case sessions, announcements, timers, library, playlists, stickers, zones, messages, pairing, picker, requests,
        audit

    /// Whether each zone has such a value; otherwise the server has one.
    package var isOfZone: Bool {
        switch self {
        case .player, .queue, .mixer, .options, .outputs, .routes, .artwork, .why, .sleep, .permissions, .channels:
            true
        case .sessions, .announcements, .timers, .library, .playlists, .stickers, .zones, .messages, .pairing, .picker,
            .requests, .audit:
            false
        }
    }

    /// The connections with the same rights that have one value.
    package enum Audience: Sendable {
        case all
        /// Those of the same owner of sessions.
        case owner
        /// Each has its own.
        case connection
    }

    package var audience: Audience {
        switch self {
        case .player, .why, .sessions, .announcements, .timers, .pairing, .picker, .audit: .owner
        case .messages, .requests: .connection
        case .queue, .mixer, .options, .outputs, .routes, .artwork, .sleep, .permissions, .channels, .library,
            .playlists, .stickers, .zones:
            .all
        }
    }

    /// The changes with which the value may have changed.
    package var triggers: Subsystems {
        switch self {
        case .player: [.player, .playlist, .options, .session, .timer, .output, .route]
        case .queue: .playlist
        case .mixer: [.mixer, .output]
        case .options: .options
        case .outputs: [.output, .route, .player]
        case .routes: [.route, .output, .player]
        case .artwork: [.artwork, .player, .playlist]
        case .why: [.player, .playlist, .mixer, .output, .route, .session, .timer, .announcement]
        case .sleep: .timer
        case .permissions: .permission
        case .channels: .subscription
        case .sessions: [.session, .player, .output, .route]
        case .announcements: .announcement
        case .timers: .timer
        case .library: [.update, .database]
        case .playlists: .storedPlaylist
        case .stickers: .sticker
        case .zones: .partition
        // Each connection has its own, which it is told of by itself.
        case .messages: []
        case .pairing: .pairing
        case .picker, .requests: .picker
        case .audit: .audit
        }
    }
}

/// The topics that a client is to be told, and of which zones.
package struct WatchRequest: Sendable, Hashable {
    package let topics: [Topic]
    /// The zones that the client has named; `nil` for the one that it is in.
    package let zones: ZoneChoice?

    package enum ZoneChoice: Sendable, Hashable {
        /// All, also those that are made later.
        case all
        case named([String])
    }

    package init(topics: [Topic], zones: ZoneChoice?) { (self.topics, self.zones) = (topics, zones) }
}
