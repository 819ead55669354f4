package import AudioTypes
package import Playback
package import Playlists
internal import Songs

/// A place where a queue is played: MPD's partition, with a player, a queue and options of its own.
///
/// Confined to the server's event loop. Commands change the zone at once and the player follows; the player's events
/// come back through `receive`. So a reply never waits for sound, and reflects the last command.
package final class Zone {
    package let name: String
    package internal(set) var queue: PlayQueue
    /// The state that was asked for last, in MPD's words; whether time passes is `player`'s status.
    ///
    /// A pause of the player's own, when its patience with a lost sound server ends, counts as asked for.
    package internal(set) var state = PlayState.stop {
        didSet {
            if state != .pause { endOwnPause() }
            guard state == .play else { return }
            errors[.route] = nil
            isInterruptedByRoute = false
        }
    }
    /// Whether it was interrupted because its sink is gone, and has not played since.
    var isInterruptedByRoute = false
    var errors = ErrorCauses()
    /// Why the zone has paused by itself, if it has.
    package private(set) var ownPause: String?
    package internal(set) var options = PlaybackOptions()
    /// In percent, 0 to 100.
    package internal(set) var volume: Int
    /// The highest volume in percent, 0 to 100, whoever asks for more.
    package var volumeCeiling = 100 { didSet { if volumeCeiling != oldValue { holdVolume() } } }
    /// The fastest playback, times normal speed, whoever asks for more.
    package var speedCeiling = 4.0 { didSet { holdSpeed() } }
    /// The session that has interrupted the zone, which is paused meanwhile.
    package internal(set) var interruption: Int?
    /// Whether the zone played when it was interrupted, and was not paused or stopped since.
    var isToResume = false
    /// In dB: the attenuation in favour of others, besides the volume.
    package internal(set) var duckGain = 0.0
    /// The fade before the sleep timer pauses the zone, while it lasts.
    var sleepFade: SleepFade?
    /// The stored playlist that was loaded last into the empty queue.
    package var lastLoadedPlaylist = ""
    /// Whether an output lets its volume be set.
    package var hasMixer = true
    /// The greatest number of songs in the queue.
    package var capacity: Int

    var dependencies: ZoneDependencies
    var link: PlayerLink?
    /// The player's current and following entries, as last ordered.
    var told = Told()
    /// How many songs in a row could not be played.
    var failures = 0
    /// The pictures of the stream that was current last.
    package internal(set) var pictures: StreamPictures?
    /// The audio that was chosen for the current song.
    var audioChoice: AudioChoice?
    /// Why the stream of the current song is being retried, while it is.
    var lostStream: StreamStatus.Reconnecting?
    /// How often network streams that it played were lost.
    package internal(set) var streamOutages = 0
    /// Whether a network stream was lost that it tries to get back.
    package var isStreamLost: Bool { lostStream != nil }
    /// Whether the player is playing, not paused and not waiting for something.
    package internal(set) var playerMoves = false

    /// The orders given to the player.
    struct Told {
        /// The number of the order that led to the current song, or to another time of it.
        ///
        /// Events from before the player carried it out belong to earlier songs.
        var order = 0
        /// The number of the last order to play, pause or stop.
        var transport = 0
        var current: UInt32?
        var medium: MediaEntry?
        /// The player's item of the current song, if the player advanced to it by itself.
        var item: PlayerItem.ID?
        var following: Following?
        /// Where the current song is to start or continue, until the player has got there.
        var target: Target?
    }

    /// The entry played after the current song, without a gap.
    struct Following {
        let id: UInt32
        var song: Song
        /// `nil` when it may not be played.
        let medium: MediaEntry?
        /// The number of the order that set it.
        let order: Int
    }

    /// The audio of one item of the player.
    struct AudioChoice {
        let item: PlayerItem.ID
        let track: TrackSelection
    }

    /// A time that the player is seeking to.
    struct Target: Sendable {
        let time: Double
        /// The number of that order.
        let order: Int
    }

    package init(name: String, capacity: Int, seed: UInt64, volume: Int = 100, _ dependencies: ZoneDependencies) {
        self.name = name
        self.capacity = capacity
        self.volume = volume
        self.dependencies = dependencies
        queue = PlayQueue(seed: seed)
    }

    /// Connects the zone to its player; called once, before anything is played.
    ///
    /// - Parameter receive: Passes an event to `receive` on the zone's own thread.
    package func connect(_ player: Player, receive: @escaping @Sendable (ZoneEvent) async -> Void) {
        link = PlayerLink(player: player, receive: receive)
        applyOptions()
        applyVolume()
    }

    /// Closes the player; its outputs complete their files.
    package func close() async { await link?.player.close() }

    // MARK: Orders

    /// Whether so many orders wait for the player that a request has to wait before it gives another one.
    package var isBusy: Bool { link?.isFull ?? false }

    /// Calls once, on any thread, when the zone is not busy any more.
    package func whenNotBusy(_ body: @escaping @Sendable () -> Void) { link?.whenThereIsRoom(body) }

    // MARK: Progress

    package var player: Player? { link?.player }

    /// The progress of the song that is being played or paused.
    package struct Progress: Sendable {
        /// The seconds that were heard.
        package var elapsed = 0.0
        /// In seconds; `nil` when unknown or endless.
        package var duration: Double?
        /// In kbit/s; `nil` when unknown.
        package var bitRate: Int?
        /// `nil` until the song was opened.
        package var format: SourceFormat?
        /// The loudness that the song's file states.
        package var replayGain = ReplayGain()
    }

    /// The progress of the current song; empty when stopped.
    package var progress: Progress {
        guard state != .stop, let link else { return Progress() }
        let playing = link.player.read { status in
            status.currentItem.map { item in
                var progress = Progress(
                    duration: item.duration?.seconds,
                    bitRate: item.bitRate,
                    format: item.sourceFormat
                )
                progress.replayGain = item.info?.replayGain ?? ReplayGain()
                return (item.id, progress)
            }
        }
        var progress = Progress()
        var isHeard = false
        if let (item, told) = playing, isCurrent(item) { (progress, isHeard) = (told, true) }
        if isHeard, progress.bitRate == nil { progress.bitRate = link.player.streamStatus?.kilobits }
        progress.duration = progress.duration ?? queue.currentEntry?.song.duration
        if let target = told.target, !link.hasDone(target.order) {
            progress.elapsed = target.time
        } else if isHeard {
            progress.elapsed = link.player.currentTime().seconds
        } else {
            // It ended, and the next song has not been reported yet.
            progress.elapsed = progress.duration ?? told.target?.time ?? 0
        }
        return progress
    }

    /// The heard seconds of the current song; 0 when stopped.
    package var elapsed: Double { progress.elapsed }

    /// Reads ``elapsed`` from any thread; `nil` once another song than the current one is heard.
    ///
    /// Must be renewed after each reported change.
    package var elapsedReader: (@Sendable () -> Double?)? {
        guard state != .stop, let link else { return nil }
        let (known, order, target) = (told.item, told.order, told.target)
        return {
            if let target, !link.hasDone(target.order) { return target.time }
            guard let item = link.player.read({ $0.currentItem?.id }),
                known.map({ $0 == item }) ?? (link.place(of: item)?.order == order)
            else { return nil }
            return link.player.currentTime().seconds
        }
    }

    /// The song that is being played or paused, as far as the player has opened it.
    package var openedItem: PlayerItem? {
        guard state != .stop, let item = link?.player.status.currentItem, isCurrent(item.id) else { return nil }
        return item
    }

    /// Whether an item of the player is the current song.
    func isCurrent(_ item: PlayerItem.ID) -> Bool {
        if let known = told.item { return known == item }
        guard told.current != nil, let place = link?.place(of: item) else { return false }
        return place.order == told.order
    }

    /// Seconds; `nil` when unknown or endless.
    package var currentDuration: Double? {
        guard state != .stop else { return nil }
        return openedItem?.duration?.seconds ?? queue.currentEntry?.song.duration
    }

    /// The state to save: an interruption does not outlive the server, so a zone that would resume counts as playing.
    package var lastingState: PlayState { interruption != nil && isToResume && state == .pause ? .play : state }

    /// The cause of the zone's silence or its last error, on one line; `nil` after `clearerror`, until it changes.
    package var error: String? { errors.shown(isStopped: state == .stop) }

    /// Whether `error` tells of the stream of the current song.
    package var isStreamError: Bool { error != nil && error == errors[.stream] }

    /// The cause of the zone's silence: `error` without those of songs that another one followed.
    package var lastingError: String? {
        guard let error, error == errors[.item], failures == 0 || state != .stop else { return error }
        return nil
    }

    /// Pauses because nothing can be heard, and shows why.
    package func pause(becauseOf reason: String) {
        guard state == .play else { return }
        ownPause = reason
        errors[.output] = reason
        pause()
    }

    private func endOwnPause() {
        if let ownPause, errors[.output] == ownPause { errors[.output] = nil }
        ownPause = nil
    }

    package func clearError() {
        if errors.hide(isStopped: state == .stop) { tell(.player) }
    }

    /// The stream status of the current song; `nil` for local media, and when stopped.
    package var stream: StreamStatus? { openedItem == nil ? nil : link?.player.streamStatus }

    func tell(_ changes: ZoneChanges) { dependencies.changed(self, changes) }
}
