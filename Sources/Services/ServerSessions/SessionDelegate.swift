package import AudioSessions
package import Settings
package import Songs
package import StateStore
package import Zones

/// Receives the events of a ``SessionService``, and answers its questions.
package protocol SessionDelegate: AnyObject {
    /// The streams of other programs, which have sessions, too.
    var foreignSessions: any ForeignSessions { get }
    /// Logs a line for the person who runs the server.
    var log: @Sendable (LogLevel, String) -> Void { get }

    /// There are new events of sessions, or sessions were added.
    func sessionsChanged()
    /// The states of sessions may have changed without an event.
    func sessionStatesChanged()
    /// A client has made a setting that outlives the server.
    func sessionSettingChanged(_ record: Record)
    /// A session has begun to play, or stopped.
    func sessionPlayed(_ id: SessionID)
    func sessionClosed(_ id: SessionID)
    func clientOpenedSession()
    /// The sink was taken from an announcement.
    func announcementInterrupted(_ id: SessionID, by interrupter: Interrupter)
    /// The gains of the announcements at a place are to be applied.
    ///
    /// - Parameter ramp: In seconds.
    func settleAnnouncements(at place: String, over ramp: Double)
    /// A zone is heard elsewhere.
    ///
    /// - Parameter old: Its first place before.
    func zoneMoved(_ zone: Zone, from old: String)
    /// Whether a song is speech, which prompts pause instead of ducking.
    func isSpoken(_ song: Song) -> Bool
}

/// The sessions of other programs' streams, as arbiters decide on them.
package protocol ForeignSessions: AnyObject {
    func interrupt(_ id: SessionID)
    /// Nothing interrupts the session any more.
    func release(_ id: SessionID, shouldResume: Bool)
    /// Whether a session that may resume has a stream that plays.
    func isPlaying(_ id: SessionID) -> Bool
    /// Whether a stream that could not be paused is muted; `nil` for one that was paused, or plays.
    func isMuted(_ id: SessionID) -> Bool?
    /// Applies the levels of the streams at a place.
    func settle(_ place: String)
}
