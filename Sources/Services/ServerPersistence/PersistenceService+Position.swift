package import AudioTypes
internal import NIOCore
internal import Playlists
internal import ServerBasics
internal import ServerRooms
internal import ServerSessions
internal import Settings
internal import Songs
package import StateStore
package import Zones

/// Saving each zone's position, and resuming there after a restart.
extension PersistenceService {
    /// An entry that is being resumed.
    ///
    /// The number of attempts is written down before the entry is resumed, and cleared once the process has survived it
    /// for a while. An entry that crashes the process is thus noticed.
    package struct Resumption {
        package let id: UInt32
        /// From 1.
        package let attempt: Int
    }

    /// After this many seconds, data that could crash the process has been decoded.
    private static let trial = 10.0

    /// - Parameter attempt: The number of the attempt if one was written down, else `nil`.
    package func restore(_ zone: Zone, _ place: ZonePlace, _ attempt: Int?) {
        guard place.state != .stop else { return zone.restoreSong(place.id, at: 0, as: .stop) }
        guard place.attempt != nil else {
            zone.restoreSong(
                place.id,
                stoppedBecause: "ended the server twice when it was resumed; it is not resumed again"
            )
            return savePosition(of: zone)
        }
        if let attempt {
            zones[zone.name]?.resumption = Resumption(id: place.id, attempt: attempt)
            _ = onLoop(in: Self.trial) { [name = zone.name] in $0.endTrial(of: name) }
        }
        let configuration = configuration.value
        let age = audioSessions.clock.now - place.moment
        let isRecent = configuration.resumeWithin.map { age <= Double($0.components.seconds) } ?? true
        let resumes = place.state == .play && isRecent && !configuration.restoresPaused
        zone.restoreSong(place.id, at: place.time.seconds, as: resumes ? .play : .pause)
    }

    private func endTrial(of name: String) {
        zones[name]?.resumption = nil
        if let zone = rooms.zone(named: name) { savePosition(of: zone) }
    }

    /// Writes the zone's position, and while the zone plays, updates it every five seconds.
    package func savePosition(of zone: Zone) {
        guard let kept = zones[zone.name] else { return }
        let (state, id) = (zone.lastingState, zone.queue.currentEntry?.id ?? 0)
        let attempt = kept.resumption.flatMap { $0.id == id && state != .stop ? $0.attempt : nil }
        kept.files.position.set(positionRecord(state, id, zone.elapsed, attempt, at: audioSessions.clock.now))
        guard state == .play, let elapsed = zone.elapsedReader else { return kept.files.position.observe(nil) }
        kept.files.position.observe { [clock = audioSessions.clock] in
            elapsed().map { positionRecord(state, id, $0, attempt, at: clock.now) }
        }
    }
}

/// A zone's position, as stored in its position file.
package struct ZonePlace: Sendable {
    package let state: PlayState
    package let id: UInt32
    package let time: MediaTime
    /// Wall-clock time.
    package let moment: Double
    private let attempts: Int
    private let words: [String]

    /// How often an entry that crashes the server is resumed.
    private static let mostAttempts = 2

    /// - Returns: `nil` for an invalid record.
    package init?(_ record: Record) {
        let words = record.arguments
        guard (3...4).contains(words.count), let id = UInt32(words[0]),
            let time = Double(words[1]).flatMap(MediaTime.init(checking:)), let moment = Double(words[2]),
            let state = PlayState(rawValue: record.verb)
        else { return nil }
        (self.state, self.id, self.time, self.moment, self.words) = (state, id, time, moment, words)
        attempts = words.count > 3 ? max(0, Int(words[3]) ?? 0) : 0
    }

    /// The number of the next attempt to resume the entry, from 1; `nil` if it is not to be resumed.
    package var attempt: Int? { state != .stop && attempts < Self.mostAttempts ? attempts + 1 : nil }

    /// The record that is written before an attempt.
    package func record(_ attempt: Int) -> Record { Record(state.rawValue, words.prefix(3) + [String(attempt)]) }
}

/// The playback position as a record; for a stopped zone the time is 0, so that the record does not change.
private func positionRecord(
    _ state: PlayState,
    _ id: UInt32,
    _ elapsed: Double,
    _ attempt: Int?,
    at now: Double
) -> Record {
    let time = state == .stop ? 0 : now
    let words = [String(id), String((elapsed * 1000).rounded() / 1000), String(Int(saturating: time))]
    return Record(state.rawValue, words + (attempt.map { [String($0)] } ?? []))
}
