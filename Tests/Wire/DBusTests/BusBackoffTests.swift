import AudioTypes
import Testing

@testable import DBus

struct BusBackoffTests {
    private let start = HostTime(nanoseconds: 0)

    /// Where there is no bus, nothing wakes the process.
    @Test func aBusThatNeverWas() {
        var backoff = BusBackoff()
        #expect(backoff.isDue(at: start, hasNews: false))
        var now = start
        for delay in [1.0, 4, 16, 64, 64] {
            backoff.failed(at: now)
            #expect(backoff.next == nil)
            #expect(!backoff.isDue(at: now + 1_000, hasNews: false))
            #expect(!backoff.isDue(at: now + (delay - 0.1), hasNews: true))
            #expect(backoff.isDue(at: now + delay, hasNews: true))
            now = now + delay
        }
    }

    @Test func aBusThatWasThere() {
        var (backoff, now, delays) = (BusBackoff(), start, [Double]())
        backoff.failed(at: now)
        backoff.succeeded()
        backoff.failed(at: now)
        while let next = backoff.next {
            #expect(!backoff.isDue(at: now, hasNews: true))
            #expect(backoff.isDue(at: next, hasNews: false))
            delays.append(next - now)
            now = next
            backoff.failed(at: now)
        }
        #expect(delays == [1, 4, 16, 64])
        #expect(backoff.isDue(at: now + 64, hasNews: true))
    }
}
