internal import AudioTypes
package import DBus
package import MPRIS
internal import Playback
package import Playlists
internal import Songs
internal import TextEncodings
package import Zones

/// A player as the bus is to show it.
package struct ShownPlayer {
    package var state: MediaPlayerState
    package var position: PlayerPosition
    /// Reads the seconds that are heard, from any thread.
    package var elapsed: (@Sendable () -> Double?)?
}

/// The properties that all players of a server have in common.
package struct MediaPlayerTraits {
    package var uriSchemes: [String]
    package var mimeTypes: [String]
    /// How many playlists are stored.
    package var playlistCount: Int
    /// The address that a URI of the music directory has for programs on this machine.
    package var address: (String) -> String?
}

extension ShownPlayer {
    /// - Parameter art: The cover's address.
    package init(_ zone: Zone, _ traits: MediaPlayerTraits, art: String?) {
        let isStopped = zone.state == .stop
        var state = MediaPlayerState(identity: zone.name == "default" ? "Segue" : "Segue: \(zone.name)")
        (state.uriSchemes, state.mimeTypes) = (traits.uriSchemes, traits.mimeTypes)
        state.status = zone.state == .play ? .playing : isStopped ? .stopped : .paused
        state.loop = zone.queue.modes.loopStatus
        state.shuffle = zone.queue.modes.random
        (state.rate, state.rates) = (zone.options.speed, PlaybackRate.range)
        state.volume = zone.shownVolume.map { Double($0) / 100 }
        state.abilities = zone.abilities
        state.tracks = zone.tracksAround
        let active = zone.lastLoadedPlaylist.isEmpty ? nil : PlayerPlaylist(named: zone.lastLoadedPlaylist)
        state.playlists = .init(count: UInt32(clamping: traits.playlistCount), active: active)
        if !isStopped, let entry = zone.queue.currentEntry {
            state.track = TrackMetadata(entry, in: zone, traits)
            state.track?.duration = zone.currentDuration
            state.track?.artURL = art
        }
        let rate = zone.state == .play ? zone.options.speed : 0
        let position = PlayerPosition(elapsed: zone.elapsed, at: .now, rate: rate, jump: zone.jump)
        self.init(state: state, position: position, elapsed: zone.elapsedReader)
    }
}

extension QueueModes {
    fileprivate var loopStatus: LoopStatus { !repeats ? .none : single == .off ? .playlist : .track }
}

extension PlayerPlaylist {
    package init(named name: String) {
        self.init(id: ObjectPath("org", "segue", "playlist", name), name: name)
    }

    /// The name of the playlist of an id; `nil` for an id that is no playlist's.
    package static func name(of id: ObjectPath) -> String? {
        let start = "/org/segue/playlist/"
        guard id.description.hasPrefix(start) else { return nil }
        return text(ofPathElement: id.description.dropFirst(start.count))
    }
}

extension Zone {
    fileprivate var jump: PlayerPosition.Jump {
        let (order, item) = jumpNumber
        return PlayerPosition.Jump(order, item: item)
    }

    fileprivate var abilities: PlayerAbilities {
        guard !queue.isEmpty else { return [] }
        guard state != .stop else { return [.play, .pause] }
        let isSeekable = currentDuration != nil && openedItem?.info?.isSeekable != false
        return isSeekable ? .all : [.play, .pause, .goNext, .goPrevious]
    }

    package func trackPath(_ entry: UInt32) -> ObjectPath {
        ObjectPath("org", "segue", "zone", name, "track", String(entry))
    }

    /// The queue's entry of a track; `nil` for a track that is not in the queue any more.
    package func entry(ofTrack id: ObjectPath) -> PlayQueue.Entry? {
        let start = ObjectPath("org", "segue", "zone", name, "track").description + "/"
        guard id.description.hasPrefix(start), let number = UInt32(id.description.dropFirst(start.count)) else {
            return nil
        }
        return queue.entry(id: number)
    }

    fileprivate var tracksAround: [ObjectPath] {
        let (count, middle) = (MediaPlayerState.tracksAround, queue.current ?? 0)
        let range = max(0, middle - count)..<min(queue.count, middle + count + 1)
        return range.isEmpty ? [] : range.map { trackPath(queue.id(at: $0)) }
    }
}

extension TrackMetadata {
    package init(_ entry: PlayQueue.Entry, in zone: Zone, _ traits: MediaPlayerTraits) {
        let song = entry.song
        self.init(id: zone.trackPath(entry.id))
        duration = song.duration
        url = traits.address(song.uri)
        for (tag, text) in song.tags { add(tag, text) }
        title = title ?? withoutCredentials(song.uri.lastPathComponent)
    }

    private mutating func add(_ tag: TagType, _ text: String) {
        switch tag {
        case .title: title = title ?? text
        case .artist: artists.append(text)
        case .album: album = album ?? text
        case .albumArtist: albumArtists.append(text)
        case .composer: composers.append(text)
        case .genre: genres.append(text)
        case .comment: comments.append(text)
        case .date: date = date ?? text
        // A number may be followed by the count, as in "3/12".
        case .track: trackNumber = trackNumber ?? Int(text.prefix { $0 != "/" })
        case .disc: discNumber = discNumber ?? Int(text.prefix { $0 != "/" })
        default: break
        }
    }
}
