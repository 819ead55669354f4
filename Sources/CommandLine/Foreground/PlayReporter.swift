package import AudioTypes
package import Playback

/// A change to report to the user.
package enum PlayNotice: Sendable, Hashable {
    /// An item is playing and its properties are known; its index is its position in the playing order, from 0.
    case itemStarted(PlayerItem, index: Int?, count: Int)
    case itemFailed(PlayerItem)
    /// An item is played, but damaged.
    case itemDamaged(PlayerItem, String)
    /// An item is played, but not recorded; the text has the path and the reason.
    case recordingFailed(PlayerItem, String)
    case itemEnded(PlayerItem)
    /// A visible part of the status changed.
    case statusChanged(PlayerStatus)
    case jumped(MediaTime)
    case outputLost(String)
    /// The sink is gone; the player waits for it, or has paused.
    case routeLost(String, pauses: Bool)
    /// The sound server asks for silence on behalf of another program, or takes that back.
    case silenceRequested(Bool)
    case outputRestored
    /// The sound server did not come back in time, and the player has paused.
    case outputGivenUp
    /// The output has failed for good; the text is the reason.
    case outputFailed(String)
    /// An item's stream is lost and is retried; sent for each attempt, with `isNews` when the reason is new.
    case reconnecting(PlayerItem, StreamStatus.Reconnecting, isNews: Bool)
    /// A lost stream came back, after so many seconds.
    case reconnected(PlayerItem, after: Double)
    /// Playback ran out of buffered data.
    case stalled(PlayerItem)
    /// The stream's title has changed, and playback has reached the change.
    case titleChanged(PlayerItem, Tags)
    /// Nothing is left to play.
    case finished
}

/// Turns a player's events into notices, without repetition, and counts failures.
package struct PlayReporter: Sendable {
    /// The current item, not announced yet because it is still being opened.
    private var unannounced: PlayerItem.ID?
    /// The item that was announced and has not ended, whose positions are told.
    package private(set) var announced: PlayerItem.ID?
    private var failed: Set<PlayerItem.ID> = []
    private var unrecorded: Set<PlayerItem.ID> = []
    private var lost: Lost?
    /// The stream's latest title.
    private var onAir: (item: PlayerItem.ID, title: String)?
    private var isFinished = false
    private var shown = Shown(PlayerStatus())

    package private(set) var playedCount = 0
    /// Items that were not played, or not recorded, correctly.
    package var failedCount: Int { failed.union(unrecorded).count }

    /// The visible part of a status.
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

    /// A stream that is being retried.
    private struct Lost: Sendable {
        var item: PlayerItem.ID
        var wait: StreamStatus.Reconnecting
    }

    package init() {}

    /// The notices for `event`; `status` is the player's current one.
    package mutating func handle(
        _ event: PlayerEvent,
        status: PlayerStatus,
        now: HostTime = .now
    ) -> [PlayNotice] {
        switch event {
        case .statusChanged(let status): return statusChanged(status)
        case .currentItemChanged(let item):
            unannounced = item?.id
            announced = nil
            guard let item, item.info != nil else { return [] }
            return announce(item, status)
        case .itemReady(let item): return announce(item, status)
        case .itemFailed(let item):
            if unannounced == item.id { unannounced = nil }
            guard failed.insert(item.id).inserted else { return [] }
            // The available part of an item is played to its end; the end of the queue is reported then.
            let isHeard = status.currentItem?.info != nil
            let isLast = status.itemCount > 0 && failed.count >= status.itemCount && !isHeard
            return [.itemFailed(item)] + (isLast ? finish() : [])
        case .itemPlayedToEnd(let item):
            playedCount += 1
            announced = nil
            return [.itemEnded(item)]
        case .itemDamaged(let item, let text):
            guard failed.insert(item.id).inserted else { return [] }
            return [.itemDamaged(item, text)]
        case .outputFailed(let reason): return [.outputFailed(reason)]
        case .timeJumped(let time):
            // A repeated item goes on without another announcement.
            if unannounced == nil, let item = status.currentItem, item.info != nil { announced = item.id }
            return [.jumped(time)]
        case .outputLost(let reason): return [.outputLost(reason)]
        case .routeLost(let reason, let pauses): return [.routeLost(reason, pauses: pauses)]
        case .silenceRequested(let isRequested): return [.silenceRequested(isRequested)]
        // There are no ceilings here.
        case .volumeHeld: return []
        case .outputRestored: return [.outputRestored]
        case .outputGivenUp: return [.outputGivenUp]
        case .queueEnded: return finish()
        case .playbackStalled(let item): return [.stalled(item)]
        case .streamChanged(let stream):
            guard let item = status.currentItem else { return [] }
            return streamChanged(stream, of: item, now: now)
        case .timedMetadata(let item, let tags): return heard(tags, of: item)
        case .newErrorLogEntry(let item, let event):
            guard event.failure.isOfRecording, unrecorded.insert(item.id).inserted else { return [] }
            return [.recordingFailed(item, "\(event.failure.uri): \(event.failure.comment)")]
        // The item's failure was reported when it was found.
        case .failedToPlayToEnd, .newAccessLogEntry: return []
        }
    }

    /// The connection of the current item's stream changed.
    ///
    /// - Parameter now: The time of the change.
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

    /// Handles new tags of the current item's stream, which are heard now.
    private mutating func heard(_ tags: Tags, of item: PlayerItem) -> [PlayNotice] {
        let title = ItemText.heading(tags)
        guard onAir?.item != item.id || onAir?.title != title else { return [] }
        onAir = (item.id, title)
        return [.titleChanged(item, tags)]
    }

    private mutating func announce(_ item: PlayerItem, _ status: PlayerStatus) -> [PlayNotice] {
        guard unannounced == item.id else { return [] }
        unannounced = nil
        announced = item.id
        return [.itemStarted(item, index: status.currentIndex, count: status.itemCount)]
    }

    private mutating func statusChanged(_ status: PlayerStatus) -> [PlayNotice] {
        let now = Shown(status)
        guard shown != now else { return [] }
        shown = now
        return [.statusChanged(status)]
    }

    private mutating func finish() -> [PlayNotice] {
        guard !isFinished else { return [] }
        isFinished = true
        return [.finished]
    }
}
