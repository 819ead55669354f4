package import AudioTypes
package import Playback
package import Playlists
internal import Songs

/// One place where a queue is played: MPD's partition, with a player, a queue and options of its own.
///
/// Belongs to the server's event loop. Commands change the zone at once and let the player follow; what the player tells
/// comes back through `receive`. So a reply never waits for sound, and says what the last command made true.
package final class Zone {
    package let name: String
    package internal(set) var queue: PlayQueue
    package internal(set) var state = PlayState.stop
    /// What went wrong last, on one line; `nil` after `clearerror` and when playing begins anew.
    package internal(set) var error: String?
    /// Why there is nothing to play to, while that is so.
    var outputFault: String?
    package internal(set) var options = PlaybackOptions()
    /// In percent, 0 to 100.
    package internal(set) var volume: Int
    /// The session that has interrupted the zone; it is paused meanwhile.
    package internal(set) var interruption: Int?
    /// Whether the zone played when it was interrupted, and nobody has paused or stopped it since.
    var isToResume = false
    /// In dB: how much quieter the zone is made for others, beside its volume.
    package internal(set) var duckGain = 0.0
    /// The stored playlist that was loaded last into the empty queue.
    package var lastLoadedPlaylist = ""
    /// Whether an output lets its volume be set.
    package var hasMixer = true
    /// Songs that the queue may hold.
    package let capacity: Int

    var surroundings: ZoneSurroundings
    var link: PlayerLink?
    /// What the player was told to play now and then.
    var told = Told()
    /// Songs in a row that could not be played.
    var failures = 0
    /// Why the stream of the current song is tried again, while it is.
    var lostStream: StreamStatus.Reconnecting?

    /// What the player knows of the queue.
    struct Told {
        /// The number of the order that led to the current song, or to another time of it.
        ///
        /// What the player told before it had carried that out is of songs past.
        var order = 0
        /// The number of the last order to play, to pause or to stop.
        var transport = 0
        var current: UInt32?
        var medium: MediaEntry?
        /// The player's item of the current song, where it went on to that by itself.
        var item: PlayerItem.ID?
        var following: Following?
        /// Where the current song was told to begin or go on, until the player has done so.
        var target: Target?
    }

    /// What is played after the current song, without a gap.
    struct Following {
        let id: UInt32
        var song: Song
        /// `nil` when it may not be played.
        let medium: MediaEntry?
        /// The number of the order that said so.
        let order: Int
    }

    /// A time that the player is on its way to.
    struct Target: Sendable {
        let time: Double
        /// The number of the order that leads there.
        let order: Int
    }

    package init(name: String, capacity: Int, seed: UInt64, volume: Int = 100, _ surroundings: ZoneSurroundings) {
        self.name = name
        self.capacity = capacity
        self.volume = volume
        self.surroundings = surroundings
        queue = PlayQueue(seed: seed)
    }

    /// Gives the zone its player; called once, before anything is played.
    ///
    /// - Parameter receive: Brings an event back to `receive` on the zone's own thread.
    package func connect(_ player: Player, receive: @escaping @Sendable (ZoneEvent) async -> Void) {
        link = PlayerLink(player: player, receive: receive)
        applyOptions()
        applyVolume()
    }

    /// Ends the player: what its outputs write is completed.
    package func close() async { await link?.player.close() }

    // MARK: What is heard

    package var player: Player? { link?.player }

    /// What is told of the song that is being played or paused.
    package struct Progress: Sendable {
        /// The seconds that were heard.
        package var elapsed = 0.0
        /// In seconds; `nil` when unknown or endless.
        package var duration: Double?
        /// In kbit/s; `nil` when unknown.
        package var bitRate: Int?
        /// `nil` until the song was opened.
        package var format: SourceFormat?
    }

    /// How far the current song is; empty when stopped.
    package var progress: Progress {
        guard state != .stop, let link else { return Progress() }
        let playing = link.player.read { status in
            status.currentItem.map { item in
                let duration = item.duration?.seconds
                return (item.id, Progress(duration: duration, bitRate: item.bitRate, format: item.sourceFormat))
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
            // It ended, and what comes then has not been told yet.
            progress.elapsed = progress.duration ?? told.target?.time ?? 0
        }
        return progress
    }

    /// The seconds of the current song that were heard; 0 when stopped.
    package var elapsed: Double { progress.elapsed }

    /// Tells from any thread what ``elapsed`` is; `nil` once another song is heard than the one that is current now.
    ///
    /// To be asked for anew after each change that is told.
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

    /// What the zone does, or will do again by itself: an interruption does not outlive the server.
    package var lastingState: PlayState { interruption != nil && isToResume && state == .pause ? .play : state }

    package func clearError() {
        guard error != nil else { return }
        error = nil
        tell(.player)
    }

    /// What the network is doing for the current song; `nil` for what is not of the network, and when stopped.
    package var stream: StreamStatus? { openedItem == nil ? nil : link?.player.streamStatus }

    func tell(_ changes: ZoneChanges) { surroundings.changed(self, changes) }
}
