/// The step of playback after a change of the queue.
package enum QueuePlayback: Sendable, Hashable {
    /// The current song stays; only the next one may have changed.
    case unchanged
    /// Play this entry from its start.
    case play(id: UInt32)
    /// This entry becomes the current one, paused at its start.
    case pause(id: UInt32)
    /// Nothing is left to play.
    case stop
}

/// The result of a step from one song to another.
package struct QueueStep: Sendable, Hashable {
    package var playback: QueuePlayback
    /// The entry that `consume` removed.
    package var consumed: UInt32?
    /// Whether a one-shot mode was turned off.
    package var modesChanged: Bool

    package init(playback: QueuePlayback, consumed: UInt32? = nil, modesChanged: Bool = false) {
        self.playback = playback
        self.consumed = consumed
        self.modesChanged = modesChanged
    }
}
