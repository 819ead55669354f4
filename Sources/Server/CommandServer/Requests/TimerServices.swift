internal import ServerAnnouncements
internal import ServerMusic
internal import ServerTimers

/// The services of announcements and of commands on timers.
final class TimerServices: RequestServices {
    let common: CommonServices
    let announcer: Announcer
    let sleepTimers: SleepTimers
    let alarms: AlarmService
    let media: MusicAccess
    let quotas: Quotas
    let table: CommandTable

    init(_ server: ServerAssembly) {
        common = server.commonServices
        announcer = server.announcer
        sleepTimers = server.sleepTimers
        alarms = server.alarms
        media = server.media
        quotas = server.quotas
        table = server.table
    }

    static func of(_ server: ServerAssembly) -> TimerServices { server.timerServices }
}
