package import DBus

/// `PlaybackStatus`; an interrupted player is paused.
package enum PlaybackStatus: String, Sendable, Hashable {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
}

/// `LoopStatus`.
package enum LoopStatus: String, Sendable, Hashable {
    case none = "None"
    case track = "Track"
    case playlist = "Playlist"
}

/// The actions that a player's clients may take.
package struct PlayerAbilities: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let goNext = PlayerAbilities(rawValue: 1 << 0)
    package static let goPrevious = PlayerAbilities(rawValue: 1 << 1)
    package static let play = PlayerAbilities(rawValue: 1 << 2)
    package static let pause = PlayerAbilities(rawValue: 1 << 3)
    package static let seek = PlayerAbilities(rawValue: 1 << 4)
    package static let all: PlayerAbilities = [.goNext, .goPrevious, .play, .pause, .seek]
}

/// A player as MPRIS shows it, at one moment; only the position is told apart from it.
package struct MediaPlayerState: Sendable, Hashable {
    /// A name for people.
    package var identity: String
    package var canQuit = false
    package var uriSchemes: [String] = []
    package var mimeTypes: [String] = []
    package var status = PlaybackStatus.stopped
    /// `nil` where it is not offered.
    package var loop: LoopStatus?
    /// `nil` where it is not offered.
    package var shuffle: Bool?
    /// The speed while it plays; never 0.
    package var rate = 1.0
    package var rates = 1.0...1.0
    /// 0 to 1; `nil` where it cannot be set.
    package var volume: Double?
    package var abilities: PlayerAbilities = []
    package var track: TrackMetadata?
    /// The tracks around the current one; `nil` for a player without a track list.
    package var tracks: [ObjectPath]?
    /// `nil` for a player without playlists.
    package var playlists: Playlists?

    package init(identity: String) { self.identity = identity }

    package struct Playlists: Sendable, Hashable {
        package var count: UInt32
        package var active: PlayerPlaylist?

        package init(count: UInt32, active: PlayerPlaylist?) {
            self.count = count
            self.active = active
        }
    }

    /// How many tracks before and after the current one a track list shows, as MPRIS recommends.
    package static let tracksAround = 20
}

/// A stored playlist.
package struct PlayerPlaylist: Sendable, Hashable {
    package let id: ObjectPath
    package let name: String

    package init(id: ObjectPath, name: String) {
        self.id = id
        self.name = clipped(name)
    }

    /// `(oss)`: id, name, and a picture's address, which playlists have not.
    package var value: BusValue { .structure([.objectPath(id), .string(name), .string("")]) }

    /// `(b(oss))`, in which MPRIS wraps a playlist that may be missing.
    static func value(of playlist: PlayerPlaylist?) -> BusValue {
        let none = PlayerPlaylist(id: ObjectPath(known: "/"), name: "")
        return .structure([.boolean(playlist != nil), (playlist ?? none).value])
    }
}

/// How many bytes of a text are told.
private let longestText = 1_024

/// The beginning of a text of any length.
func clipped(_ text: String) -> String {
    guard text.utf8.count > longestText else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: longestText)
    while end > text.startIndex, end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return String(text[..<end])
}
