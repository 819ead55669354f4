import AudioTypes
import Glibc
import TestSupport
import Testing
import Threads

struct WallClockTimerTests {
    private let rings = Watched(0)

    /// Seconds since 1970; time(2) may be some milliseconds behind.
    private static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec)
    }

    private func make() throws -> WallClockTimer {
        let timer = WallClockTimer { [rings] in rings.withLock { $0 += 1 } }
        return try #require(timer)
    }

    @Test func itRingsAtItsMomentOnce() async throws {
        let timer = try make()
        let now = Self.now
        timer.set(now + 2)
        #expect(await rings.wait(within: .patience) { $0 == 1 })
        #expect(Self.now >= now + 2)
        // A moment that has passed comes at once; one that is taken back does not come.
        timer.set(now + 1_000)
        timer.set(now - 1_000)
        #expect(await rings.wait(within: .patience) { $0 == 2 })
        timer.set(nil)
        timer.close()
        #expect(rings.current == 2)
    }
}
