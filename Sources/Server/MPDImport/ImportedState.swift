/// MPD's stored state as plain values.
package struct ImportedState: Sendable, Hashable {
    package var queue: [ImportedEntry] = []
    package var options = ImportedOptions()
    package var playback = Playback.stopped
    /// The index in `queue` of the current entry; `nil` for none.
    package var current: Int?
    /// Seconds into the current entry.
    package var elapsed: Double = 0
    /// In percent; `nil` when MPD stored no volume.
    package var volume: Int?
    /// MPD's outputs by name, and whether each is enabled.
    package var outputs: [ImportedOutput] = []
    package var playlists: [ImportedPlaylist] = []
    package var stickers: [ImportedSticker] = []
    /// Whether a state file was read; without one, only playlists and stickers are valid.
    package var hasState = false
    /// One line for each item that could not be imported.
    package var problems: [String] = []

    package enum Playback: Sendable, Hashable {
        case stopped
        case paused
        case playing
    }

    package init() {}
}

/// An entry of the queue.
package struct ImportedEntry: Sendable, Hashable {
    /// Relative to the music directory, a URL, or an absolute path.
    package var uri: String
    /// In seconds; playback starts there.
    package var start: Double?
    /// In seconds; playback ends there.
    package var end: Double?
    /// 0 to 255, for random order.
    package var priority = 0
    /// Tags that a client has set for a stream, under MPD's names.
    package var tags: [ImportedTag] = []

    package init(_ uri: String) { self.uri = uri }
}

package struct ImportedTag: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

package struct ImportedOptions: Sendable, Hashable {
    /// The states of `single` and `consume`.
    package enum Switch: Sendable, Hashable {
        case off
        case on
        /// On for one song.
        case oneshot
    }

    package var random = false
    package var repeats = false
    package var single = Switch.off
    package var consume = Switch.off
    /// In seconds.
    package var crossfade: Double = 0
    /// In dB.
    package var mixRampThreshold: Double = 0
    /// In seconds; `nil` when MixRamp is off.
    package var mixRampDelay: Double?

    package init() {}
}

package struct ImportedOutput: Sendable, Hashable {
    package var name: String
    package var isEnabled: Bool

    package init(name: String, isEnabled: Bool) {
        self.name = name
        self.isEnabled = isEnabled
    }
}

/// A stored playlist.
package struct ImportedPlaylist: Sendable, Hashable {
    package var name: String
    package var uris: [String]

    package init(name: String, uris: [String]) {
        self.name = name
        self.uris = uris
    }
}

/// A name and a value that a client has attached to a song.
package struct ImportedSticker: Sendable, Hashable {
    /// `song` in nearly all cases.
    package var type: String
    package var uri: String
    package var name: String
    package var value: String

    package init(type: String, uri: String, name: String, value: String) {
        self.type = type
        self.uri = uri
        self.name = name
        self.value = value
    }
}
