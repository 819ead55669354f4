internal import Authorization
internal import OutputGroups
internal import ServerAnnouncements
internal import ServerArtwork
internal import ServerBasics
internal import ServerMusic
internal import ServerNowPlaying
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import ServerTimers
internal import ServerZones
internal import Settings
internal import Zones

extension ServerAssembly: ZoneServiceDelegate {
    func ceiling(of zone: String) -> ZoneCeiling { ceilings.current(of: zone) }
    func hasCeiling(_ zone: String) -> Bool { ceilings.all[zone] != nil }

    func makeOutputs(_ settings: ZoneSettings, changed: @escaping @Sendable (String) -> Void) -> OutputGroup {
        parts.makeOutputs(settings, changed)
    }

    func zonesChanged(_ changes: Subsystems) {
        notify(changes)
        upkeep.zonesChanged()
        mediaPlayers.changed()
    }

    func isAlarmRinging(in zone: Zone) -> Bool { alarms.ringer.alarm(in: zone) != nil }

    func volumeHeld(of zone: Zone, from percent: Int) {
        audit.refused("the sound server", "zone \(zone.name) at \(percent) %: its ceiling is \(zone.volumeCeiling) %")
    }

    func progressChanged(in zone: Zone) { watchHub.changed(.player, in: zone.name) }

    func zoneChanged(_ zone: Zone, _ changes: Subsystems) {
        notify(changes, in: zone)
        artwork.zoneChanged(zone)
        if changes.contains(.player) {
            rooms[zone]?.showTitle()
            sleepTimers.zoneChanged(zone)
        }
        upkeep.zonesChanged()
        mediaPlayers.changed()
    }

    func willRemove(_ zone: Zone) {
        let clients = connections.in(zone)
        for connection in clients {
            connection.client.zone = rooms.defaultZone
            connection.refuseWhatRuns()
            connection.client.enterPermittedZone(in: rooms)
        }
        if clients.contains(where: { !$0.client.subscriptions.channels.isEmpty }) { notify(.subscription) }
        artwork.zoneRemoved(zone)
        artworkRevisions[zone.name] = nil
        sleepTimers.zoneRemoved(zone)
        alarms.zoneRemoved(zone)
    }

    func didRemove(_ zone: Zone) { announcer.zoneRemoved() }
}
