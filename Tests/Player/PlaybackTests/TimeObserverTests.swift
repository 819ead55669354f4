import AudioTypes
import Playback
import TestSupport
import Testing

/// When observers of the time are told.
struct TimeObserverTests {
    @Test func periodTicksAtItsMultiples() {
        var observer = TimeObserver(.periodic(0.5), at: 0.2)
        #expect(observer.next == 0.5)
        #expect(observer.play(to: 0.4) == [])
        #expect(observer.play(to: 0.51) == [0.5])
        #expect(observer.next == 1)
        // Of several that come late, the newest will do.
        #expect(observer.play(to: 2.2) == [2])
        #expect(observer.next == 2.5)
    }

    @Test func aTickThatComesEarlyIsNotGivenTwice() {
        var observer = TimeObserver(.periodic(1), at: 0)
        #expect(observer.play(to: 1) == [1])
        #expect(observer.jump(to: 0.9995) == [0.9995])
        #expect(observer.next == 2)
    }

    @Test func periodTicksAtJumps() {
        var observer = TimeObserver(.periodic(1), at: 5.5)
        #expect(observer.jump(to: 2.25) == [2.25])
        #expect(observer.next == 3)
        #expect(observer.record(2.5) == [2.5])
    }

    @Test func boundariesTickWhenPlayedPast() {
        var observer = TimeObserver(.boundary([1, 2, 3]), at: 0)
        #expect(observer.play(to: 0.9) == [])
        #expect(observer.play(to: 2) == [1, 2])
        #expect(observer.play(to: 2.9) == [])
        #expect(observer.next == 3)
        #expect(observer.play(to: 9) == [3])
        #expect(observer.next == nil)
    }

    @Test func boundariesDoNotTickWhenJumpedOver() {
        var observer = TimeObserver(.boundary([1, 2, 3]), at: 0)
        #expect(observer.jump(to: 2.5) == [])
        #expect(observer.record(2.5) == [])
        #expect(observer.play(to: 2.6) == [])
        #expect(observer.jump(to: 0.5) == [])
        #expect(observer.play(to: 1.5) == [1])
    }

    /// However finely time is cut, each boundary ticks once per passage, and a period as often as it fits.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func missesNothing(_ seed: UInt64) {
        var generator = SplitMix(state: seed)
        let times = (0..<20).map { _ in MediaTime(seconds: Double.random(in: 0...10, using: &generator)) }.sorted()
        var boundary = TimeObserver(.boundary(times), at: 0)
        var periodic = TimeObserver(.periodic(0.25), at: 0)
        var ticks: [MediaTime] = []
        var periods: [MediaTime] = []
        var time = 0.0
        while time < 10 {
            time += Double.random(in: 0...0.2, using: &generator)
            ticks += boundary.play(to: MediaTime(seconds: time))
            periods += periodic.play(to: MediaTime(seconds: time))
        }
        #expect(ticks == times)
        // Steps are shorter than a period; one that ends a hair early takes the next tick along.
        #expect(zip(periods, periods.dropFirst()).allSatisfy { $0 < $1 })
        #expect(periods.allSatisfy { ($0.seconds * 4).rounded() == $0.seconds * 4 })
        #expect(periods.count >= 38)
    }
}
