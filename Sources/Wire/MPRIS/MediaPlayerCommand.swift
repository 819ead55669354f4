package import DBus

/// A command of a client of MPRIS to a player; numbers are within the ranges that the player offers.
package enum MediaPlayerCommand: Sendable, Hashable {
    case quit
    case next
    case previous
    case play
    case pause
    case playPause
    case stop
    /// By so many seconds.
    case seek(Double)
    /// To a time of a track, in seconds; of no effect once another one is current.
    case setPosition(ObjectPath, Double)
    case open(String)
    case setLoop(LoopStatus)
    case setShuffle(Bool)
    /// Within the player's rates.
    case setRate(Double)
    /// 0 to 1.
    case setVolume(Double)

    /// Answered by the tracks' ``TrackMetadata/value``.
    case tracks([ObjectPath])
    /// - Parameter after: `nil` for the beginning.
    case addTrack(String, after: ObjectPath?, isCurrent: Bool)
    case removeTrack(ObjectPath)
    case goTo(ObjectPath)

    case activatePlaylist(ObjectPath)
    /// Answered by playlists' ``PlayerPlaylist/value``.
    case playlists(from: Int, count: Int, isReversed: Bool)
}
