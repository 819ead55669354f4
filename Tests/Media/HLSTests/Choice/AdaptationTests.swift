import TestThreads
import Testing

@testable import HLS
@testable import Segments

@Suite(.blocking) struct AdaptationTests {
    private static let bandwidths = [64_000, 128_000, 320_000]

    /// Segments of 4 s at a throughput, until another step is wanted.
    private func run(
        _ adaptation: inout Adaptation,
        _ throughput: Double,
        seconds: Double = 0.5,
        count: Int
    ) -> [Int?] {
        (0..<count).map { _ in
            adaptation.received(.init(seconds: seconds, mediaDuration: 4, throughput: throughput))
        }
    }

    @Test(arguments: [
        (300_000.0, 1), (170_000, 1), (160_000, 1), (159_999, 0), (90_000, 0), (10_000, 0),
    ])
    func whatDoesNotKeepUpFallsToWhatDoes(throughput: Double, expected: Int) {
        var adaptation = Adaptation(bandwidths: Self.bandwidths, ceiling: 2, current: 2)
        #expect(run(&adaptation, throughput, seconds: 3.9, count: 1) == [expected])
        #expect(adaptation.current == expected)
    }

    @Test func whatKeepsUpStays() {
        var adaptation = Adaptation(bandwidths: Self.bandwidths, ceiling: 2, current: 2)
        #expect(run(&adaptation, 330_000, seconds: 3.7, count: 100).allSatisfy { $0 == nil })
        var lowest = Adaptation(bandwidths: Self.bandwidths, ceiling: 0, current: 0)
        #expect(run(&lowest, 1000, seconds: 40, count: 3) == [nil, nil, nil])
    }

    @Test func itRisesWhenAHigherOneWouldCome() {
        var adaptation = Adaptation(bandwidths: Self.bandwidths, ceiling: 2, current: 0)
        // 1.4 × 128 kbit/s.
        #expect(run(&adaptation, 179_000, count: 20).allSatisfy { $0 == nil })
        #expect(run(&adaptation, 180_000, count: 3) == [nil, nil, 1])
        #expect(run(&adaptation, 1e6, count: 3) == [nil, nil, 2])
        #expect(run(&adaptation, 1e9, count: 20).allSatisfy { $0 == nil })
    }

    @Test func itRisesNoFurtherThanItMay() {
        var adaptation = Adaptation(bandwidths: Self.bandwidths, ceiling: 1, current: 1)
        #expect(run(&adaptation, 1e9, count: 50).allSatisfy { $0 == nil })
    }

    @Test func aBadMomentBeginsTheWaitAnew() {
        var adaptation = Adaptation(bandwidths: Self.bandwidths, ceiling: 2, current: 0)
        _ = run(&adaptation, 1e6, count: 2)
        _ = run(&adaptation, 1e5, count: 1)
        #expect(run(&adaptation, 1e6, count: 3) == [nil, nil, 1])
    }

    @Test func whoFellAfterRisingWaitsLonger() {
        var adaptation = Adaptation(bandwidths: Self.bandwidths, ceiling: 2, current: 1)
        #expect(run(&adaptation, 1e6, count: 3).last == 2)
        #expect(run(&adaptation, 200_000, seconds: 5, count: 1) == [1])
        // 20 s now, and 40 s the next time.
        #expect(run(&adaptation, 1e6, count: 5) == [nil, nil, nil, nil, 2])
        #expect(run(&adaptation, 200_000, seconds: 5, count: 1) == [1])
        #expect(run(&adaptation, 1e6, count: 10).firstIndex(of: 2) == 9)
    }

    @Test func equalStepsAreNoRise() {
        var adaptation = Adaptation(bandwidths: [64_000, 64_000], ceiling: 1, current: 0)
        #expect(run(&adaptation, 1e9, count: 20).allSatisfy { $0 == nil })
    }
}
