package import AudioTypes
package import Songs

/// What a zone does, in MPD's words.
package enum PlayState: String, Sendable, Hashable {
    case stop, play, pause
}

/// What changed in a zone, after MPD's idle subsystems.
package struct ZoneChanges: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let queue = ZoneChanges(rawValue: 1 << 0)
    package static let player = ZoneChanges(rawValue: 1 << 1)
    package static let mixer = ZoneChanges(rawValue: 1 << 2)
    package static let options = ZoneChanges(rawValue: 1 << 3)
    package static let outputs = ZoneChanges(rawValue: 1 << 4)
    /// What the network is doing for the current song; nothing to be kept.
    package static let stream = ZoneChanges(rawValue: 1 << 5)
}

/// What a zone needs of the server around it.
package struct ZoneSurroundings {
    /// Where the medium of a song is; `nil` when it may not be played.
    package var medium: (Song) -> MediaEntry?
    /// Somebody is to be told.
    package var changed: (Zone, ZoneChanges) -> Void
    /// Asks whether the zone, which is about to play, may; says how many seconds it must wait until others are silent.
    package var claim: (Zone) throws(ZoneError) -> Double
    /// Somebody paused the zone, which does not play.
    package var staysPaused: (Zone) -> Void
    /// Something happened to the stream that is played.
    package var streamNews: (Zone, StreamNews) -> Void

    package init(
        medium: @escaping (Song) -> MediaEntry?,
        changed: @escaping (Zone, ZoneChanges) -> Void,
        claim: @escaping (Zone) throws(ZoneError) -> Double = { _ in 0 },
        staysPaused: @escaping (Zone) -> Void = { _ in },
        streamNews: @escaping (Zone, StreamNews) -> Void = { _, _ in }
    ) {
        self.medium = medium
        self.changed = changed
        self.claim = claim
        self.staysPaused = staysPaused
        self.streamNews = streamNews
    }
}

/// What happened to the stream of a zone's current song.
package enum StreamNews: Sendable, Hashable {
    /// It is tried again; told once for each reason.
    case lost(StreamStatus.Reconnecting)
    /// It came back, after so many seconds.
    case restored(after: Double)
    /// Playing ran out of what was read ahead.
    case stalled
}

/// Why a zone refuses something.
package enum ZoneError: Error, Sendable, Hashable {
    case badIndex
    case noSuchSong
    case notPlaying
    case notSeekable
    case queueFull
    case noMixer
    /// The audio session may not be active; why, beginning with AVAudioSession's name for it.
    case refused(String)
}
