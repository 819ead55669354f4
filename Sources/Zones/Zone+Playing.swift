internal import AudioTypes
internal import Playback
internal import Playlists
internal import Songs

/// Transport: what MPD calls playback control.
extension Zone {
    /// Plays the current song or the first one; goes on when paused.
    package func play() {
        guard state != .pause else { return resume() }
        guard state == .stop else { return }
        carryOut(queue.play())
    }

    package func play(position: Int) throws(ZoneError) {
        guard position >= 0, position < queue.count else { throw .badIndex }
        failures = 0
        carryOut(queue.play(position: position))
    }

    package func play(id: UInt32) throws(ZoneError) {
        guard let position = queue.position(of: id) else { throw .noSuchSong }
        try play(position: position)
    }

    /// Pauses or goes on; nothing when stopped.
    package func setPaused(_ isPaused: Bool) {
        if isPaused { pause() } else if state == .pause { resume() }
    }

    package func togglePause() { if state == .play { pause() } else if state == .pause { resume() } }

    func pause() {
        guard state == .play else { return }
        state = .pause
        link?.send { $0.pause() }
        tell(.player)
    }

    private func resume() {
        guard state == .pause else { return }
        state = .play
        link?.send { $0.play() }
        tell(.player)
    }

    package func stop() {
        guard state != .stop else { return }
        queue.stop()
        halt()
        tell(.player)
    }

    /// Lets the player fall silent and forget its place.
    func halt() {
        state = .stop
        told = Told()
        link?.send { $0.replaceCurrentItem(with: nil) }
    }

    /// - Throws: `ZoneError.notPlaying`.
    package func next() throws(ZoneError) {
        guard state != .stop else { throw .notPlaying }
        carryOut(queue.next())
    }

    /// - Throws: `ZoneError.notPlaying`.
    package func previous() throws(ZoneError) {
        guard state != .stop else { throw .notPlaying }
        carryOut(queue.previous())
    }

    // MARK: Seeking

    package func seek(position: Int, to time: Double) throws(ZoneError) {
        guard position >= 0, position < queue.count else { throw .badIndex }
        if state != .stop, position == queue.current { return try seekCurrent(to: time) }
        let playback = queue.play(position: position)
        // As in MPD, a seek to another song plays it.
        carryOut(playback, at: max(0, time))
    }

    package func seek(id: UInt32, to time: Double) throws(ZoneError) {
        guard let position = queue.position(of: id) else { throw .noSuchSong }
        try seek(position: position, to: time)
    }

    /// Goes to a time of the current song, at most to its end.
    package func seekCurrent(to time: Double) throws(ZoneError) {
        guard state != .stop, let link, told.current != nil else { throw .notPlaying }
        if let info = openedItem?.info, !info.isSeekable { throw .notSeekable }
        let time = min(max(0, time), currentDuration ?? .infinity)
        guard time.isFinite else { throw .notSeekable }
        link.send { player in
            Task.immediate { _ = await player.seek(to: MediaTime(seconds: time)) }
        }
        told.target = Target(time: time, order: link.sent)
        tell(.player)
    }

    // MARK: Carrying out what the queue decided

    func carryOut(_ step: QueueStep) {
        if step.modesChanged { tell(.options) }
        if step.consumed != nil { tell(.queue) }
        carryOut(step.playback)
    }

    func carryOut(_ playback: QueuePlayback, at time: Double = 0) {
        switch playback {
        case .unchanged: return updateFollowing()
        case .stop: halt()
        case .play(let id): begin(id, at: time, as: .play)
        case .pause(let id): begin(id, at: time, as: .pause)
        }
        tell(.player)
    }

    /// Has the player go to an entry.
    func begin(_ id: UInt32, at time: Double, as state: PlayState) {
        guard let song = queue.entry(id: id)?.song else { return halt() }
        guard let medium = surroundings.medium(song) else {
            error = "\(withoutCredentials(song.uri)): is not in the music directory"
            return halt()
        }
        error = nil
        self.state = state
        told = Told(current: id)
        guard let link else { return }
        link.replaceCurrent(id, medium, at: time)
        link.send { if state == .play { $0.play() } else { $0.pause() } }
        told.target = Target(time: time, order: link.sent)
        updateFollowing()
    }

    /// Tells the player what follows, if that has changed.
    func updateFollowing() {
        guard state != .stop, told.current != nil, let link else { return }
        let next = queue.modes.pausesAfterSong ? nil : queue.nextPosition().map { queue[$0] }
        guard next?.id != told.following || next?.song !== told.followingSong else { return }
        told.following = next?.id
        told.followingSong = next?.song
        let medium = next.flatMap { surroundings.medium($0.song) }
        link.replaceFollowing(next.flatMap { next in medium.map { (id: next.id, medium: $0) } })
    }
}
