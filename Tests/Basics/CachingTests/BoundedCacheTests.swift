import Caching
import Testing

/// Values that stay when there is no room for all, and those that go.
struct BoundedCacheTests {
    @Test func theLeastRecentlyUsedGoFirst() {
        var cache = BoundedCache<Int, String>(capacity: 100)
        for key in 0..<10 { cache.keep("\(key)", for: key, cost: 10) }
        #expect(cache.cost == 100 && cache.value(for: 0) == "0")
        cache.keep("10", for: 10, cost: 10)
        #expect((0...10).filter { cache.value(for: $0) != nil } == [0, 5, 6, 7, 8, 9, 10])
        #expect(cache.cost == 70)
    }

    @Test func aValueInPlaceOfItsFormerOneTakesNoMoreRoom() {
        var cache = BoundedCache<String, Int>(capacity: 10)
        cache.keep(1, for: "a", cost: 6)
        cache.keep(2, for: "a", cost: 4)
        #expect(cache.cost == 4 && cache.value(for: "a") == 2)
        cache.keep(3, for: "b", cost: 6)
        #expect(cache.cost == 10 && cache.value(for: "a") == 2 && cache.value(for: "b") == 3)
    }

    @Test func theLatestIsKeptHoweverLargeItIs() {
        var cache = BoundedCache<Int, Int>(capacity: 10)
        for key in 1...3 { cache.keep(key, for: key, cost: 1_000) }
        #expect((1...3).filter { cache.value(for: $0) != nil } == [3] && cache.cost == 1_000)
        cache.capacity = 0
        cache.keep(4, for: 4)
        #expect(cache.value(for: 3) == nil && cache.value(for: 4) == 4 && cache.cost == 1)
    }

    @Test func whatIsOutdatedIsRemoved() {
        var cache = BoundedCache<Int, Int>(capacity: 10)
        for key in 1...4 { cache.keep(key, for: key, cost: 2) }
        cache.removeAll { $0.isMultiple(of: 2) }
        #expect(cache.cost == 4 && cache.value(for: 2) == nil && cache.value(for: 3) == 3)
    }

    /// Each insertion costs some comparisons, also when nothing is used twice.
    @Test func itStaysSmall() {
        var cache = BoundedCache<Int, Int>(capacity: 1_000)
        for key in 0..<100_000 {
            cache.keep(key, for: key)
            if cache.cost > 1_000 { Issue.record("\(cache.cost) after \(key)") }
        }
        #expect(cache.value(for: 99_999) == 99_999 && cache.value(for: 98_000) == nil)
    }
}
