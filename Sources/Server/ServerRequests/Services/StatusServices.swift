package import AudioTypes
package import ServerMusic
package import ServerSessions
package import ServerTimers
package import ServerZones

/// The services of commands that tell the state of the server and its zones.
package final class StatusServices: LibraryServices {
    package let common: CommonServices
    package let zones: ZoneService
    package let upkeep: LibraryUpkeep
    package let sleepTimers: SleepTimers
    package let audioSessions: SessionService
    package let alarms: AlarmService
    package let startTime: HostTime

    package init(
        _ common: CommonServices,
        zones: ZoneService,
        upkeep: LibraryUpkeep,
        sleepTimers: SleepTimers,
        audioSessions: SessionService,
        alarms: AlarmService,
        startTime: HostTime
    ) {
        self.common = common
        self.zones = zones
        self.upkeep = upkeep
        self.sleepTimers = sleepTimers
        self.audioSessions = audioSessions
        self.alarms = alarms
        self.startTime = startTime
    }

    package static func of(_ groups: ServiceGroups) -> StatusServices { groups.status }
}
