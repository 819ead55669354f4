import Testing

@testable import Segments

@Suite struct FetchWidthTests {
    private func short(_ bytes: Int, seconds: Double = 1, needed: Double = 26_000) -> FetchWidth {
        var width = FetchWidth()
        width.record(buffered: 0, of: 60)
        width.measure(bytes: bytes, seconds: seconds, needed: needed)
        return width
    }

    @Test(arguments: [(26_000, 1), (25_999, 3), (16_000, 3), (13_000, 3), (12_999, 4), (100, 4), (0, 4), (1 << 40, 1)])
    func aConnectionThatCarriesLessThanIsPlayedHasOthersBesideIt(bytes: Int, count: Int) {
        #expect(short(bytes).count == count)
    }

    @Test func whatHasJustBegunSaysNothing() {
        #expect(short(100, seconds: 0.49).count == 1)
        #expect(short(100, seconds: 0.5).count == 4)
        #expect(short(100, needed: 0).count == 1)
        #expect(short(100, needed: .nan).count == 1)
        #expect(short(100, needed: .infinity).count == 4)
    }

    @Test func aBufferThatIsShortIsFilledToThreeQuarters() {
        var width = short(16_000)
        for (seconds, count) in [(29.0, 3), (44.9, 3), (45, 1), (31, 1), (30, 1), (29.9, 3)] {
            width.record(buffered: seconds, of: 60)
            #expect(width.count == count, "\(seconds) s")
        }
        // A connection that has become faster is alone.
        width.measure(bytes: 30_000, seconds: 1, needed: 26_000)
        #expect(width.count == 1)
    }
}
