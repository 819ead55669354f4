package import Playback
internal import Playlists

/// What the player tells.
extension Zone {
    package func receive(_ event: PlayerEvent) {
        switch event {
        case .currentItemChanged(let item?): wentOn(to: item)
        case .currentItemChanged(nil): break
        case .itemReady(let item):
            learn(from: item)
            if link?.entry(of: item.id) == told.current { tell(.player) }
        case .itemFailed(let item): failed(item)
        case .itemPlayedToEnd: failures = 0
        case .queueEnded: ended()
        case .statusChanged(let status): follow(status)
        case .outputLost(let reason), .outputFailed(let reason):
            error = reason
            tell([.player, .outputs])
        case .outputRestored:
            error = nil
            tell([.player, .outputs])
        case .itemDamaged(_, let text):
            error = text
            tell(.player)
        case .timeJumped: break
        }
    }

    /// The song that follows is heard, without a gap.
    private func wentOn(to item: PlayerItem) {
        guard state != .stop, let link, link.player.status.currentItem?.id == item.id,
            let id = link.entry(of: item.id), id == told.following, id != told.current || told.target == nil
        else { return }
        told = Told(current: id)
        failures = 0
        let step = queue.songEnded()
        if step.modesChanged { tell(.options) }
        if step.consumed != nil { tell(.queue) }
        if step.playback == .play(id: id) {
            updateFollowing()
            tell(.player)
        } else {
            carryOut(step.playback)
        }
    }

    private func failed(_ item: PlayerItem) {
        guard case .failed(let reason) = item.status, let link, let id = link.entry(of: item.id) else { return }
        error = reason
        failures += 1
        if id == told.current { tell(.player) }
    }

    /// The player has nothing more to play: the last song ended, or what was to follow could not be played.
    private func ended() {
        guard state != .stop, let link, link.player.status.currentItem == nil, link.hasDone(link.sent) else { return }
        guard failures < max(1, queue.count) else {
            let reason = error
            stop()
            error = reason
            return tell(.player)
        }
        let reason = error
        carryOut(queue.songEnded())
        if failures > 0 { error = reason }
    }

    /// The player pauses by itself when its patience with a lost sound server ends.
    private func follow(_ status: PlayerStatus) {
        guard state == .play, status.timeControlStatus == .paused, let link, link.hasDone(link.sent),
            link.player.status.timeControlStatus == .paused, link.player.status.currentItem != nil
        else { return }
        state = .pause
        tell(.player)
    }
}
