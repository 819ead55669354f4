internal import Alarms
internal import AudioTypes
internal import ServerBasics
internal import ServerMusic
internal import ServerPersistence
internal import ServerRequests
internal import ServerSessions
internal import ServerTimers
internal import ServerZones
internal import Settings
internal import Songs
internal import StateStore
internal import Threads
internal import Zones

extension ServerAssembly: AlarmDelegate {
    var resolve: @Sendable (MediaEntry) throws -> MediaEntry { media.resolve }
    var log: @Sendable (LogLevel, String) -> Void { parts.log }

    func alarmsChanged() { notify(.timer) }
    func ringingChanged(in zone: Zone) { zones.holdCeiling(of: zone) }
    func alarmSettingChanged(_ record: Record) { persistence?.timersChanged(record) }
    func medium(of song: Song) -> MediaEntry? { media.medium(song) }
    func carryOut(_ schedule: Schedule, then: @escaping (String?) -> Void) { runSchedule(schedule, then) }

    func readTimeZone(then: @escaping @Sendable () -> Void) {
        work.submit(to: .timeZone) {
            LocalTime.readAgain()
            then()
        }
    }
}

extension ServerAssembly: SleepTimerDelegate {
    func sleepTimerChanged(of zone: Zone) { notify([.timer, .player], in: zone) }
    func sleepTimerSettingChanged(_ record: Record) { persistence?.timersChanged(record) }

    func actAsSleepTimer(_ body: () -> Void) {
        audioSessions.speaker = "the sleep timer"
        defer { audioSessions.speaker = nil }
        body()
    }
}
