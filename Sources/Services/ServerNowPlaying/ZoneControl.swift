internal import DBus
package import MPRIS
internal import Playlists
package import Zones

/// Commands of the bus that a zone carries out at once.
extension Zone {
    /// - Returns: `nil` for a command that is not the zone's own matter.
    package func perform(_ command: MediaPlayerCommand, _ traits: MediaPlayerTraits) -> PlayerReply? {
        if case .tracks(let ids) = command {
            let entries = ids.compactMap { entry(ofTrack: $0) }
            return .success([.array(entries.map { TrackMetadata($0, in: self, traits).value }, of: "a{sv}")])
        }
        do throws(ZoneError) {
            return try carryOut(command) ? .success([]) : nil
        } catch {
            return .failure(.failed(error.description))
        }
    }

    /// - Returns: Whether the command is the zone's own matter.
    private func carryOut(_ command: MediaPlayerCommand) throws(ZoneError) -> Bool {
        switch command {
        case .play: try play()
        case .pause: try setPaused(true)
        case .playPause: if state == .stop { try play() } else { try togglePause() }
        case .stop: stop()
        case .next: try step(forwards: true)
        case .previous: try step(forwards: false)
        case .seek(let offset): try seek(by: offset)
        case .setPosition(let track, let time):
            if state != .stop, entry(ofTrack: track)?.id == queue.currentEntry?.id { try seekCurrent(to: time) }
        case .setLoop(let loop):
            setRepeat(loop != .none)
            if (loop == .track) != (queue.modes.single != .off) { setSingle(loop == .track ? .on : .off) }
        case .setShuffle(let isOn): setRandom(isOn)
        case .setRate(let rate): change { $0.speed = rate }
        case .setVolume(let volume): try setVolume(Int(saturating: (volume * 100).rounded()))
        case .removeTrack(let track): if let id = entry(ofTrack: track)?.id { try delete(id: id) }
        case .goTo(let track): if let id = entry(ofTrack: track)?.id { try play(id: id) }
        case .quit, .tracks, .open, .addTrack, .activatePlaylist, .playlists: return false
        }
        return true
    }

    private func seek(by offset: Double) throws(ZoneError) {
        guard state != .stop else { return }
        switch SeekTarget(by: offset, from: elapsed, duration: currentDuration) {
        case .time(let time): try seekCurrent(to: time)
        case .nextTrack: try step(forwards: true)
        }
    }
}
