/// What has to be done about playing after the queue was changed or stepped.
package enum QueuePlayback: Sendable, Hashable {
    /// The current song stays; only what follows it may have changed.
    case unchanged
    /// Play this entry from its start.
    case play(id: UInt32)
    /// This entry is the current one now, paused at its start.
    case pause(id: UInt32)
    /// Nothing is left to play.
    case stop
}

/// What a step from one song to another brought about.
package struct QueueStep: Sendable, Hashable {
    package var playback: QueuePlayback
    /// The entry that `consume` removed.
    package var consumed: UInt32?
    /// Whether a mode that was on for one song is off now.
    package var modesChanged: Bool

    package init(playback: QueuePlayback, consumed: UInt32? = nil, modesChanged: Bool = false) {
        self.playback = playback
        self.consumed = consumed
        self.modesChanged = modesChanged
    }
}
