/// The player that is "now playing" on the whole server: the one that began to play last, also when it is paused since.
///
/// A pure value. It decides where remote commands go and what desktops show, not who may be heard.
package struct NowPlayingElection<ID: Hashable & Sendable>: Sendable {
    private var playing: Set<ID> = []
    /// When each began to play, counted.
    private var starts: [ID: Int] = [:]
    private var count = 0

    package init() {}

    /// Records whether a player plays; one that plays already does not begin again.
    package mutating func record(_ id: ID, isPlaying: Bool) {
        guard isPlaying else {
            playing.remove(id)
            return
        }
        guard playing.insert(id).inserted else { return }
        count += 1
        starts[id] = count
    }

    /// A player that is gone gives its place back to the one before.
    package mutating func remove(_ id: ID) {
        playing.remove(id)
        starts[id] = nil
    }

    /// - Parameter isEligible: Whether a player may be elected now: its session does not mix, and it takes commands.
    /// - Returns: `nil` where none has played yet.
    package func elected(among isEligible: (ID) -> Bool) -> ID? {
        starts.filter { isEligible($0.key) }.max { $0.value < $1.value }?.key
    }
}
