package import OutputGroups
internal import Outputs
package import Settings
package import StateStore
package import Zones

/// The server, as the persistence of its state sees it.
package protocol StateDelegate: AnyObject {
    var log: @Sendable (LogLevel, String) -> Void { get }
    /// Describes how an output of a zone is opened.
    var describeOutput: @Sendable (Output, String) -> OutputDescription { get }
    /// All grants.
    var grantRecords: [Record] { get }
    /// All timers.
    var timerRecords: [Record] { get }

    func addZone(_ settings: ZoneSettings)
    /// Routes a zone to another sink.
    func setRoute(of zone: Zone, to sink: String)
    /// Outputs were moved between zones.
    func outputsMoved()
    /// The tags of queued songs are to be read.
    func examine(_ songs: [(uri: String, id: UInt32)], in zone: Zone)
    /// Applies a change of grants from before the restart.
    func restoreGrant(_ record: Record)
    /// Takes a decision on a class of sessions, which earlier versions kept in the journal of sessions.
    func restoreClass(_ record: Record)
    /// Restores a timer; called for each, once the zones are restored.
    func restoreTimer(_ record: Record)
}
