internal import OutputGroups
internal import ServerMusic
internal import ServerPersistence
internal import ServerRequests
internal import ServerRights
internal import ServerTimers
internal import ServerZones
internal import Settings
internal import StateStore
internal import Zones

extension ServerAssembly: StateDelegate {
    var describeOutput: @Sendable (Output, String) -> OutputDescription { parts.describeOutput }
    var grantRecords: [Record] { grants.records + ceilings.records + pairing.records }
    var timerRecords: [Record] { sleepTimers.records + alarms.records }

    func addZone(_ settings: ZoneSettings) { zones.add(settings) }
    func setRoute(of zone: Zone, to sink: String) { zones.setRoute(of: zone, to: sink) }
    func outputsMoved() { zones.outputsChanged() }
    func examine(_ songs: [(uri: String, id: UInt32)], in zone: Zone) { arrivals.examine(songs, in: zone) }
    func restoreGrant(_ record: Record) {
        switch record.verb {
        case CeilingService.verb: ceilings.restore(record)
        case PairingService.verb: pairing.restore(record)
        default: grants.restore(record)
        }
    }
    func restoreClass(_ record: Record) { grants.restoreClass(record) }

    func restoreTimer(_ record: Record) {
        sleepTimers.restore(record)
        alarms.restore(record)
    }
}
