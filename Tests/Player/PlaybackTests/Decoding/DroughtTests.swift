import AudioTypes
import Testing

@testable import Playback

/// How the decode thread waits for data that has not arrived, decided from figures alone.
struct DroughtTests {
    private static let start = HostTime(nanoseconds: 1_000_000_000)

    /// An output that takes 2 s before it plays.
    private static func output(_ ahead: Double, isMoving: Bool = true, keepsTime: Bool = true) -> Drought.Output {
        Drought.Output(keepsTime: keepsTime, lead: 2, ahead: ahead, isMoving: isMoving)
    }

    /// What is decided when the first data is missing.
    @Test(
        arguments: [
            // Much is decoded: the network need not be watched.
            (10, true, false, .sleep(until: start + 7.25)),
            // Less, so the player is to know where it ends.
            (2.9, true, true, .sleep(until: start + 0.2)), (0.5, true, true, .sleep(until: start + 0.2)),
            (0.1, true, true, .awaitData(until: start + 0.101)), (0, true, true, .none),
            // An output that stands may only be slow to start.
            (10, false, true, .awaitData(until: start + 0.3)), (1, false, true, .awaitData(until: start + 0.3)),
        ] as [(Double, Bool, Bool, Drought.Wait)]
    )
    func playsOnWhatIsDecoded(_ ahead: Double, _ isMoving: Bool, _ marksEnd: Bool, _ wait: Drought.Wait) {
        var drought = Drought()
        let decision = drought.look(at: Self.output(ahead, isMoving: isMoving), isWanted: true, now: Self.start)
        #expect(decision == Drought.Decision(marksEnd: marksEnd, wait: wait))
        #expect(drought.isOn)
    }

    /// One that has too little to play waits until enough is buffered; one that has enough is only slow to start.
    @Test(arguments: [(1.0, true), (2.05, true), (2.5, false)])
    func anOutputThatStandsHasRunDry(_ ahead: Double, _ stands: Bool) {
        var drought = Drought()
        let output = Self.output(ahead, isMoving: false)
        for time in [0, 0.1, 0.29] {
            #expect(!drought.look(at: output, isWanted: true, now: Self.start + time).stands)
        }
        let decision = drought.look(at: output, isWanted: true, now: Self.start + 0.3)
        #expect(decision.stands == stands)
        if stands { #expect(decision.wait == .none) }
        // When it has moved, its patience begins again.
        _ = drought.look(at: Self.output(ahead), isWanted: true, now: Self.start + 0.4)
        #expect(!drought.look(at: output, isWanted: true, now: Self.start + 0.5).stands)
    }

    @Test func anOutputThatTakesAllAtOnceRunsDryWithTime() {
        var drought = Drought()
        let output = Self.output(0, keepsTime: false)
        let early = Drought.Decision(wait: .awaitData(until: Self.start + 0.3))
        #expect(drought.look(at: output, isWanted: true, now: Self.start) == early)
        #expect(drought.look(at: output, isWanted: true, now: Self.start + 0.2) == early)
        let late = Drought.Decision(marksEnd: true, wait: .awaitData(until: nil))
        #expect(drought.look(at: output, isWanted: true, now: Self.start + 0.4) == late)
        drought.end()
        #expect(!drought.isOn)
        #expect(!drought.look(at: output, isWanted: true, now: Self.start + 0.5).marksEnd)
    }

    @Test func aPausedPlayerWaitsForOrdersAlone() {
        var drought = Drought()
        let decision = drought.look(at: Self.output(0, isMoving: false), isWanted: false, now: Self.start)
        #expect(decision == Drought.Decision(wait: .sleep(until: nil)))
        #expect(!drought.isOn)
    }
}
