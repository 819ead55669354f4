package import AudioSessions
package import AudioTypes
internal import DBus
package import MPRIS
package import NowPlaying
internal import Playback

/// A client's session as a player: what it told, and what it takes.
package struct SessionPlayer {
    package private(set) var info = NowPlayingInfo()
    /// The rights of the client that told the info, with which its artwork is read.
    private var reader = ArtworkReader()
    package var commands: Set<RemoteCommand.Kind> = []
    /// Changes with the content, for the names of tracks.
    private var contentNumber = 0
    /// Changes with each time that it told.
    private var tellingNumber = 0
    /// In seconds, as of `moment`.
    private var elapsed = 0.0
    private var moment: HostTime
    private var isPlaying = false

    package init(at now: HostTime) { moment = now }

    package mutating func tell(_ new: NowPlayingInfo, for reader: ArtworkReader = ArtworkReader(), at now: HostTime) {
        self.reader = reader
        let goesOn = new.isSameContent(as: info)
        let passed = goesOn ? elapsed(at: now) : 0
        if !goesOn { contentNumber += 1 }
        if new.elapsed != nil { tellingNumber += 1 }
        (elapsed, moment, info) = (new.elapsed ?? passed, now, new)
    }

    /// The session says whether it plays.
    package mutating func record(isPlaying: Bool, at now: HostTime) {
        (elapsed, moment) = (elapsed(at: now), now)
        self.isPlaying = isPlaying
    }

    /// Seconds of the content in a second.
    private var rate: Double { isPlaying ? info.rate ?? info.defaultRate ?? 1 : 0 }

    private func elapsed(at now: HostTime) -> Double {
        min(max(0, elapsed + (now - moment) * rate), info.duration ?? .infinity)
    }

    /// The artwork that was told of, which is not passed on but read for those who may see it.
    package var artwork: ToldArtwork? {
        info.artwork.map { ToldArtwork(location: $0, reader: reader, contentNumber: contentNumber) }
    }

    // MARK: On the bus

    /// - Parameter art: The cover's address.
    package func shown(_ session: AudioSession, art: String?) -> ShownPlayer {
        var state = MediaPlayerState(identity: session.name)
        state.status = session.isPlaying ? .playing : info.isEmpty ? .stopped : .paused
        state.rate = info.rate.flatMap { $0 == 0 ? nil : $0 } ?? info.defaultRate ?? 1
        if commands.contains(.changePlaybackRate) { state.rates = PlaybackRate.range }
        if commands.contains(.changeRepeatMode) { state.loop = loopStatus }
        if commands.contains(.changeShuffleMode) { state.shuffle = info.shuffleMode ?? "off" != "off" }
        state.abilities = abilities
        if !info.isEmpty {
            state.track = metadata(session.id)
            state.track?.artURL = art
        }
        let position = PlayerPosition(
            elapsed: elapsed,
            at: moment,
            rate: rate,
            jump: PlayerPosition.Jump(tellingNumber)
        )
        return ShownPlayer(state: state, position: position)
    }

    private var loopStatus: LoopStatus {
        switch info.repeatMode {
        case "one": .track
        case "all": .playlist
        default: .none
        }
    }

    private var abilities: PlayerAbilities {
        var abilities: PlayerAbilities = []
        let toggles = commands.contains(.togglePlayPause)
        if toggles || commands.contains(.play) { abilities.insert(.play) }
        if toggles || commands.contains(.pause) { abilities.insert(.pause) }
        if commands.contains(.nextTrack) { abilities.insert(.goNext) }
        if commands.contains(.previousTrack) { abilities.insert(.goPrevious) }
        let seeks =
            commands.contains(.changePlaybackPosition) || commands.isSuperset(of: [.skipForward, .skipBackward])
        if seeks, !info.isLive { abilities.insert(.seek) }
        return abilities
    }

    private func metadata(_ id: SessionID) -> TrackMetadata {
        let path = ObjectPath("org", "segue", "session", String(id.rawValue), "track", String(contentNumber))
        var track = TrackMetadata(id: path)
        track.duration = info.isLive ? nil : info.duration
        (track.title, track.artists, track.album) = (info.title, info.artists, info.album)
        (track.albumArtists, track.composers, track.genres) = (info.albumArtists, info.composers, info.genres)
        (track.trackNumber, track.discNumber, track.url) = (info.track, info.disc, info.uri)
        return track
    }

    /// The command that has a session do what a client of the bus wants; `nil` where there is nothing to do.
    package func remoteCommand(for command: MediaPlayerCommand, isPlaying: Bool, at now: HostTime) -> RemoteCommand? {
        switch command {
        case .play: isPlaying ? nil : first(of: [.play, .togglePlayPause])
        case .pause: isPlaying ? first(of: [.pause, .togglePlayPause]) : nil
        case .playPause: first(of: [.togglePlayPause, isPlaying ? .pause : .play])
        case .stop: first(of: [.stop, .pause])
        case .next: first(of: [.nextTrack])
        case .previous: first(of: [.previousTrack])
        case .seek(let offset): seek(by: offset, at: now)
        case .setPosition(_, let time): with(.changePlaybackPosition, time)
        case .setRate(let rate): with(.changePlaybackRate, rate)
        case .setLoop(let loop): with(.changeRepeatMode, loop == .none ? "off" : loop == .track ? "one" : "all")
        case .setShuffle(let isOn): with(.changeShuffleMode, isOn ? "items" : "off")
        case .setVolume, .quit, .open, .tracks, .addTrack, .removeTrack, .goTo, .activatePlaylist, .playlists: nil
        }
    }

    private func first(of kinds: [RemoteCommand.Kind]) -> RemoteCommand? {
        kinds.first(where: commands.contains).flatMap { try? RemoteCommand($0) }
    }

    private func with(_ kind: RemoteCommand.Kind, _ number: Double) -> RemoteCommand? {
        commands.contains(kind) ? RemoteCommand(kind, number: number) : nil
    }

    private func with(_ kind: RemoteCommand.Kind, _ word: String) -> RemoteCommand? {
        commands.contains(kind) ? try? RemoteCommand(kind, word) : nil
    }

    private func seek(by offset: Double, at now: HostTime) -> RemoteCommand? {
        if let skip = with(offset < 0 ? .skipBackward : .skipForward, abs(offset)) { return skip }
        return with(.changePlaybackPosition, max(0, elapsed(at: now) + offset))
    }
}
