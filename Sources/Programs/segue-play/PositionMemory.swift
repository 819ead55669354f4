import AudioTypes
import Foreground
import Playback

/// The positions at which items were left, in this session and earlier.
@MainActor
final class PositionMemory {
    /// Whether positions are stored and resumed.
    var isWanted: Bool
    private let store = PositionStore()
    private var originals: [PlayerItem.ID: MediaEntry] = [:]
    private var resumed: Set<PlayerItem.ID> = []
    private lazy var earlier: ResumePositions = store?.load() ?? ResumePositions()

    init(isWanted: Bool) { self.isWanted = isWanted }

    /// Registers the entry of each item, without the limits of `--start` and `--end`.
    func record(_ items: [(PlayerItem.ID, MediaEntry)]) {
        for (id, entry) in items { originals[id] = entry }
    }

    /// The position to resume an item at, on its own timeline; `nil` for its start.
    func position(for item: PlayerItem) -> MediaTime? {
        guard
            isWanted, !resumed.contains(item.id),
            let key = key(for: item), let position = earlier.position(for: key)
        else { return nil }
        let time = position - (item.entry.start ?? .zero)
        guard time > .zero, item.entry.end.map({ position < $0 }) ?? true else { return nil }
        return time
    }

    /// Marks an item as resumed, so that its repetitions start at the beginning.
    func markResumed(_ id: PlayerItem.ID) { resumed.insert(id) }

    /// Stores an item's position.
    ///
    /// - Returns: Why it could not be stored, or `nil`.
    func remember(_ item: PlayerItem, at time: MediaTime) -> String? {
        guard isWanted, let key = key(for: item) else { return nil }
        guard let store else { return "positions cannot be kept: neither XDG_STATE_HOME nor HOME is set" }
        return store.update {
            let position = (item.entry.start ?? .zero) + time
            $0.record(position, heard: time, of: item.duration, for: key)
        }
    }

    /// Removes the position of an item that was played to its end.
    func forget(_ item: PlayerItem) {
        guard isWanted, let key = key(for: item) else { return }
        _ = store?.update { $0.forget(key) }
    }

    private func key(for item: PlayerItem) -> String? {
        originals[item.id].flatMap(PositionStore.key)
    }
}
