internal import AudioTypes
internal import ServerMusic
internal import ServerSessions
internal import ServerTimers
internal import ServerZones

/// The services of commands that tell the state of the server and its zones.
final class StatusServices: LibraryServices {
    let common: CommonServices
    let zones: ZoneService
    let upkeep: LibraryUpkeep
    let sleepTimers: SleepTimers
    let audioSessions: SessionService
    let alarms: AlarmService
    let startTime: HostTime

    init(_ server: ServerAssembly) {
        common = server.commonServices
        zones = server.zones
        upkeep = server.upkeep
        sleepTimers = server.sleepTimers
        audioSessions = server.audioSessions
        alarms = server.alarms
        startTime = server.startTime
    }

    static func of(_ server: ServerAssembly) -> StatusServices { server.statusServices }
}
