package import Playlists
internal import Songs

/// Restoring a zone after a restart.
extension Zone {
    /// Restores a saved queue; as in MPD, its first song is the current one, unless the order is random.
    package func restore(_ saved: [PlayQueue.Saved], lastID: UInt32, _ modes: QueueModes, volume: Int?) {
        queue.restore(saved, lastID: lastID)
        queue.setRepeat(modes.repeats)
        queue.setRandom(modes.random)
        queue.setSingle(modes.single)
        queue.setConsume(modes.consume)
        if queue.count > 0, !modes.random { queue.select(position: 0) }
        guard let volume, (0...100).contains(volume) else { return }
        self.volume = min(volume, volumeCeiling)
        applyVolume()
    }

    /// Restores the position and state.
    ///
    /// - Parameters:
    ///   - id: The entry that was current.
    ///   - time: In seconds.
    package func restoreSong(_ id: UInt32, at time: Double, as state: PlayState) {
        guard let position = queue.position(of: id) else { return }
        guard state != .stop else { return queue.select(position: position) }
        carryOut(queue.play(position: position), at: max(0, time), as: state)
    }

    /// Makes an entry the current one, stopped, and shows why it is not played.
    package func restoreSong(_ id: UInt32, stoppedBecause reason: String) {
        guard let position = queue.position(of: id) else { return }
        queue.select(position: position)
        failures = 1
        errors[.item] = "\(withoutCredentials(queue[position].song.uri)): \(reason)"
        tell(.player)
    }
}
