import AudioTypes
import DBus
import Glibc
import MPRIS
import Playback
import TextEncodings
import Threads

/// The playback in the foreground, as a player on the user's message bus.
@MainActor
final class RemotePlayer {
    private let service: MediaPlayerService
    private let player: Player
    /// How often the position has jumped.
    private var jumps = 0
    /// Whether it was stopped by a command, and did not play since.
    private var isStopped = false
    private let covers = CoverFiles()
    /// The cover of the file that plays.
    private var cover: (item: PlayerItem.ID, path: String)?

    /// - Parameter handler: Called on the bus's thread.
    /// - Returns: `nil` where there cannot be a bus.
    init?(_ player: Player, _ thread: BusThread, handler: @escaping @Sendable (MediaPlayerCommand, BusAnswer) -> Void) {
        guard let bus = BusAddress.session else { return nil }
        self.player = player
        service = MediaPlayerService(
            BusPlan(bus, names: MediaPlayerName.instance(process: getpid())),
            thread,
            MediaPlayerState(player.status, isStopped: false, cover: nil),
            PlayerPosition(player, jumps: 0),
            perform: handler
        )
    }

    func handle(_ event: PlayerEvent) {
        if case .timeJumped = event { jumps += 1 }
        show()
    }

    /// Looks for the cover of an item's file, which comes as an input when there is one.
    func findCover(of item: PlayerItem, _ source: AsyncStream<PlaySession.Input>.Continuation) {
        let location = (item.opened ?? item.entry).location
        guard !location.contains("://"), location != "-" else { return }
        WorkThread.startWhenPossible(named: "segue-cover") { [covers] in
            if let path = covers.cover(of: location, number: item.id.number) { source.yield(.coverFile(item.id, path)) }
        }
    }

    func found(_ cover: String, of item: PlayerItem.ID) {
        self.cover = (item, cover)
        show()
    }

    func stopped() {
        isStopped = true
        show()
    }

    /// Tells the bus what has changed.
    func show() {
        let status = player.status
        if status.rate != 0 { isStopped = false }
        let player = player
        let path = cover.flatMap { $0.item == status.currentItem?.id ? $0.path : nil }
        let state = MediaPlayerState(status, isStopped: isStopped, cover: path)
        service.update(state, PlayerPosition(player, jumps: jumps)) { player.currentTime().seconds }
    }

    /// Leaves the bus, after the answer to a client that asked for the end.
    func finish() async {
        await service.finish()
        covers.close()
    }

    /// The name of an item on the bus.
    nonisolated static func path(of item: PlayerItem.ID) -> ObjectPath {
        ObjectPath("org", "segue", "track", String(item.number))
    }
}

extension PlayerPosition {
    fileprivate init(_ player: Player, jumps: Int) {
        let rate = player.status.effectiveRate
        self.init(elapsed: player.currentTime().seconds, at: .now, rate: rate, jump: Jump(jumps))
    }
}

extension MediaPlayerState {
    fileprivate init(_ status: PlayerStatus, isStopped: Bool, cover: String?) {
        self.init(identity: "segue play")
        canQuit = true
        let item = status.currentItem
        self.status = item == nil || isStopped ? .stopped : status.rate == 0 ? .paused : .playing
        switch status.loopMode {
        case .off: loop = LoopStatus.none
        case .item: loop = .track
        case .queue: loop = .playlist
        }
        (rate, rates) = (status.defaultRate, PlaybackRate.range)
        volume = status.isMuted ? 0 : status.volume.percent / 100
        track = item.map { TrackMetadata($0) }
        track?.artURL = cover.flatMap(absolute).map(fileURL)
        guard let item else { return }
        abilities =
            item.duration != nil && item.info?.isSeekable != false ? .all : [.play, .pause, .goNext, .goPrevious]
    }
}

extension TrackMetadata {
    fileprivate init(_ item: PlayerItem) {
        self.init(id: RemotePlayer.path(of: item.id))
        duration = item.duration?.seconds
        let location = item.entry.location
        title = item.title ?? location.lastPathComponent
        albumArtists = item.tags("album_artist")
        artists = item.tags("artist").isEmpty ? albumArtists : item.tags("artist")
        album = item.tag("album")
        composers = item.tags("composer")
        genres = item.tags("genre")
        trackNumber = item.tag("track").flatMap { Int($0.prefix { $0 != "/" }) }
        discNumber = item.tag("disc").flatMap { Int($0.prefix { $0 != "/" }) }
        date = item.tag("date")
        url = location.contains("://") ? location : absolute(location).map(fileURL)
    }
}

/// A path from the root; `nil` when the working directory is gone.
private func absolute(_ path: String) -> String? {
    if path.hasPrefix("/") { return path }
    guard let folder = unsafe getcwd(nil, 0) else { return nil }
    defer { unsafe free(folder) }
    return unsafe String(cString: folder) + "/" + path
}
