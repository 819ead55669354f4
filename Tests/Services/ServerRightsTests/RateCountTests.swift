import Testing

@testable import ServerRights

struct RateCountTests {
    /// Counts go by within their time, and clients have their own.
    @Test func rates() {
        var counts = RateCounts(span: 60)
        counts.add(2, of: "a", at: 100.2)
        counts.add(1, of: "a", at: 130)
        #expect(counts.count(of: "a", at: 130) == 3 && counts.count(of: "b", at: 130) == 0)
        #expect(counts.count(of: "a", at: 159.9) == 3)
        #expect(counts.count(of: "a", at: 160.1) == 1)
        #expect(counts.wait(until: 3, of: "a", at: 130) == 30 && counts.wait(until: 1, of: "a", at: 130) == 60)
        #expect(counts.wait(until: 4, of: "a", at: 130) == 0 && counts.wait(until: 1, of: "b", at: 130) == 0)
        #expect(counts.count(of: "a", at: 200) == 0)
    }
}
