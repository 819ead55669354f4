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
    /// Too little is buffered to continue without a stall.
    case toMinimizeStalls
    /// A medium is being opened or seeked; brief.
    case evaluatingBufferingRate
    /// The queue is empty or has ended.
    case noItemToPlay
    /// The sound server is gone; the player resumes by itself when it is back.
    case outputUnavailable
}

/// An item's readiness (AVPlayerItem's `status`); `failed` is final.
package enum PlayerItemStatus: Sendable, Hashable {
    case unknown
    case readyToPlay
    /// With one line that names the medium and the problem.
    case failed(String)
}

/// A snapshot of one entry of a player's queue.
package struct PlayerItem: Sendable, Hashable, Identifiable {
    /// Unique within its player, never reused.
    package struct ID: Sendable, Hashable, Comparable {
        package let number: Int
        package init(number: Int) { self.number = number }
        package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    package let id: ID
    package internal(set) var entry: MediaEntry
    /// The entry as resolved when it was last opened; `nil` before.
    package internal(set) var opened: MediaEntry?
    package var status: PlayerItemStatus
    /// The facts found on opening, with the tags received since then; `nil` until it was opened.
    package var info: MediaInfo?
    /// Tags from the stream as heard now, such as a radio station's title.
    package var timedTags = Tags()

    package init(id: ID, entry: MediaEntry, status: PlayerItemStatus = .unknown, info: MediaInfo? = nil) {
        self.id = id
        self.entry = entry
        self.status = status
        self.info = info
    }

    /// The duration of the part that is played; `nil` when unknown or endless.
    package var duration: MediaTime? {
        let part = opened ?? entry
        let end = part.end ?? info?.duration
        guard let end else { return entry.duration }
        return end - (part.start ?? .zero)
    }

    /// The format of the item's samples before conversion for the output; `nil` until it was opened.
    package var sourceFormat: SourceFormat? { info?.sourceFormat }

    /// In kbit/s, as an average over the medium; `nil` when unknown.
    package var bitRate: Int? { info?.playedBitRate.map { ($0 + 500) / 1_000 } }

    /// A tag: from the stream first, then from the playlist, then the medium's own.
    package func tag(_ name: String) -> String? { timedTags[name] ?? entry.tags[name] ?? info?.tags[name] }

    /// All values of a tag, from the first of these that has any.
    package func tags(_ name: String) -> [String] {
        [timedTags, entry.tags, info?.tags ?? Tags()].lazy.map { $0[all: name] }.first { !$0.isEmpty } ?? []
    }

    package var title: String? { tag("title") }
    package var artist: String? { tag("artist") ?? tag("album_artist") }
}

/// The action when the current item has been played to its end (AVPlayer's `actionAtItemEnd`).
package enum ActionAtItemEnd: Sendable, Hashable {
    /// The next item follows without a gap.
    case advance
    /// The player pauses at the end.
    case pause
    /// The rate stays and time runs on, in silence.
    case none
}

/// The part of the queue that is repeated.
package enum LoopMode: String, Sendable, Hashable, CaseIterable {
    case off
    /// The current item, without a gap.
    case item
    /// The whole queue.
    case queue
}

/// The effect of a rate other than 1 on the pitch (AVAudioTimePitchAlgorithm).
package enum TimePitchAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// The pitch is kept.
    case timeDomain
    /// The pitch follows the rate, as on a tape.
    case varispeed
}

/// A snapshot of a player.
package struct PlayerStatus: Sendable, Hashable {
    package var timeControlStatus: TimeControlStatus = .paused
    /// The item being played or paused.
    package var currentItem: PlayerItem?
    /// The current item's index in the playing order, from 0.
    package var currentIndex: Int?
    package var itemCount = 0
    /// The wanted rate, 0.25 to 4; 0 when paused.
    package var rate: Double = 0
    /// The rate at which time passes; 0 while the player waits.
    package var effectiveRate: Double { timeControlStatus == .playing ? rate : 0 }
    /// Whether the player waits until enough of a stream is buffered, instead of pausing when it runs dry.
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

/// An event of a player; listeners receive them in order.
package enum PlayerEvent: Sendable, Hashable {
    /// The status changed other than by the events below.
    case statusChanged(PlayerStatus)
    /// Another item is heard now, or none.
    case currentItemChanged(PlayerItem?)
    /// The current item was opened.
    case itemReady(PlayerItem)
    /// An item cannot be played; its status says why. The next one follows.
    case itemFailed(PlayerItem)
    /// An item was heard to its end.
    case itemPlayedToEnd(PlayerItem)
    /// An item played until it failed; the text is its status's. The next one follows.
    case failedToPlayToEnd(PlayerItem, String)
    /// All data received of the current item was heard; the player waits, or has paused if it does not wait by itself.
    case playbackStalled(PlayerItem)
    /// The connection of the current item was lost, restored or closed.
    case streamChanged(StreamStatus)
    /// Tags from the stream are heard now; the item has them already.
    case timedMetadata(PlayerItem, Tags)
    /// A stretch of playback has begun, or a failure was logged.
    case newAccessLogEntry(PlayerItem, AccessLog.Event)
    case newErrorLogEntry(PlayerItem, ErrorLog.Event)
    /// The position changed other than by playing.
    case timeJumped(MediaTime)
    /// The sound server went away; the text is the reason.
    case outputLost(String)
    /// The sink went away; the player waits for it, or pauses so that nothing is heard elsewhere. The text is the
    /// reason.
    case routeLost(String, pauses: Bool)
    /// The sound server asks for silence on behalf of another program, or takes that back; the player only reports it.
    case silenceRequested(Bool)
    /// The volume was raised above the ceiling in the sound server, to this one, and is as it was again.
    case volumeHeld(from: Volume)
    /// The output is back and the player resumes.
    case outputRestored
    /// The output did not come back in time, and the player has paused.
    case outputGivenUp
    /// An item was damaged; the text names it and the damage.
    case itemDamaged(PlayerItem, String)
    /// The output cannot play any more.
    case outputFailed(String)
    /// The last item of the queue was heard to its end.
    case queueEnded
}
