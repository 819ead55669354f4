import Alarms
import AudioTypes
import ServerTimers
import Settings
import Songs
import StateStore
import TestSupport
import Zones

/// The server of alarms in tests: each URI is a song, and what is asked for is written down.
final class AlarmServer: AlarmDelegate {
    var changes = 0
    var kept: [Record] = []
    var played: [String] = []
    /// The schedules that were carried out, with the closures that report their ends.
    var runs: [(id: Int, then: (String?) -> Void)] = []
    /// Reads the time zone.
    var readZone: (_ then: @escaping @Sendable () -> Void) -> Void = { $0() }
    let lines = Watched<[String]>([])

    var resolve: @Sendable (MediaEntry) throws -> MediaEntry { { $0 } }
    var log: @Sendable (LogLevel, String) -> Void { { [lines] _, line in lines.withLock { $0.append(line) } } }

    func alarmsChanged() { changes += 1 }
    func ringingChanged(in zone: Zone) {}
    func alarmSettingChanged(_ record: Record) { kept.append(record) }
    func findSongs(_ uri: String, _ reach: NetworkReach, then: @escaping ([Song]) -> Void) { then([Song(uri: uri)]) }
    func medium(of song: Song) -> MediaEntry? { nil }
    func playInstead(_ songs: [Song], in zone: Zone) { played += songs.map(\.uri) }
    func carryOut(_ schedule: Schedule, then: @escaping (String?) -> Void) { runs.append((schedule.id, then)) }
    func readTimeZone(then: @escaping @Sendable () -> Void) { readZone(then) }
}
