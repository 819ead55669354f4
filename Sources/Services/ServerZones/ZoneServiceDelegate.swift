package import AudioTypes
package import Authorization
package import OutputGroups
package import ServerBasics
package import ServerPersistence
package import Settings
package import Songs
package import Zones

/// The server, as the host of its zones sees it.
package protocol ZoneServiceDelegate: AnyObject {
    var log: @Sendable (LogLevel, String) -> Void { get }
    /// `nil` until the state has been read, and when none is kept.
    var persistence: PersistenceService? { get }
    /// Resolves the media that players open; blocks.
    var resolve: @Sendable (MediaEntry) throws -> MediaEntry { get }

    /// The medium that a player opens for a song.
    func medium(of song: Song) -> MediaEntry?
    /// Makes the outputs of a zone.
    ///
    /// - Parameter changed: Gets the name of an output whose state changes; called on any thread.
    func makeOutputs(_ settings: ZoneSettings, changed: @escaping @Sendable (String) -> Void) -> OutputGroup
    /// The most that a zone plays now, as its owner has decided while the server runs.
    func ceiling(of zone: String) -> ZoneCeiling
    /// Whether its owner has limited what a zone plays, now or at other times.
    func hasCeiling(_ zone: String) -> Bool
    func isAlarmRinging(in zone: Zone) -> Bool
    /// A zone's stream was raised above its ceiling in the sound server, to some percent, and was brought back.
    func volumeHeld(of zone: Zone, from percent: Int)
    /// The song in a zone goes on, or stands still.
    func progressChanged(in zone: Zone)
    /// All clients are to be notified of changes.
    func zonesChanged(_ changes: Subsystems)
    /// The clients of a zone are to be notified of changes.
    func zoneChanged(_ zone: Zone, _ changes: Subsystems)
    /// A zone is gone for its clients, which are to be moved to the default zone.
    func willRemove(_ zone: Zone)
    /// A removed zone has stopped: its announcements cannot be heard any more.
    func didRemove(_ zone: Zone)
}
