internal import AudioTypes
internal import Playback
internal import Playlists
internal import Songs

/// The player's events.
extension Zone {
    package func receive(_ news: ZoneEvent) {
        guard let link, link.player === news.player else { return }
        let isTimely = news.after >= told.order && state != .stop
        switch news.event {
        case .currentItemChanged(let item?):
            lostStream = nil
            errors[.stream] = nil
            if isTimely { wentOn(to: item) }
        case .currentItemChanged(nil), .timeJumped: break
        case .itemReady(let item):
            learn(from: item)
            learnPictures(from: item)
            if isCurrent(item.id) { tell(.player) }
        case .itemFailed(let item): if isTimely, isCurrent(item.id) { failed(item) }
        case .itemPlayedToEnd: if isTimely { failures = 0 }
        case .queueEnded: if isTimely { ended(after: news.after) }
        case .statusChanged(let status): update(status, after: news.after)
        case .outputLost(let reason), .outputFailed(let reason), .routeLost(let reason, pauses: false):
            errors[.output] = reason
            if state != .stop { tell(.player) }
        case .routeLost(let reason, pauses: true): routeLost(reason, after: news.after)
        case .silenceRequested(let isRequested): dependencies.silenceRequested(self, isRequested)
        case .volumeHeld(let volume): dependencies.volumeHeld(self, volume)
        case .outputRestored:
            errors[.output] = nil
            if state != .stop { tell(.player) }
        case .streamChanged(let stream): if isTimely { update(stream) }
        case .playbackStalled(let item):
            guard isTimely, isCurrent(item.id) else { return }
            dependencies.streamNews(self, .stalled)
            tell(.stream)
        case .timedMetadata(let item, let tags):
            heard(tags, from: item)
            heardPictures(tags, from: item)
        // The item's failure was reported when it was found, and the pause by the status.
        case .failedToPlayToEnd, .outputGivenUp, .newAccessLogEntry, .newErrorLogEntry: break
        case .itemDamaged(let item, let text):
            guard isCurrent(item.id) else { return }
            errors[.item] = text
            tell(.player)
        }
    }

    /// Handles a gapless change of the song: to the one that follows, or one that was to follow until just now.
    private func wentOn(to item: PlayerItem) {
        guard failures < max(1, queue.count) else { return end() }
        let id = link?.place(of: item.id)?.entry
        let step = queue.songEnded()
        tellChanges(of: step)
        guard let id, step.playback == .play(id: id) else { return carryOut(step.playback, as: state) }
        told.current = id
        told.medium = item.entry
        told.item = item.id
        told.following = nil
        told.target = nil
        updateFollowing()
        tell(.player)
    }

    /// Handles a current song that cannot be played, or not to its end; the player reports its next step separately.
    private func failed(_ item: PlayerItem) {
        guard case .failed(let reason) = item.status else { return }
        errors[.item] = reason
        failures += 1
        tell(.player)
    }

    /// Handles that the player has nothing more to play: the last song ended, or the following one could not be played.
    private func ended(after order: Int) {
        // A following item ordered after that makes the player continue by itself, which it reports.
        if let following = told.following, following.medium != nil, order < following.order { return }
        guard failures < max(1, queue.count) else { return end() }
        carryOut(failures > 0 ? queue.songFailed() : queue.songEnded(), as: state)
    }

    /// Handles that the player has paused because its sink is gone.
    private func routeLost(_ reason: String, after order: Int) {
        switch state {
        // A command to play that came after it decides.
        case .play where order < told.transport: return
        // Its session may have been interrupted before the player told.
        case .play: errors[.route] = reason
        case .pause where isInterruptedByRoute: errors[.route] = reason
        case .pause, .stop: errors[.output] = reason
        }
        if state == .play { state = .pause }
        if state != .stop { tell(.player) }
    }

    /// Handles that the stream of the current song was lost, is retried, or came back.
    private func update(_ stream: StreamStatus) {
        let known = lostStream
        switch stream.connection {
        case .reconnecting(let wait):
            lostStream = wait
            if known == nil { streamOutages += 1 }
            let uri = queue.currentEntry.map { "\(withoutCredentials($0.song.uri)): " } ?? ""
            errors[.stream] = "\(uri)\(wait.reason); trying again"
            if known?.reason != wait.reason { dependencies.streamNews(self, .lost(wait)) }
        case .connected, .complete:
            lostStream = nil
            errors[.stream] = nil
            if let known { dependencies.streamNews(self, .restored(after: max(0, .now - known.since))) }
        case .connecting: break
        }
        // Retries come every second, and clients must not be woken for each.
        if lostStream?.reason != known?.reason { tell(.stream) }
    }

    /// Handles a status change: the player pauses by itself when its patience with a lost sound server ends.
    private func update(_ status: PlayerStatus, after order: Int) {
        let moves = status.timeControlStatus == .playing
        if moves != playerMoves {
            playerMoves = moves
            tell(.progress)
        }
        guard state == .play, order >= told.transport, status.timeControlStatus == .paused, status.currentItem != nil
        else { return }
        state = .pause
        tell(.player)
    }
}
