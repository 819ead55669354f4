import AudioTypes
import Testing

@testable import Zones

struct SleepFadeTests {
    /// The fade goes on evenly in dB; while others duck the zone it stays where it is.
    @Test func aDuckHoldsTheFade() {
        let start = HostTime.now
        let fade = SleepFade(start: start, seconds: 60)
        #expect(fade.applied(to: 0, over: 0.2, now: start) == (-60, 60))
        #expect(fade.applied(to: 0, over: 0.2, now: start + 45) == (-60, 15))
        let (gain, ramp) = fade.applied(to: -20, over: 0.2, now: start + 30)
        #expect(abs(gain + 50) < 0.001 && ramp == 0.2)
        #expect(fade.applied(to: 0, over: 0.2, now: start + 90) == (-60, 0))
    }
}
