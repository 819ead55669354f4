/// The options for the end of a song, under MPD's names.
package struct QueueModes: Sendable, Hashable {
    /// Starts over after the last song; with `single`, repeats the song.
    package var repeats = false
    /// Plays in a shuffled order.
    package var random = false
    /// Stops after the song, or repeats it when `repeats` is on as well.
    package var single = Switch.off
    /// Removes a song from the queue after playing it.
    package var consume = Switch.off
    /// When the sleep timer ends playback; not one of MPD's, and not saved.
    package internal(set) var rest: Rest?

    package init(
        repeats: Bool = false,
        random: Bool = false,
        single: Switch = .off,
        consume: Switch = .off
    ) {
        self.repeats = repeats
        self.random = random
        self.single = single
        self.consume = consume
    }

    /// An option that may also be on for one song only.
    package enum Switch: Sendable, Hashable {
        case off
        case on
        /// On until it has taken effect once.
        case oneshot
    }

    /// A place where playback ends once.
    package enum Rest: Sendable, Hashable {
        case afterSong
        /// After the last song, even with `repeats`.
        case afterQueue
    }

    /// Whether the queue starts over after its last song.
    var startsOver: Bool { repeats && rest != .afterQueue }

    /// Whether playback pauses when the current song ends, even if another follows.
    package var pausesAfterSong: Bool { rest == .afterSong || single != .off && !startsOver }

    /// Whether a song that ends is repeated.
    var repeatsSong: Bool { single != .off && startsOver && consume == .off }
}

extension QueueModes.Switch {
    /// As MPD's protocol has it: `0`, `1` or `oneshot`.
    package var word: String {
        switch self {
        case .off: "0"
        case .on: "1"
        case .oneshot: "oneshot"
        }
    }

    /// Any other word is off.
    package init(word: String) { self = word == "1" ? .on : word == "oneshot" ? .oneshot : .off }
}
