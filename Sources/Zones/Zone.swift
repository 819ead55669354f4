internal import AudioTypes
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
    package internal(set) var options = PlaybackOptions()
    /// In percent, 0 to 100.
    package internal(set) var volume: Int
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

    /// What the player knows of the queue.
    struct Told {
        var current: UInt32?
        var following: UInt32?
        var followingSong: Song?
        /// Where the current song was told to begin or go on, until the player has done so.
        var target: Target?
    }

    /// A time that the player is on its way to.
    struct Target {
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
    package func connect(_ player: Player, receive: @escaping @Sendable (PlayerEvent) async -> Void) {
        link = PlayerLink(player: player, receive: receive)
        applyOptions()
        applyVolume()
    }

    /// Ends the player: what its outputs write is completed.
    package func close() async { await link?.player.close() }

    // MARK: What is heard

    package var player: Player? { link?.player }

    /// The seconds of the current song that were heard; 0 when stopped.
    package var elapsed: Double {
        guard state != .stop, let link else { return 0 }
        if let target = told.target {
            guard link.hasDone(target.order) else { return target.time }
        }
        return link.player.currentTime().seconds
    }

    /// The song that is being played or paused, as the player has opened it.
    package var openedItem: PlayerItem? {
        guard state != .stop, let item = link?.player.status.currentItem,
            link?.entry(of: item.id) == told.current
        else { return nil }
        return item
    }

    /// Seconds; `nil` when unknown or endless.
    package var currentDuration: Double? {
        guard state != .stop else { return nil }
        return openedItem?.duration?.seconds ?? queue.currentEntry?.song.duration
    }

    package func clearError() {
        guard error != nil else { return }
        error = nil
        tell(.player)
    }

    func tell(_ changes: ZoneChanges) { surroundings.changed(self, changes) }
}
