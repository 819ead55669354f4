import AudioTypes
import Testing

@testable import DBus

struct BusBackoffTests {
    private let start = HostTime(nanoseconds: 0)

    @Test func waitsLongerAfterEachFailure() {
        var (backoff, now, delays) = (BusBackoff(), start, [Double]())
        #expect(backoff.isDue(at: now, hasNews: false))
        backoff.failed(at: now)
        while let next = backoff.next {
            #expect(!backoff.isDue(at: now, hasNews: true))
            #expect(backoff.isDue(at: next, hasNews: false))
            delays.append(next - now)
            now = next
            backoff.failed(at: now)
        }
        #expect(delays == [1, 4, 16, 64])
        // From then on it sleeps until there is something to tell.
        #expect(!backoff.isDue(at: now + 1_000, hasNews: false))
        #expect(!backoff.isDue(at: now + 63, hasNews: true))
        #expect(backoff.isDue(at: now + 64, hasNews: true))
    }

    @Test func beginsAgainAfterSuccess() {
        var backoff = BusBackoff()
        for second in 0..<5 { backoff.failed(at: start + Double(second)) }
        backoff.succeeded()
        #expect(backoff.isDue(at: start, hasNews: false))
    }
}
