import AudioTypes
import Synchronization
import Testing
import Threads

struct DoorbellTests {
    @Test func aRingIsRememberedOnce() {
        let bell = Doorbell()
        bell.ring()
        bell.ring()
        bell.wait()
        let start = HostTime.now
        bell.wait(until: start + 0.05)
        #expect(HostTime.now - start >= 0.049)
    }

    @Test func aDeadlineInThePastDoesNotWait() {
        let bell = Doorbell()
        let start = HostTime.now
        bell.wait(until: start + -10)
        #expect(HostTime.now - start < 5)
    }

    /// Two threads hand a number to and fro; a lost ring would stop them.
    @Test func noRingIsLost() async {
        let (there, back) = (Doorbell(), Doorbell())
        let box = Box()
        await withCheckedContinuation { done in
            WorkThread.startWhenPossible(named: "bell-there") {
                for _ in 0..<20_000 {
                    there.wait()
                    box.number.add(1, ordering: .relaxed)
                    back.ring()
                }
            }
            WorkThread.startWhenPossible(named: "bell-back") {
                for _ in 0..<20_000 {
                    there.ring()
                    back.wait()
                }
                done.resume()
            }
        }
        #expect(box.number.load(ordering: .relaxed) == 20_000)
    }

    private final class Box: Sendable {
        let number = Atomic(0)
    }
}
