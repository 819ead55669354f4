package import AudioTypes

/// Whether time passes, and if not, why (AVPlayer's `timeControlStatus`).
package enum TimeControlStatus: Sendable, Hashable {
    case paused
    /// The player wants to play and cannot yet.
    case waitingToPlayAtSpecifiedRate(WaitingReason)
    case playing
}

/// Why a player that wants to play is silent (AVPlayer's `reasonForWaitingToPlay`, and one of our own).
package enum WaitingReason: Sendable, Hashable {
    /// Too little is buffered to go on without a stall.
    case toMinimizeStalls
    /// A medium is being opened or sought in; brief.
    case evaluatingBufferingRate
    /// Nothing is in the queue.
    case noItemToPlay
    /// The sound server is gone; the player goes on by itself when it is back.
    case outputUnavailable
}

/// An item's readiness (AVPlayerItem's `status`); `failed` is final.
package enum PlayerItemStatus: Sendable, Hashable {
    case unknown
    case readyToPlay
    /// With one line that names the medium and says what is wrong with it.
    case failed(String)
}

/// One entry of a player's queue, as it is known at one moment.
package struct PlayerItem: Sendable, Hashable, Identifiable {
    /// Unique within its player, never used again.
    package struct ID: Sendable, Hashable, Comparable {
        package let number: Int
        package init(number: Int) { self.number = number }
        package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    package let id: ID
    package internal(set) var entry: MediaEntry
    package var status: PlayerItemStatus
    /// What was found on opening, with the tags that came since then; `nil` until it was opened.
    package var info: MediaInfo?
    /// Tags that came with the sound, such as a radio station's title; those of what is heard.
    package var timedTags = Tags()

    package init(id: ID, entry: MediaEntry, status: PlayerItemStatus = .unknown, info: MediaInfo? = nil) {
        self.id = id
        self.entry = entry
        self.status = status
        self.info = info
    }

    /// The length of what is played of the medium; `nil` when unknown or endless.
    package var duration: MediaTime? {
        let end = entry.end ?? info?.duration
        guard let end else { return entry.duration }
        return end - (entry.start ?? .zero)
    }

    /// What the item's samples are like before they are fitted to the output; `nil` until it was opened.
    package var sourceFormat: SourceFormat? { info?.sourceFormat }

    /// In kbit/s, as an average over the medium; `nil` when unknown.
    package var bitRate: Int? { info?.playedBitRate.map { ($0 + 500) / 1_000 } }

    /// A tag: what came with the sound first, then what a playlist says, then the medium's own.
    package func tag(_ name: String) -> String? { timedTags[name] ?? entry.tags[name] ?? info?.tags[name] }

    package var title: String? { tag("title") }
    package var artist: String? { tag("artist") ?? tag("album_artist") }
}

/// What happens when the current item has been played to its end (AVPlayer's `actionAtItemEnd`).
package enum ActionAtItemEnd: Sendable, Hashable {
    /// The next item follows without a gap.
    case advance
    /// The player pauses at the end.
    case pause
    /// The rate stays and time runs on, in silence.
    case none
}

/// What is played again by itself.
package enum LoopMode: String, Sendable, Hashable, CaseIterable {
    case off
    /// The current item, without a gap.
    case item
    /// The whole queue.
    case queue
}

/// What a rate other than 1 does to the pitch (AVAudioTimePitchAlgorithm).
package enum TimePitchAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// The pitch is kept.
    case timeDomain
    /// The pitch follows the rate, as on a tape.
    case varispeed
}

/// Everything about a player at one moment.
package struct PlayerStatus: Sendable, Hashable {
    package var timeControlStatus: TimeControlStatus = .paused
    /// The item that is heard, or would be.
    package var currentItem: PlayerItem?
    /// The current item's place in the order of play, from 0.
    package var currentIndex: Int?
    package var itemCount = 0
    /// The wanted rate, 0.25 to 4; 0 when paused.
    package var rate: Double = 0
    /// The rate at which time passes; 0 while the player waits.
    package var effectiveRate: Double { timeControlStatus == .playing ? rate : 0 }
    /// Whether the player waits for enough of a stream to play on for a while, instead of pausing when it runs dry.
    package var automaticallyWaits = true
    /// The rate that `play` sets.
    package var defaultRate: Double = 1
    package var timePitchAlgorithm = TimePitchAlgorithm.timeDomain
    package var volume = Volume.full
    package var isMuted = false
    package var loopMode = LoopMode.off
    /// How often the current item has been repeated by looping.
    package var loopCount = 0
    package var replayGain = ReplayGainSettings()
    package var actionAtItemEnd = ActionAtItemEnd.advance

    package init() {}
}

/// What listeners of a player are told, in order.
package enum PlayerEvent: Sendable, Hashable {
    /// Something in the status changed other than by the events below.
    case statusChanged(PlayerStatus)
    /// Another item is heard now, or none.
    case currentItemChanged(PlayerItem?)
    /// The current item was opened.
    case itemReady(PlayerItem)
    /// An item cannot be played; its status says why. The next one follows.
    case itemFailed(PlayerItem)
    /// An item was heard to its end.
    case itemPlayedToEnd(PlayerItem)
    /// An item was heard to where it failed; the text is its status's. The next one follows.
    case failedToPlayToEnd(PlayerItem, String)
    /// All that had come of the current item was heard; the player waits, or has paused if it does not wait by itself.
    case playbackStalled(PlayerItem)
    /// The connection of the current item was lost, came back, or is done with.
    case streamChanged(StreamStatus)
    /// Tags that came with the sound are heard now; the item has them already.
    case timedMetadata(PlayerItem, Tags)
    /// A stretch of playback has begun, or a failure was noted.
    case newAccessLogEntry(PlayerItem, AccessLog.Event)
    case newErrorLogEntry(PlayerItem, ErrorLog.Event)
    /// The position changed other than by playing on.
    case timeJumped(MediaTime)
    /// The sound server went away; text says why.
    case outputLost(String)
    /// The sound server is back and the player goes on.
    case outputRestored
    /// An item was played, but something was wrong with it; the text names it and says what.
    case itemDamaged(PlayerItem, String)
    /// The output cannot play any more.
    case outputFailed(String)
    /// The last item of the queue was heard to its end.
    case queueEnded
}
