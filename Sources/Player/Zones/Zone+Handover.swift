/// Moving playback to another zone.
extension Zone {
    /// Exchanges what two zones play: their queues, their players and the state that belongs to them.
    ///
    /// Each zone keeps its name, its volume and its outputs, which the caller exchanges as well. The players run on, so
    /// there is no gap.
    package func exchange(with other: Zone) {
        Swift.swap(&queue, &other.queue)
        Swift.swap(&state, &other.state)
        Swift.swap(&errors, &other.errors)
        Swift.swap(&lostStream, &other.lostStream)
        Swift.swap(&playerMoves, &other.playerMoves)
        Swift.swap(&options, &other.options)
        Swift.swap(&lastLoadedPlaylist, &other.lastLoadedPlaylist)
        Swift.swap(&link, &other.link)
        Swift.swap(&told, &other.told)
        Swift.swap(&failures, &other.failures)
        for zone in [self, other] {
            zone.applyVolume()
            zone.applyDuck()
            zone.tell([.queue, .player, .options, .mixer])
            zone.holdSpeed()
        }
    }
}
