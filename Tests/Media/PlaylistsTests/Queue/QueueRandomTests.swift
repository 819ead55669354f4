import Playlists
import Testing

struct QueueRandomTests {
    private func random(_ count: Int, seed: UInt64 = 1) -> PlayQueue {
        var queue = queue(count, seed: seed)
        queue.setRandom(true)
        return queue
    }

    @Test func `every song plays once, and a seed repeats the order`() {
        let queue = random(26)
        #expect(queue.ahead.sorted() == Array(1...26))
        #expect(queue.ahead != Array(1...26))
        #expect(queue.ahead == random(26).ahead)
        #expect(queue.ahead != random(26, seed: 2).ahead)
    }

    @Test func `the song that plays leads the order; when none does, none is current`() {
        var queue = queue(10)
        _ = queue.play(position: 4)
        var stopped = queue
        queue.setRandom(true)
        #expect(queue.current == 4)
        #expect(queue.behind == [])
        #expect(queue.ahead.count == 10)
        stopped.stop()
        stopped.setRandom(true)
        #expect(stopped.current == nil)
        queue.setRandom(false)
        #expect(queue.current == 4)
        #expect(queue.ahead == [5, 6, 7, 8, 9, 10])
    }

    @Test func `each round has an order of its own, known in advance, and no song comes twice in a row`() {
        var queue = random(5)
        queue.setRepeat(true)
        _ = queue.play()
        var rounds: [[UInt32]] = []
        for _ in 0..<200 {
            var round: [UInt32] = []
            for _ in 0..<5 {
                let id = queue.currentEntry?.id ?? 0
                let predicted = queue.nextPosition().map { queue[$0].id } ?? 0
                #expect(predicted != id)
                round.append(id)
                #expect(queue.songEnded() == QueueStep(playback: .play(id: predicted)))
            }
            #expect(round.sorted() == [1, 2, 3, 4, 5])
            rounds.append(round)
        }
        #expect(Set(rounds).count > 80)
    }

    @Test func `previous goes back the way it came, also after a song was chosen`() {
        var queue = random(10)
        _ = queue.play()
        var way = [queue.currentEntry?.id ?? 0]
        for _ in 0..<3 {
            _ = queue.next()
            way.append(queue.currentEntry?.id ?? 0)
        }
        let follower = queue.ahead[1]
        let chosen = queue.ahead[4]
        #expect(queue.play(id: chosen) == .play(id: chosen))
        #expect(queue.ahead[1] == follower)
        #expect(queue.behind == Array(way.reversed()))
        #expect(queue.play(id: way[1]) == .play(id: way[1]))
        #expect(queue.behind == [chosen, way[3], way[2], way[0]])
        #expect(queue.ahead.count + queue.behind.count == 10)
    }

    @Test func `stopping shuffles again, and all others come after the song`() {
        var queue = random(10)
        _ = queue.play()
        for _ in 0..<5 { _ = queue.next() }
        let id = queue.currentEntry?.id ?? 0
        queue.stop()
        #expect(queue.currentEntry?.id == id)
        #expect(queue.play() == .play(id: id))
        #expect(queue.ahead.count == 10)
        queue.stop()
        #expect(queue.play(position: 3) == .play(id: 4))
        #expect(queue.ahead.count == 10)
    }

    @Test func `new songs come up anywhere after the one that follows`() {
        var places: [Int: Int] = [:]
        for seed in 0..<3000 as Range<UInt64> {
            var queue = random(4, seed: seed)
            _ = queue.play()
            let following = queue.ahead[1]
            queue.insert([song("x")], at: 0)
            #expect(queue.ahead[1] == following)
            places[queue.ahead.firstIndex(of: 5) ?? -1, default: 0] += 1
        }
        #expect(Set(places.keys) == [2, 3, 4])
        #expect(places.values.allSatisfy { (850...1150).contains($0) }, "\(places)")
    }

    @Test func `all orders are equally likely`() {
        var counts: [[UInt32]: Int] = [:]
        for seed in 0..<6000 as Range<UInt64> { counts[random(3, seed: seed).ahead, default: 0] += 1 }
        #expect(counts.count == 6)
        #expect(counts.values.allSatisfy { (850...1150).contains($0) }, "\(counts)")
    }

    @Test func `higher priorities come first`() {
        var queue = random(20)
        _ = queue.play()
        let first = queue.currentEntry?.id ?? 0
        let rest = queue.ahead.dropFirst().sorted()
        for id in rest.prefix(4) { queue.setPriority(id: id, 5) }
        queue.setPriority(id: rest[6], 9)
        queue.setPriority(id: first, 200)
        #expect(queue.currentEntry?.id == first)
        #expect(queue.ahead[1] == rest[6])
        #expect(queue.ahead[2..<6].sorted() == Array(rest.prefix(4)))
        queue.append([song("x")])
        #expect(queue.ahead[2..<6].sorted() == Array(rest.prefix(4)))
        queue.setPriority(id: rest[0], 0)
        #expect(queue.ahead[2..<5].sorted() == Array(rest[1..<4]))
        #expect(queue.ahead.count == 21)
    }

    @Test func `a song raised above the current one is queued again`() {
        var queue = random(6)
        _ = queue.play()
        let first = queue.currentEntry?.id ?? 0
        _ = queue.next()
        let second = queue.currentEntry?.id ?? 0
        _ = queue.next()
        queue.setPriority(id: queue.currentEntry?.id ?? 0, 7)
        queue.setPriority(id: first, 7)
        #expect(queue.behind == [second, first])
        queue.setPriority(id: first, 6)
        #expect(queue.behind == [second, first])
        queue.setPriority(id: first, 8)
        #expect(queue.behind == [second])
        #expect(queue.ahead[1] == first)
    }

    @Test func `many priorities at once`() {
        var queue = random(20)
        _ = queue.play()
        _ = queue.next()
        let (first, second) = (queue.behind[0], queue.currentEntry?.id ?? 0)
        queue.setPriority(0..<20, 3)
        // The current one has it too, so what was played is not queued again.
        #expect(queue.behind == [first])
        queue.setPriority(id: second, 0)
        queue.setPriority(0..<20, 4)
        #expect(queue.behind == [first])
        _ = queue.next()
        queue.setPriority(0..<19, 9)
        #expect(queue.ahead.count + queue.behind.count == 20)
    }

    @Test func `consume in random plays all and leaves none`() {
        for repeats in [false, true] {
            var queue = random(8)
            queue.setConsume(.on)
            queue.setRepeat(repeats)
            _ = queue.play()
            var played: [UInt32] = []
            while let id = queue.currentEntry?.id {
                played.append(id)
                #expect(queue.songEnded().consumed == id)
            }
            #expect(played.sorted() == Array(1...8))
            #expect(queue.isEmpty)
        }
    }
}
