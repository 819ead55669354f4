import Playlists
import Songs
import Testing

struct QueueEditingTests {
    struct Removal: Sendable {
        var modes = QueueModes()
        var current: Int
        var range: Range<Int>
        var playback: QueuePlayback
        /// The current position afterwards.
        var left: Int?
    }

    @Test(arguments: [
        Removal(current: 1, range: 0..<1, playback: .unchanged, left: 0),
        Removal(current: 1, range: 2..<4, playback: .unchanged, left: 1),
        Removal(current: 1, range: 1..<2, playback: .play(id: 3), left: 1),
        Removal(current: 1, range: 0..<3, playback: .play(id: 4), left: 0),
        Removal(current: 4, range: 4..<5, playback: .stop),
        Removal(modes: QueueModes(repeats: true), current: 4, range: 3..<5, playback: .play(id: 1), left: 0),
        Removal(modes: QueueModes(single: .on), current: 1, range: 1..<2, playback: .play(id: 3), left: 1),
        Removal(modes: QueueModes(repeats: true, single: .on), current: 1, range: 1..<2, playback: .stop),
        Removal(modes: QueueModes(repeats: true), current: 1, range: 0..<5, playback: .stop),
    ])
    func `removing goes on with what would have followed`(removal: Removal) {
        var queue = queue(5)
        queue.setRepeat(removal.modes.repeats)
        queue.setSingle(removal.modes.single)
        _ = queue.play(position: removal.current)
        #expect(queue.delete(removal.range) == removal.playback)
        #expect(queue.current == removal.left)
        #expect(queue.isPlaying == (removal.playback != .stop))
    }

    @Test func `a paused song that is removed stops, and the next one is current`() {
        var queue = queue(3)
        queue.setPriority(2..<3, 5)
        _ = queue.play(position: 1)
        #expect(queue.delete(1..<2, isPaused: true) == .stop)
        #expect(queue.currentEntry?.id == 3)
        #expect(queue.currentEntry?.priority == 5)
        #expect(!queue.isPlaying)
        #expect(queue.play() == .play(id: 3))
        #expect(queue.delete(1..<2, isPaused: true) == .stop)
        #expect(queue.current == nil)
    }

    @Test func `a stopped song that is removed is current no more`() {
        var queue = queue(3)
        _ = queue.play(position: 1)
        queue.stop()
        #expect(queue.delete(1..<2) == .unchanged)
        #expect(queue.current == nil)
        #expect(queue.deleteAll() == .unchanged)
        _ = queue.append([song("x")])
        #expect(queue.ids == [4])
    }

    @Test func `what is known of an old version is what did not change`() {
        var queue = queue(4)
        func expect(_ changed: [Int], _ edit: (inout PlayQueue) -> Void) {
            let version = queue.version
            edit(&queue)
            #expect(queue.positions(changedSince: version) == changed)
        }
        expect([1, 2]) { _ = $0.delete(1..<2) }
        expect([0, 1, 2]) { $0.move(0..<1, to: 2) }
        expect([0, 2]) { $0.swap(0, 2) }
        expect([]) { $0.move(1..<1, to: 0) }
        expect([]) { $0.move(1..<3, to: 1) }
        expect([1, 2, 3, 4]) { _ = $0.insert([song("x"), song("y")], at: 1) }
        expect([0]) { $0.replaceSong(id: 1, with: song("a2")) }
        expect([]) { $0.setPriority(0..<5, 0) }
        expect([1, 2]) { $0.setPriority(1..<3, 7) }
        expect([]) { _ = $0.play(position: 4) }
        #expect(queue.uris == "a2xydc")
        #expect(queue.positions(changedSince: 0) == [0, 1, 2, 3, 4])
        #expect(queue.positions(changedSince: queue.version + 1) == [0, 1, 2, 3, 4])
        #expect(queue.positions(changedSince: queue.version + 1, in: 3..<9) == [3, 4])
        let version = queue.version
        _ = queue.deleteAll()
        #expect(queue.version > version)
    }

    @Test func `a move counts where the first is afterwards`() {
        for (range, place, expected) in [(3..<5, 0, "deabcf"), (0..<2, 4, "cdefab"), (1..<3, 2, "adbcef")] {
            var queue = queue(6)
            _ = queue.play(position: 3)
            queue.move(range, to: place)
            #expect(queue.uris == expected)
            #expect(queue.currentEntry?.song.uri == "d")
            #expect(queue.ids.map { queue.position(of: $0) } == Array(0..<6))
        }
    }

    @Test func `shuffling puts the song that plays first`() {
        var queue = queue(20)
        _ = queue.play(position: 7)
        queue.shuffle(2..<20)
        #expect(queue.current == 2)
        #expect(queue.ids.prefix(3) == [1, 2, 8])
        #expect(queue.ids != Array(1...20))
        #expect(queue.ids.sorted() == Array(1...20))
        queue.stop()
        queue.shuffle(0..<20)
        #expect(queue.current == nil)
    }

    @Test func `the duration is exact however often songs come and go`() {
        var queue = PlayQueue(seed: 1)
        let songs = [song("a", seconds: 0.1), song("b", seconds: 200.123), song("c"), song("d", seconds: 0)]
        for _ in 0..<1000 {
            queue.append(songs)
            _ = queue.delete(0..<2)
            _ = queue.delete(0..<2)
        }
        #expect(queue.totalDuration == 0)
        queue.append(songs)
        #expect(queue.totalDuration == 200.223)
        queue.replaceSong(id: queue[1].id, with: song("b", seconds: 1))
        #expect(queue.totalDuration == 1.1)
        _ = queue.deleteAll()
        #expect(queue.totalDuration == 0)
    }

    @Test func `ids come back as they were, and none is given twice`() {
        var queue = PlayQueue(seed: 1)
        queue.restore(
            [
                PlayQueue.Saved(id: 7, priority: 3, song: song("a")),
                PlayQueue.Saved(id: 7, song: song("b")),
                PlayQueue.Saved(id: 0, song: song("c")),
                PlayQueue.Saved(id: .max, song: song("d")),
            ],
            lastID: 20
        )
        #expect(queue.ids == [7, 21, 22, 23])
        #expect(queue[0].priority == 3)
        queue.select(position: 2)
        #expect(queue.current == 2)
        #expect(!queue.isPlaying)
        #expect(queue.play() == .play(id: 22))
        _ = queue.deleteAll()
        #expect(queue.append([song("x")]) == 24)
        #expect(queue.append([]) == nil)
    }

    @Test func `a copy keeps what it was`() {
        var queue = queue(3)
        let copy = queue
        _ = queue.delete(0..<1)
        queue.append([song("x")])
        #expect(copy.ids == [1, 2, 3])
        #expect(copy.position(of: 1) == 0)
        #expect(queue.ids == [2, 3, 4])
    }

    /// Who added what is known for each entry of a queue that comes back, and forgotten when the queue is empty.
    @Test func ownersComeBack() {
        var queue = PlayQueue(seed: 1)
        let owners = ["a", "b", nil, "a"]
        queue.restore(
            owners.enumerated().map { PlayQueue.Saved(id: UInt32($0 + 1), song: Song(uri: "\($0)"), owner: $1) }
        )
        #expect((0..<4).map { queue.owner(at: $0) } == owners)
        #expect(queue.count(ofOwner: "a") == 2 && queue.count(ofOwner: "b") == 1)
        _ = queue.delete(0..<4)
        queue.append([Song(uri: "x")])
        queue.setOwner("b", of: 0..<1)
        #expect(queue.owner(at: 0) == "b" && queue.count(ofOwner: "a") == 0)
    }
}
