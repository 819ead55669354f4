import AudioTypes
import HTTP
import TestThreads
import Testing

@testable import HLS
@testable import Segments

@Suite(.blocking) struct SegmentHealingTests {
    private let start = HostTime(nanoseconds: 1_000_000_000_000)
    private static let missing = HTTPError(.status(404, "Not Found"))
    private static let broken = HTTPError(.status(502, "Bad Gateway"))
    private static let refused = HTTPError(.connecting(code: 111))

    /// Fails as often as it is tried; says what followed in the end and after how many seconds.
    private func run(
        _ healing: inout SegmentHealing,
        _ error: HTTPError,
        sequence: Int = 0,
        isNewest: Bool = false,
        from time: Double = 0,
        until limit: Double
    ) -> (decision: SegmentHealing.Decision, after: Double) {
        var now = start + time
        while true {
            healing.began(now: now)
            now = now + 0.001
            let decision = healing.failed(
                error,
                sequence: sequence,
                duration: 4,
                isNewest: isNewest,
                now: now,
                random: 0
            )
            guard case .retry(let next) = decision, next - start < limit else { return (decision, now - start) }
            now = max(next, now)
        }
    }

    @Test func whatIsMissingIsLeftOutSoon() {
        var healing = SegmentHealing(limit: nil, isLive: false)
        let (decision, after) = run(&healing, Self.missing, until: 100)
        #expect(decision == .skip)
        #expect(after >= 1 && after < 1.6)
        // The next is not waited for.
        let next = run(&healing, Self.missing, sequence: 1, from: 2, until: 100)
        #expect(next.decision == .skip)
        #expect(next.after < 2.1)
    }

    /// Several in a row are an outage, of which nothing is left out.
    @Test(arguments: [(nil, 600.0), (60, 60), (0, 0)] as [(Double?, Double)])
    func aRunOfMissingOnesIsWaitedFor(limit: Double?, patience: Double) {
        var healing = SegmentHealing(limit: limit, isLive: false)
        healing.succeeded()
        for sequence in 7...8 {
            #expect(run(&healing, Self.missing, sequence: sequence, until: 100).decision == .skip)
        }
        let third = run(&healing, Self.missing, sequence: 9, from: 2, until: 100)
        guard patience > 0 else {
            #expect(third.decision == .giveUp)
            return
        }
        guard case .goBack(to: 7, _) = third.decision else {
            Issue.record("\(third.decision)")
            return
        }
        let last = run(&healing, Self.missing, sequence: 7, from: 3, until: 1000)
        #expect(last.decision == .giveUp)
        #expect(abs(last.after - patience - 2) < 6, "\(last.after)")
        // What breaks meanwhile is no reason to leave it out.
        let broken = run(&healing, Self.broken, sequence: 7, from: 3, until: 20)
        #expect(broken.decision != .skip)
        healing.succeeded()
        #expect(run(&healing, Self.missing, sequence: 8, from: 2000, until: 3000).decision == .skip)
    }

    @Test func theNewestOfALiveStreamMayStillCome() {
        var healing = SegmentHealing(limit: nil, isLive: true)
        let (decision, after) = run(&healing, Self.missing, isNewest: true, until: 100)
        #expect(decision == .skip)
        #expect(after >= 4 && after < 4.6)
    }

    /// One segment after the other is missing: they are left out until the limit is reached.
    @Test(arguments: [(nil, nil), (5.0, 12.0), (60.0, 60.0)] as [(Double?, Double?)])
    func aLiveStreamOfNothing(limit: Double?, end: Double?) {
        var healing = SegmentHealing(limit: limit, isLive: true)
        for sequence in 0..<50 {
            let time = 4 * Double(sequence)
            let (decision, after) = run(&healing, Self.missing, sequence: sequence, from: time, until: 1000)
            guard decision == .skip else {
                #expect(decision == .giveUp)
                #expect(end.map { after >= $0 && after < $0 + 5 } == true, "\(after)")
                return
            }
        }
        #expect(end == nil)
    }

    @Test func whatBreaksIsLeftOutAfterItsOwnLength() {
        for isLive in [false, true] {
            var healing = SegmentHealing(limit: nil, isLive: isLive)
            let (decision, after) = run(&healing, Self.broken, until: 100)
            #expect(decision == .skip)
            #expect(after >= 4 && after < 9)
            // The next one comes, so it was the segment.
            healing.moved()
            healing.succeeded()
            #expect(run(&healing, Self.broken, sequence: 5, from: 20, until: 100).decision == .skip)
        }
    }

    @Test func whereEverythingBreaksNothingIsLeftOut() {
        var healing = SegmentHealing(limit: nil, isLive: false)
        #expect(run(&healing, Self.broken, until: 100).decision == .skip)
        healing.moved()
        let (decision, after) = run(&healing, Self.broken, sequence: 1, from: 10, until: 100)
        guard case .goBack(to: 0, let time) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(after < 10.1)
        #expect(time - start < 16)
        // Then it is waited for, as long as the policy says.
        let last = run(&healing, Self.broken, from: 16, until: 1000)
        #expect(last.decision == .giveUp)
        #expect(last.after >= 599)
        healing.succeeded()
        #expect(run(&healing, Self.broken, from: 2000, until: 3000).decision == .skip)
    }

    @Test(arguments: [false, true])
    func aServerThatIsAwayIsWaitedFor(isLive: Bool) {
        var healing = SegmentHealing(limit: nil, isLive: isLive)
        let (decision, after) = run(&healing, Self.refused, until: 700)
        if isLive {
            guard case .retry = decision else {
                Issue.record("\(decision)")
                return
            }
        } else {
            #expect(decision == .giveUp)
            #expect(after >= 599)
        }
    }

    @Test func anOutageDoesNotCountAgainstTheSegment() {
        var healing = SegmentHealing(limit: nil, isLive: false)
        _ = run(&healing, HTTPError(.closedEarly), until: 0)
        _ = run(&healing, Self.refused, from: 1, until: 30)
        // nginx is back before what is behind it.
        guard case .retry = run(&healing, Self.broken, from: 30, until: 31).decision else {
            Issue.record("it was left out")
            return
        }
    }

    @Test func whatNeverHealsIsGivenUp() {
        var healing = SegmentHealing(limit: nil, isLive: true)
        let error = HTTPError(.certificate("its certificate has expired"))
        #expect(run(&healing, error, until: 100).decision == .giveUp)
    }
}
