import AudioTypes
import Playback
import TestSupport
import Testing

/// The items in the order of play.
struct PlayerQueueTests {
    /// Five items, of which those at `failed` cannot be played.
    private static func queue(_ count: Int = 5, failed: Set<Int> = []) -> PlayerQueue {
        var queue = PlayerQueue()
        let ids = queue.append((0..<count).map { MediaEntry(location: "\($0)") })
        for index in failed { queue.update(ids[index]) { $0.status = .failed("bad") } }
        return queue
    }

    struct Step: Sendable {
        var from: Int?
        var failed: Set<Int> = []
        var wraps = false
        var to: Int?
    }

    @Test(arguments: [
        Step(from: nil, to: 0), Step(from: 0, to: 1), Step(from: 4, to: nil), Step(from: 4, wraps: true, to: 0),
        Step(from: nil, failed: [0, 1], to: 2), Step(from: 1, failed: [2, 3], to: 4),
        Step(from: 3, failed: [4], to: nil),
        Step(from: 3, failed: [4, 0], wraps: true, to: 1), Step(from: 2, failed: [0, 1, 3, 4], wraps: true, to: 2),
        Step(from: 2, failed: [0, 1, 2, 3, 4], wraps: true, to: nil),
        Step(from: nil, failed: [0, 1, 2, 3, 4], to: nil),
        Step(from: nil, failed: [0, 1, 2, 3, 4], wraps: true, to: nil),
    ])
    func goesOn(_ step: Step) {
        #expect(Self.queue(failed: step.failed).index(after: step.from, wraps: step.wraps) == step.to)
    }

    @Test(arguments: [
        Step(from: 1, to: 0), Step(from: 0, to: nil), Step(from: 0, wraps: true, to: 4), Step(from: 5, to: 4),
        Step(from: 3, failed: [1, 2], to: 0), Step(from: 1, failed: [0], to: nil),
        Step(from: 1, failed: [0, 4], wraps: true, to: 3), Step(from: 2, failed: [0, 1, 3, 4], wraps: true, to: 2),
    ])
    func goesBack(_ step: Step) {
        #expect(Self.queue(failed: step.failed).index(before: step.from ?? 0, wraps: step.wraps) == step.to)
    }

    @Test func emptyQueueGoesNowhere() {
        let queue = PlayerQueue()
        #expect(queue.index(after: nil, wraps: true) == nil)
        #expect(queue.index(before: 0, wraps: true) == nil)
        #expect(queue.current == nil)
    }

    @Test func numbersAreNeverUsedAgain() {
        var queue = Self.queue(2)
        queue.removeAll()
        let ids = queue.append([MediaEntry(location: "new")])
        #expect(ids.map(\.number) == [3])
        #expect(queue.currentIndex == nil)
    }

    @Test func selectsOnlyWhatIsThere() {
        var queue = Self.queue(2)
        queue.select(1)
        #expect(queue.current?.entry.location == "1")
        queue.select(2)
        #expect(queue.current == nil)
        queue.select(-1)
        #expect(queue.current == nil)
    }

    @Test func updatesOneItem() {
        var queue = Self.queue(3)
        let id = queue.items[1].id
        queue.update(id) { $0.status = .readyToPlay }
        queue.update(.init(number: 99)) { $0.status = .failed("nobody") }
        #expect(queue.items.map(\.status) == [.unknown, .readyToPlay, .unknown])
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func shufflesWhatIsToCome(_ seed: UInt64) {
        var generator = SplitMix(state: seed)
        var queue = Self.queue(20)
        let before = queue.items
        let current = [nil, 0, 7, 19].randomElement(using: &generator) ?? nil
        queue.select(current)
        queue.shuffle(using: &generator)
        let kept = current.map { $0 + 1 } ?? 0
        #expect(queue.items.prefix(kept) == before.prefix(kept))
        #expect(Set(queue.items) == Set(before))
        #expect(queue.currentIndex == current)
        #expect(queue.isShuffled)
        if kept < 15 { #expect(queue.items != before) }
    }
}
