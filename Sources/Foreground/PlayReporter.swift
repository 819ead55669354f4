package import AudioTypes
package import Playback

/// Something worth telling a listener who cannot hear it.
package enum PlayNotice: Sendable, Hashable {
    /// An item is heard and known; its index is its place in the order of play, from 0.
    case itemStarted(PlayerItem, index: Int?, count: Int)
    case itemFailed(PlayerItem)
    /// An item is played, but something is wrong with it.
    case itemDamaged(PlayerItem, String)
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
    /// Nothing is left to play.
    case finished
}

/// Follows a player's events, tells each thing once, and keeps the score.
package struct PlayReporter: Sendable {
    /// An item that became current and is not announced yet, because it is still being opened.
    private var unannounced: PlayerItem.ID?
    private var failed: Set<PlayerItem.ID> = []
    private var isOutputLost = false
    private var isFinished = false
    private var shown = Shown(PlayerStatus())

    package private(set) var playedCount = 0
    package var failedCount: Int { failed.count }

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

    package init() {}

    /// What is to be told because of `event`; `status` is the player's at this moment.
    package mutating func handle(_ event: PlayerEvent, status: PlayerStatus) -> [PlayNotice] {
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
            let isLast = status.itemCount > 0 && failed.count >= status.itemCount
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
        }
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
