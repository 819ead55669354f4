package import AudioTypes
package import Songs

/// The state of a zone, in MPD's words.
package enum PlayState: String, Sendable, Hashable {
    case stop, play, pause
}

/// The changes in a zone, after MPD's idle subsystems.
package struct ZoneChanges: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let queue = ZoneChanges(rawValue: 1 << 0)
    package static let player = ZoneChanges(rawValue: 1 << 1)
    package static let mixer = ZoneChanges(rawValue: 1 << 2)
    package static let options = ZoneChanges(rawValue: 1 << 3)
    package static let outputs = ZoneChanges(rawValue: 1 << 4)
    /// The stream status of the current song changed; not saved.
    package static let stream = ZoneChanges(rawValue: 1 << 5)
    /// Time begins to go on, or stands still; not saved, and of interest only to those that show it.
    package static let progress = ZoneChanges(rawValue: 1 << 6)
}

/// The services that a zone needs from the server.
package struct ZoneDependencies {
    /// The medium of a song; `nil` when it may not be played.
    package var medium: (Song) -> MediaEntry?
    /// Reports changes to clients.
    package var changed: (Zone, ZoneChanges) -> Void
    /// Asks for permission to play; returns how many seconds to wait until others are silent.
    package var claim: (Zone) throws(ZoneError) -> Double
    /// Whether the zone is interrupted by a session that its own activation would not interrupt, such as a call.
    package var isHeldBack: (Zone) -> Bool
    /// Called when a client has decided whether an interrupted zone resumes after the interruption.
    package var willResume: (Zone, Bool) -> Void
    /// Reports an event of the stream being played.
    package var streamNews: (Zone, StreamNews) -> Void
    /// Reports that the sound server asks for silence on behalf of another program, or takes that back.
    package var silenceRequested: (Zone, Bool) -> Void
    /// Reports that the sound server's volume was raised above the zone's ceiling, to this one, and was brought back.
    package var volumeHeld: (Zone, Volume) -> Void

    package init(
        medium: @escaping (Song) -> MediaEntry?,
        changed: @escaping (Zone, ZoneChanges) -> Void,
        claim: @escaping (Zone) throws(ZoneError) -> Double = { _ in 0 },
        isHeldBack: @escaping (Zone) -> Bool = { _ in false },
        willResume: @escaping (Zone, Bool) -> Void = { _, _ in },
        streamNews: @escaping (Zone, StreamNews) -> Void = { _, _ in },
        silenceRequested: @escaping (Zone, Bool) -> Void = { _, _ in },
        volumeHeld: @escaping (Zone, Volume) -> Void = { _, _ in }
    ) {
        self.medium = medium
        self.changed = changed
        self.claim = claim
        self.isHeldBack = isHeldBack
        self.willResume = willResume
        self.streamNews = streamNews
        self.silenceRequested = silenceRequested
        self.volumeHeld = volumeHeld
    }
}

/// An event of a zone's current stream.
package enum StreamNews: Sendable, Hashable {
    /// It is being retried; reported once for each reason.
    case lost(StreamStatus.Reconnecting)
    /// It came back, after so many seconds.
    case restored(after: Double)
    /// Playback ran out of buffered data.
    case stalled
}

/// Why a zone refuses a command.
package enum ZoneError: Error, Sendable, Hashable, CustomStringConvertible {
    case badIndex
    case noSuchSong
    case notPlaying
    case notSeekable
    case queueFull
    case noMixer
    /// A group of the current song's streams has no such option.
    case noSuchOption
    /// The audio session may not be activated; the text begins with AVAudioSession's name for the error.
    case refused(String)

    package var description: String {
        switch self {
        case .badIndex: "Bad song index"
        case .noSuchSong: "No such song"
        case .notPlaying: "Not playing"
        case .notSeekable: "The song cannot be sought in"
        case .queueFull: "Playlist is too large"
        case .noMixer: "No mixer"
        case .noSuchOption: "No such option"
        case .refused(let reason): reason
        }
    }
}
