/// What a queue does by itself when a song ends, as MPD's options of these names.
package struct QueueModes: Sendable, Hashable {
    /// Begins again after the last song; with `single`, repeats the song.
    package var repeats = false
    /// Plays in a shuffled order.
    package var random = false
    /// Stops after the song, or repeats it when `repeats` is on as well.
    package var single = Switch.off
    /// Removes a song from the queue once it is left.
    package var consume = Switch.off

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
        /// On until it has had its effect once.
        case oneshot
    }

    /// Whether playing pauses when the current song ends, be there a next one or not.
    package var pausesAfterSong: Bool { single != .off && !repeats }

    /// Whether a song that ends begins again.
    var repeatsSong: Bool { single != .off && repeats && consume == .off }
}
