internal import AudioTypes
internal import ServerMusic
internal import ServerSessions
internal import ServerTimers
internal import ServerZones

/// The services of commands that tell the state of the server and its zones.
final class StatusServices: LibraryServices {
    let common: CommonServices
    let zones: ZoneHost
    let upkeep: LibraryUpkeep
    let sleepTimers: SleepTimers
    let desk: SessionDesk
    let alarms: AlarmDesk
    let startTime: HostTime

    init(_ server: ServerAssembly) {
        common = server.commonServices
        zones = server.zones
        upkeep = server.upkeep
        sleepTimers = server.sleepTimers
        desk = server.desk
        alarms = server.alarms
        startTime = server.startTime
    }

    static func of(_ server: ServerAssembly) -> StatusServices { server.statusServices }
}
