import AudioTypes
import Playback
import TestSupport
import Testing

/// When what has come goes on, decided from figures alone.
struct BufferGateTests {
    /// Seconds of sound that have come after some seconds.
    struct Arrival: Sendable, CustomTestStringConvertible {
        var name: String
        var isLive = false
        var come: @Sendable (Double) -> Double
        var testDescription: String { name }
    }

    /// A player on a stream: it waits while the gate is closed, and plays until it has run dry.
    struct Run {
        var waits: [Range<Double>] = []
        var silence: Double { waits.reduce(0) { $0 + $1.upperBound - $1.lowerBound } }

        /// - Parameter lead: Seconds that the output takes before it plays anything.
        init(_ arrival: Arrival, seconds: Double, lead: Double, total: Double = .infinity) {
            let start = HostTime(nanoseconds: 1_000_000_000)
            let step = 0.01
            var gate = BufferGate()
            gate.close(lead: lead)
            var heard = 0.0
            var since = 0.0
            for tick in 0..<Int(seconds / step) {
                let time = Double(tick) * step
                let come = min(total, arrival.come(time))
                var supply = BufferGate.Supply(queued: come - heard)
                supply.isLive = arrival.isLive
                supply.isAll = come == total
                if case .wait = gate.look(supply, at: start + time) { continue }
                if since >= 0 { waits.append(since..<time) }
                since = -1
                heard += step
                guard heard > come else { continue }
                heard = come
                if come == total { return }
                gate.close(lead: lead, afterStall: true)
                since = time
            }
            if since >= 0 { waits.append(since..<seconds) }
        }
    }

    private static let slow = 2.0 / 3
    /// All at two thirds of the pace at which they are heard.
    static let slowArrivals = [
        Arrival(name: "evenly") { $0 * slow },
        // As nginx limits a rate: a second's bytes at once.
        Arrival(name: "by the second") { ($0.rounded(.down) + 1) * slow },
        Arrival(name: "by two seconds") { (($0 / 2).rounded(.down) + 1) * 2 * slow },
        Arrival(name: "with a burst at the beginning") { 4 + $0 * slow },
    ]

    @Test(arguments: slowArrivals, [0, 2.25])
    func slowStreamsWaitSeldom(_ arrival: Arrival, _ lead: Double) {
        let run = Run(arrival, seconds: 300, lead: lead)
        for (wait, next) in zip(run.waits.dropFirst(), run.waits.dropFirst(2)) {
            #expect(next.lowerBound - wait.lowerBound >= 15, "\(run.waits)")
            #expect(next.lowerBound - wait.upperBound >= 14, "\(run.waits)")
        }
        // No more than the network forces, but for what is left in the buffer.
        #expect(run.silence <= 300 * (1 - Self.slow) + 7)
    }

    @Test(arguments: [1.0 / 8, 1.0 / 3, 0.5, 0.8, 0.95], [0, 2.25])
    func waitsAreFarBetweenAtAnyRate(_ rate: Double, _ lead: Double) {
        let run = Run(Arrival(name: "evenly") { $0 * rate }, seconds: 600, lead: lead)
        for (wait, next) in zip(run.waits.dropFirst(), run.waits.dropFirst(2)) {
            #expect(next.lowerBound - wait.lowerBound >= 15, "\(run.waits)")
        }
        // A listener who gets little may still hear something twice a minute or so.
        #expect(run.waits.allSatisfy { $0.upperBound - $0.lowerBound < 17 / rate }, "\(run.waits)")
    }

    @Test(arguments: [1.05, 2, 20, 10_000], [0, 2.25])
    func fastStreamsAreNotHeldBack(_ rate: Double, _ lead: Double) {
        let run = Run(Arrival(name: "evenly") { $0 * rate }, seconds: 100, lead: lead)
        #expect(run.waits.count == 1)
        // What an output needs, and what it takes to see that the stream is fast.
        #expect(run.silence <= (max(lead, 1) + 0.2) / rate + 3.1)
        if rate >= 20 { #expect(run.silence <= 0.15) }
        if rate > 1_000 { #expect(run.silence < 0.015) }
    }

    @Test(arguments: [0, 2.25])
    func radioBeginsWithItsBurst(_ lead: Double) {
        let radio = Arrival(name: "radio", isLive: true) { 2.7 + $0 }
        #expect(Run(radio, seconds: 60, lead: lead).silence < 0.02)
    }

    /// One that sends nothing ahead of time is begun as soon as it is known to keep up.
    @Test func radioWithoutABurst() {
        let radio = Arrival(name: "radio", isLive: true) { $0 }
        let run = Run(radio, seconds: 60, lead: 0)
        #expect(run.waits.count == 1 && run.silence < 1.2)
    }

    @Test(arguments: [0, 2.25])
    func anOutageIsOneWait(_ lead: Double) {
        let arrival = Arrival(name: "with an outage") { time in
            time < 1 ? 20 * time : time < 50 ? 20 : 20 + 20 * (time - 50)
        }
        let run = Run(arrival, seconds: 120, lead: lead)
        #expect(run.waits.count == 2)
        #expect(run.waits.last.map { $0.upperBound < 50.3 } == true, "\(run.waits)")
    }

    /// How fast it comes after an outage, what was left before says nothing about.
    @Test func anOutageIsNoSlowness() {
        var gate = BufferGate()
        gate.close(lead: 2.25, afterStall: true)
        var now = HostTime(nanoseconds: 1_000_000_000)
        var left = BufferGate.Supply(queued: 1.5)
        left.isAway = true
        let away = now + 60
        while now < away {
            guard case .wait(let next) = gate.look(left, at: now) else { break }
            now = next
        }
        let back = now
        left.isAway = false
        while now - back < 30, case .wait(let next) = gate.look(left, at: now) {
            now = next
            left.queued = 1.5 + 20 * (now - back)
        }
        #expect(now - back < 0.3, "\(now - back) s")
    }

    @Test func whatIsAllThereIsPlayed() {
        let arrival = Arrival(name: "short") { min($0 * 0.1, 0.4) }
        let run = Run(arrival, seconds: 30, lead: 2.25, total: 0.4)
        #expect(run.waits.count == 1 && run.silence < 4.1)
    }

    @Test(arguments: [(0, 0.01, true), (0, 0, false), (2.25, 2.3, false), (2.25, 2.5, true)])
    func whoIsInAHurryHearsWhatTheOutputCanPlay(_ lead: Double, _ queued: Double, _ isOpen: Bool) {
        var gate = BufferGate()
        gate.close(lead: lead, afterStall: true)
        gate.hurry()
        _ = gate.look(BufferGate.Supply(queued: queued), at: .now)
        #expect(gate.isOpen == isOpen)
    }

    @Test func hurryHoldsUntilTheNextStall() {
        var gate = BufferGate()
        gate.close(lead: 0)
        gate.hurry()
        gate.close(lead: 0, afterStall: true)
        _ = gate.look(BufferGate.Supply(queued: 0.1), at: .now)
        #expect(!gate.isOpen)
    }

    /// Waiting is not looking all the time.
    @Test func looksBecomeRare() {
        var gate = BufferGate()
        gate.close(lead: 0)
        let start = HostTime(nanoseconds: 0)
        var now = start
        var count = 0
        while now - start < 60 {
            guard case .wait(let next) = gate.look(BufferGate.Supply(queued: 0.5), at: now) else { break }
            #expect(next > now)
            now = next
            count += 1
        }
        #expect(count < 300)
    }

    @Test(arguments: [
        (0.5, nil, false, false), (2, nil, false, true), (2, 0.5, false, false), (8, 0.5, false, true),
        (0.1, 0.5, true, true), (3, 2, false, true),
    ])
    func tellsWhatKeepsUp(_ queued: Double, _ rate: Double?, _ isAll: Bool, _ keepsUp: Bool) {
        var supply = BufferGate.Supply(queued: queued)
        supply.rate = rate
        supply.isAll = isAll
        #expect(BufferGate.keepsUp(supply) == keepsUp)
    }
}
