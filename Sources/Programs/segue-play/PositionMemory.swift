import AudioTypes
import Foreground
import Playback

/// Where the items of this session were left, now and earlier.
@MainActor
final class PositionMemory {
    /// Whether positions are kept and gone on from.
    var isWanted: Bool
    private let store = PositionStore()
    private var originals: [PlayerItem.ID: MediaEntry] = [:]
    private var resumed: Set<PlayerItem.ID> = []
    private lazy var earlier: ResumePositions = store?.load() ?? ResumePositions()

    init(isWanted: Bool) { self.isWanted = isWanted }

    /// Learns which entry, before `--start` and `--end` limited it, an item stands for.
    func note(_ items: [(PlayerItem.ID, MediaEntry)]) {
        for (id, entry) in items { originals[id] = entry }
    }

    /// Where to go on with an item, on its own timeline; `nil` when it begins at its beginning.
    func position(for item: PlayerItem) -> MediaTime? {
        guard
            isWanted, !resumed.contains(item.id),
            let key = key(for: item), let position = earlier.position(for: key)
        else { return nil }
        let time = position - (item.entry.start ?? .zero)
        guard time > .zero, item.entry.end.map({ position < $0 }) ?? true else { return nil }
        return time
    }

    /// An item goes on from its position once, not at every repetition.
    func markResumed(_ id: PlayerItem.ID) { resumed.insert(id) }

    /// Keeps an item's position.
    ///
    /// - Returns: Why that is not possible, or `nil`.
    func remember(_ item: PlayerItem, at time: MediaTime) -> String? {
        guard isWanted, let key = key(for: item) else { return nil }
        guard let store else { return "positions cannot be kept: neither XDG_STATE_HOME nor HOME is set" }
        return store.update {
            let position = (item.entry.start ?? .zero) + time
            $0.record(position, heard: time, of: item.duration, for: key)
        }
    }

    /// An item was heard to its end.
    func forget(_ item: PlayerItem) {
        guard isWanted, let key = key(for: item) else { return }
        _ = store?.update { $0.forget(key) }
    }

    private func key(for item: PlayerItem) -> String? {
        originals[item.id].flatMap(PositionStore.key)
    }
}
