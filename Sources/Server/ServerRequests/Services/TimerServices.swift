package import ServerAnnouncements
package import ServerMusic
package import ServerTimers

/// The services of announcements and of commands on timers.
package final class TimerServices: RequestServices {
    package let common: CommonServices
    package let announcer: Announcer
    package let sleepTimers: SleepTimers
    package let alarms: AlarmService
    package let media: MusicAccess
    package let quotas: Quotas
    package let table: CommandTable

    package init(
        _ common: CommonServices,
        announcer: Announcer,
        sleepTimers: SleepTimers,
        alarms: AlarmService,
        media: MusicAccess,
        quotas: Quotas,
        table: CommandTable
    ) {
        self.common = common
        self.announcer = announcer
        self.sleepTimers = sleepTimers
        self.alarms = alarms
        self.media = media
        self.quotas = quotas
        self.table = table
    }

    package static func of(_ groups: ServiceGroups) -> TimerServices { groups.timer }
}
