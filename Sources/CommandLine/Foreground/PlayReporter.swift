package import AudioTypes
package import Playback

/// Something worth telling a listener who cannot hear it.
package enum PlayNotice: Sendable, Hashable {
    /// An item is heard and known; its index is its place in the order of play, from 0.
    case itemStarted(PlayerItem, index: Int?, count: Int)
    case itemFailed(PlayerItem)
    /// An item is played, but something is wrong with it.
    case itemDamaged(PlayerItem, String)
    /// An item is played, but not recorded; the text says where to, and why.
    case recordingFailed(PlayerItem, String)
    case itemEnded(PlayerItem)
    /// What a listener sees of the status changed.
    case statusChanged(PlayerStatus)
    case jumped(MediaTime)
    case outputLost(String)
    case outputRestored
    /// The sound server did not come back in time, and the player has paused.
    case outputGivenUp
    /// The output cannot play any more; the text says why.
    case outputFailed(String)
    /// An item's stream is lost and is tried again; told for each attempt, which is news when the reason is.
    case reconnecting(PlayerItem, StreamStatus.Reconnecting, isNews: Bool)
    /// A stream that was lost came back, after so many seconds.
    case reconnected(PlayerItem, after: Double)
    /// Playing ran out of what was read ahead.
    case stalled(PlayerItem)
    /// A stream has told what is on the air, and that is heard now.
    case titleChanged(PlayerItem, Tags)
    /// Nothing is left to play.
    case finished
}

/// Follows a player's events, tells each thing once, and keeps the score.
package struct PlayReporter: Sendable {
    /// An item that became current and is not announced yet, because it is still being opened.
    private var unannounced: PlayerItem.ID?
    private var failed: Set<PlayerItem.ID> = []
    private var unrecorded: Set<PlayerItem.ID> = []
    private var isOutputLost = false
    private var lost: Lost?
    /// What a stream has told of itself last.
    private var onAir: (item: PlayerItem.ID, title: String)?
    private var isFinished = false
    private var shown = Shown(PlayerStatus())

    package private(set) var playedCount = 0
    /// Items that were not played, or not recorded, as they should have been.
    package var failedCount: Int { failed.union(unrecorded).count }

    /// The part of a status that is told.
    private struct Shown: Equatable {
        var timeControlStatus: TimeControlStatus
        var rate: Double
        var pitch: TimePitchAlgorithm
        var volume: Volume
        var isMuted: Bool
        var loopMode: LoopMode

        init(_ status: PlayerStatus) {
            timeControlStatus = status.timeControlStatus
            rate = status.defaultRate
            pitch = status.timePitchAlgorithm
            volume = status.volume
            isMuted = status.isMuted
            loopMode = status.loopMode
        }
    }

    /// A stream that is tried again.
    private struct Lost: Sendable {
        var item: PlayerItem.ID
        var wait: StreamStatus.Reconnecting
    }

    package init() {}

    /// What is to be told because of `event`; `status` is the player's at this moment.
    package mutating func handle(
        _ event: PlayerEvent,
        status: PlayerStatus,
        now: HostTime = .now
    ) -> [PlayNotice] {
        switch event {
        case .statusChanged(let status): return statusChanged(status)
        case .currentItemChanged(let item):
            unannounced = item?.id
            guard let item, item.info != nil else { return [] }
            return announce(item, status)
        case .itemReady(let item): return announce(item, status)
        case .itemFailed(let item):
            if unannounced == item.id { unannounced = nil }
            guard failed.insert(item.id).inserted else { return [] }
            // What of an item was there is heard to its end, and the queue's end is told then.
            let isHeard = status.currentItem?.info != nil
            let isLast = status.itemCount > 0 && failed.count >= status.itemCount && !isHeard
            return [.itemFailed(item)] + (isLast ? finish() : [])
        case .itemPlayedToEnd(let item):
            playedCount += 1
            return [.itemEnded(item)]
        case .itemDamaged(let item, let text):
            guard failed.insert(item.id).inserted else { return [] }
            return [.itemDamaged(item, text)]
        case .outputFailed(let reason): return [.outputFailed(reason)]
        case .timeJumped(let time): return [.jumped(time)]
        case .outputLost(let reason):
            isOutputLost = true
            return [.outputLost(reason)]
        case .outputRestored:
            isOutputLost = false
            return [.outputRestored]
        case .queueEnded: return finish()
        case .playbackStalled(let item): return [.stalled(item)]
        case .streamChanged(let stream):
            guard let item = status.currentItem else { return [] }
            return streamChanged(stream, of: item, now: now)
        case .timedMetadata(let item, let tags): return heard(tags, of: item)
        case .newErrorLogEntry(let item, let event):
            guard event.failure.isOfRecording, unrecorded.insert(item.id).inserted else { return [] }
            return [.recordingFailed(item, "\(event.failure.uri): \(event.failure.comment)")]
        // That the item has failed was told when that was found out.
        case .failedToPlayToEnd, .newAccessLogEntry: return []
        }
    }

    /// The connection of the current item's stream changed.
    ///
    /// - Parameter now: When it did.
    private mutating func streamChanged(_ stream: StreamStatus, of item: PlayerItem, now: HostTime) -> [PlayNotice] {
        let known = lost?.item == item.id ? lost : nil
        switch stream.connection {
        case .reconnecting(let wait):
            lost = Lost(item: item.id, wait: wait)
            guard known?.wait != wait else { return [] }
            return [.reconnecting(item, wait, isNews: known?.wait.reason != wait.reason)]
        case .connected, .complete:
            lost = nil
            return known.map { [.reconnected(item, after: max(0, now - $0.wait.since))] } ?? []
        case .connecting: return []
        }
    }

    /// The current item's stream has told something of itself, which is heard now.
    private mutating func heard(_ tags: Tags, of item: PlayerItem) -> [PlayNotice] {
        let title = ItemText.heading(tags)
        guard onAir?.item != item.id || onAir?.title != title else { return [] }
        onAir = (item.id, title)
        return [.titleChanged(item, tags)]
    }

    private mutating func announce(_ item: PlayerItem, _ status: PlayerStatus) -> [PlayNotice] {
        guard unannounced == item.id else { return [] }
        unannounced = nil
        return [.itemStarted(item, index: status.currentIndex, count: status.itemCount)]
    }

    private mutating func statusChanged(_ status: PlayerStatus) -> [PlayNotice] {
        let now = Shown(status)
        guard shown != now else { return [] }
        shown = now
        guard isOutputLost, status.timeControlStatus == .paused else { return [.statusChanged(status)] }
        isOutputLost = false
        return [.statusChanged(status), .outputGivenUp]
    }

    private mutating func finish() -> [PlayNotice] {
        guard !isFinished else { return [] }
        isFinished = true
        return [.finished]
    }
}
