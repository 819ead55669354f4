internal import AudioTypes
internal import Playback
internal import Playlists

/// Commands that remote controls expect besides MPD's.
extension Zone {
    /// Goes to the next or the previous song; a paused zone stays paused, and a stopped one stopped.
    package func step(forwards: Bool) throws(ZoneError) {
        guard state == .pause else {
            guard state == .play else { return }
            return forwards ? try next() : try previous()
        }
        failures = 0
        if forwards { carryOut(queue.next(), as: .pause) } else { carryOut(queue.previous(), as: .pause) }
    }

    /// Changes with each jump to another time of the current song.
    package var jumpNumber: (order: Int, item: Int) { (told.order, told.item?.hashValue ?? 0) }
}
