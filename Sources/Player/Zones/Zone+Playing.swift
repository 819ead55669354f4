internal import AudioTypes
internal import Playback
internal import Playlists
internal import Songs

/// Transport: what MPD calls playback control.
extension Zone {
    /// Plays the current song or the first one; resumes when paused.
    ///
    /// - Throws: `ZoneError.refused`, like everything that starts playback.
    package func play() throws(ZoneError) {
        guard state != .pause else { return try resume() }
        guard state == .stop, queue.count > 0 else { return }
        try claim()
        failures = 0
        carryOut(queue.play())
    }

    package func play(position: Int) throws(ZoneError) {
        guard position >= 0, position < queue.count else { throw .badIndex }
        try claim()
        failures = 0
        carryOut(queue.play(position: position))
    }

    package func play(id: UInt32) throws(ZoneError) {
        guard let position = queue.position(of: id) else { throw .noSuchSong }
        try play(position: position)
    }

    /// Pauses or resumes; no effect when stopped.
    package func setPaused(_ isPaused: Bool) throws(ZoneError) {
        if isPaused { pause() } else if state == .pause { try resume() }
    }

    package func togglePause() throws(ZoneError) {
        guard state != .play else { return pause() }
        guard state == .pause else { return }
        guard dependencies.isHeldBack(self) else { return try resume() }
        setToResume(!isToResume)
    }

    func pause() {
        // Pausing an interrupted zone means it does not resume after the interruption.
        guard state == .play else { return setToResume(false) }
        state = .pause
        told.transport = link?.send { $0.pause() } ?? 0
        tell(.player)
    }

    private func resume() throws(ZoneError) {
        guard state == .pause else { return }
        try claim()
        state = .play
        told.transport = link?.send { $0.play() } ?? 0
        tell(.player)
    }

    package func stop() {
        failures = 0
        end()
    }

    /// Stops, and keeps what has failed.
    func end() {
        guard state != .stop else { return }
        queue.stop()
        halt()
        tell(.player)
    }

    /// Silences the player and resets its position.
    func halt() {
        state = .stop
        isToResume = false
        let order = link?.send { $0.replaceCurrentItem(with: nil) } ?? 0
        told = Told(order: order, transport: order)
    }

    /// - Throws: `ZoneError.notPlaying`.
    package func next() throws(ZoneError) {
        guard state != .stop else { throw .notPlaying }
        let state = try claimUnlessHeldBack()
        carryOut(queue.next(), as: state)
    }

    /// - Throws: `ZoneError.notPlaying`.
    package func previous() throws(ZoneError) {
        guard state != .stop else { throw .notPlaying }
        let state = try claimUnlessHeldBack()
        carryOut(queue.previous(), as: state)
    }

    /// Prepares a change of the song.
    ///
    /// - Returns: Whether the song plays, or is paused until a call or an announcement has ended.
    private func claimUnlessHeldBack() throws(ZoneError) -> PlayState {
        let isHeldBack = dependencies.isHeldBack(self)
        if !isHeldBack { try claim() }
        failures = 0
        return isHeldBack ? .pause : .play
    }

    // MARK: Seeking

    package func seek(position: Int, to time: Double) throws(ZoneError) {
        guard position >= 0, position < queue.count else { throw .badIndex }
        if state != .stop, position == queue.current { return try seekCurrent(to: time) }
        // As in MPD, a seek to another song plays it.
        let state = try claimUnlessHeldBack()
        carryOut(queue.play(position: position), at: max(0, time), as: state)
    }

    package func seek(id: UInt32, to time: Double) throws(ZoneError) {
        guard let position = queue.position(of: id) else { throw .noSuchSong }
        try seek(position: position, to: time)
    }

    /// Seeks in the current song, at most to its end.
    package func seekCurrent(to time: Double) throws(ZoneError) {
        guard state != .stop, let link, let id = told.current, let medium = told.medium else { throw .notPlaying }
        if let info = openedItem?.info, !info.isSeekable { throw .notSeekable }
        let time = min(max(0, time), currentDuration ?? .infinity)
        guard time.isFinite else { throw .notSeekable }
        let (item, order) = (told.item, told.order)
        told.order = link.seek(id, medium, to: time) { current, place in
            item.map { $0 == current } ?? (place.order == order)
        }
        told.item = nil
        told.following = nil
        told.target = Target(time: time, order: told.order)
        updateFollowing()
        tell(.player)
    }

    /// Seeks to where a live stream is now.
    package func seekLive() throws(ZoneError) {
        guard currentDuration == nil else { throw .notSeekable }
        try seekCurrent(to: Self.live)
    }

    /// Later than any live stream is.
    private static let live = 1e9

    // MARK: Steps of the queue

    func carryOut(_ step: QueueStep, as state: PlayState = .play) {
        tellChanges(of: step)
        carryOut(step.playback, as: state)
    }

    func tellChanges(of step: QueueStep) {
        if step.modesChanged { tell(.options) }
        if step.consumed != nil { tell(.queue) }
    }

    /// - Parameter state: Whether a song to be played plays or is paused.
    func carryOut(_ playback: QueuePlayback, at time: Double = 0, as state: PlayState = .play) {
        guard playback != .unchanged else { return updateFollowing() }
        var (step, time) = (QueueStep(playback: playback), time)
        while !begin(step.playback, at: time, as: state) {
            time = 0
            failures += 1
            step = failures < max(1, queue.count) ? queue.songFailed() : QueueStep(playback: .stop)
            tellChanges(of: step)
        }
        tell(.player)
    }

    /// - Returns: False for a song that may not be played.
    private func begin(_ playback: QueuePlayback, at time: Double, as state: PlayState) -> Bool {
        switch playback {
        case .play(let id): return begin(id, at: time, as: state)
        case .pause(let id): return begin(id, at: time, as: .pause)
        case .stop, .unchanged:
            queue.stop()
            halt()
            return true
        }
    }

    /// Makes the player jump to an entry.
    private func begin(_ id: UInt32, at time: Double, as state: PlayState) -> Bool {
        guard let link, let song = queue.entry(id: id)?.song else { return begin(.stop, at: 0, as: .stop) }
        guard let medium = dependencies.medium(song) else {
            errors[.item] = "\(withoutCredentials(song.uri)): is not in the music directory"
            return false
        }
        // After failed songs, their error stays visible.
        if failures == 0 { errors[.item] = nil }
        errors[.stream] = nil
        self.state = state
        let order = link.replaceCurrent(id, medium, at: time, isPaused: state == .pause)
        told = Told(order: order, transport: order, current: id, medium: medium)
        told.target = Target(time: time, order: order)
        updateFollowing()
        return true
    }

    /// Passes the following entry on to the player, if it has changed.
    func updateFollowing() {
        guard state != .stop, told.current != nil, let link else { return }
        let next = queue.modes.pausesAfterSong ? nil : queue.nextPosition().map { queue[$0] }
        let isTold =
            if let next, let following = told.following {
                next.id == following.id && next.song.isIdentical(to: following.song)
            } else {
                next == nil && told.following == nil
            }
        if isTold { return }
        let medium = next.flatMap { dependencies.medium($0.song) }
        if let next, next.id == told.following?.id, medium == told.following?.medium {
            told.following?.song = next.song
            return
        }
        let order = link.replaceFollowing(next.flatMap { next in medium.map { (id: next.id, medium: $0) } })
        told.following = next.map { Following(id: $0.id, song: $0.song, medium: medium, order: order) }
    }
}
