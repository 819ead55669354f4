import Playlists
import Songs
import Testing

/// Two states of a queue, and the edit that leads from one to the other.
struct QueueEditTests {
    @Test(
        arguments: [
            ([], [], nil), ([1, 2], [1, 2], nil), ([], [1, 2], .replace(position: 0, count: 0, by: [1, 2])),
            ([1, 2, 3], [], .replace(position: 0, count: 3, by: [])),
            ([1, 2, 3], [1, 3], .replace(position: 1, count: 1, by: [])),
            ([1, 2, 3], [1, 9, 2, 3], .replace(position: 1, count: 0, by: [9])),
            ([1, 2, 3, 4], [1, 8, 9, 4], .replace(position: 1, count: 2, by: [8, 9])),
            ([1, 2, 3, 4], [2, 3, 4, 1], .move(position: 0, count: 1, to: 3)),
            ([1, 2, 3, 4], [4, 1, 2, 3], .move(position: 3, count: 1, to: 0)),
            ([1, 2, 3, 4, 5], [1, 4, 2, 3, 5], .move(position: 3, count: 1, to: 1)),
            ([1, 2, 3, 4, 5], [3, 4, 5, 1, 2], .move(position: 0, count: 2, to: 3)),
            ([1, 2, 3], [3, 2, 1], .replace(position: 0, count: 3, by: [3, 2, 1])),
        ] as [([UInt32], [UInt32], QueueEdit?)]
    )
    func anEdit(old: [UInt32], new: [UInt32], expected: QueueEdit?) {
        #expect(QueueEdit(from: old, to: new) == expected)
    }

    /// Each edit leads to the later state, whatever happened in between.
    @Test(arguments: 0..<20 as Range<UInt64>) func editsLeadToTheLaterState(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var ids: [UInt32] = []
        var lastID: UInt32 = 0
        for _ in 0..<400 {
            let before = ids
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                let position = Int.random(in: 0...ids.count, using: &generator)
                let count = Int.random(in: 0...min(3, ids.count - position), using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0, 1:
                    lastID += 1
                    ids.insert(lastID, at: position)
                case 2: ids.removeSubrange(position..<(position + count))
                default:
                    let moved = ids[position..<(position + count)]
                    ids.removeSubrange(position..<(position + count))
                    ids.insert(contentsOf: moved, at: Int.random(in: 0...ids.count, using: &generator))
                }
            }
            var result = before
            if let edit = QueueEdit(from: before, to: ids) { result.apply(edit) }
            #expect(result == ids)
        }
    }

    /// Changes of songs and priorities are known for a while; those of places are none.
    @Test func changedEntries() {
        var queue = PlayQueue(seed: 1)
        queue.append((0..<700).map { song("\($0)", seconds: 1) })
        let start = queue.version
        queue.move(0..<1, to: 5)
        _ = queue.delete(100..<101)
        #expect(queue.idsChanged(since: start) == [])
        queue.replaceSong(id: 3, with: song("new", seconds: 2))
        queue.setPriority(0..<2, 7)
        #expect(queue.idsChanged(since: start) == [3, 2])
        #expect(queue.idsChanged(since: queue.version) == [] && queue.idsChanged(since: queue.version + 1) == nil)
        queue.setPriority(0..<699, 9)
        #expect(queue.idsChanged(since: start) == nil)
        _ = queue.delete(2..<3)
        #expect(queue.idsChanged(since: queue.version - 2)?.contains(4) != true)
    }
}
