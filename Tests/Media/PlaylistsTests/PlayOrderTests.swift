import Playlists
import Testing

struct PlayOrderTests {
    @Test func `a list is played as it stands`() {
        let order = PlayOrder(count: 3)
        #expect(order.indices == [0, 1, 2])
        #expect((0..<3).map { order.index(after: $0) } == [1, 2, nil])
        #expect((0..<3).map { order.index(after: $0, wrapping: true) } == [1, 2, 0])
        #expect((0..<3).map { order.index(before: $0) } == [nil, 0, 1])
        #expect((0..<3).map { order.index(before: $0, wrapping: true) } == [2, 0, 1])
        #expect(PlayOrder(count: 0).first == nil)
        #expect(PlayOrder(count: 1).index(after: 0, wrapping: true) == 0)
    }

    @Test func `a seed repeats an order, and the current entry leads it`() {
        var first = PlayOrder(count: 50)
        var second = first
        var (one, two) = (SeededGenerator(seed: 3), SeededGenerator(seed: 3))
        first.shuffle(keeping: 17, using: &one)
        second.shuffle(keeping: 17, using: &two)
        #expect(first == second)
        #expect(first.first == 17)
        #expect(first.isShuffled)
        #expect(first.indices != Array(0..<50))
        #expect(first.indices.sorted() == Array(0..<50))
        second.shuffle(keeping: 17, using: &two)
        #expect(first != second)
    }

    @Test func `all orders are equally likely`() {
        var generator = SeededGenerator(seed: 1)
        var counts: [[Int]: Int] = [:]
        for _ in 0..<6000 {
            var order = PlayOrder(count: 3)
            order.shuffle(keeping: nil, using: &generator)
            counts[order.indices, default: 0] += 1
        }
        #expect(counts.count == 6)
        #expect(counts.values.allSatisfy { (850...1150).contains($0) }, "\(counts)")
    }

    @Test func `new entries come up anywhere after the current one`() {
        var generator = SeededGenerator(seed: 5)
        var places: [Int: Int] = [:]
        for _ in 0..<3000 {
            var order = PlayOrder(count: 3)
            order.shuffle(keeping: 1, using: &generator)
            order.append(1, after: 1, using: &generator)
            #expect(order.first == 1)
            places[order.indices.firstIndex(of: 3) ?? -1, default: 0] += 1
        }
        #expect(Set(places.keys) == [1, 2, 3])
        #expect(places.values.allSatisfy { (850...1150).contains($0) }, "\(places)")
    }

    /// Random changes, held against a list of names that is changed in the same way.
    @Test(arguments: 0..<20 as Range<UInt64>) func `stays valid`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var order = PlayOrder(count: 4)
        var names = [0, 1, 2, 3]
        var nextName = 4
        for _ in 0..<200 {
            let before = order.indices.map { names[$0] }
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                order.append(2, after: order.first, using: &generator)
                names += [nextName, nextName + 1]
                nextName += 2
            case 1 where !names.isEmpty:
                let index = Int.random(in: 0..<names.count, using: &generator)
                let name = names.remove(at: index)
                order.remove(at: index)
                #expect(order.indices.map { names[$0] } == before.filter { $0 != name })
            case 2: order.shuffle(keeping: order.last, using: &generator)
            default: if seed.isMultiple(of: 2) { order = PlayOrder(count: names.count) }
            }
            #expect(order.count == names.count)
            #expect(order.indices.sorted() == Array(names.indices))
            var walked: [Int] = []
            var next = order.first
            while let index = next, walked.count < names.count {
                walked.append(index)
                if let following = order.index(after: index) { #expect(order.index(before: following) == index) }
                next = order.index(after: index)
            }
            #expect(walked == order.indices)
        }
    }
}
