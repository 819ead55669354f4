import AudioTypes
import Settings
import Testing

@testable import ServerRights

/// How long those wait who guess passwords.
@Suite struct PasswordThrottleTests {
    private let guesser = ClientPlace.network([192, 0, 2, 1])

    @Test func theDelayGrowsAndOthersDoNotWait() {
        var throttle = PasswordThrottle()
        var now = 0.0
        var waits: [Double] = []
        for _ in 0..<8 {
            let wait = throttle.begin(guesser, at: now) ?? -1
            waits.append(wait)
            now += wait
        }
        #expect(waits == [0, 0.5, 1, 2, 4, 8, 16, 16])
        #expect(throttle.begin(.network([192, 0, 2, 2]), at: now) == 0)
        #expect(throttle.begin(.user(0), at: now) == 0)
    }

    /// Many connections of one address gain nothing: their attempts come one after another, and soon none is let wait.
    @Test func attemptsAtTheSameTimeAddUp() {
        var throttle = PasswordThrottle()
        let waits = (0..<1_000).map { _ in throttle.begin(guesser, at: 5) }
        #expect(waits.prefix(7) == [0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5])
        #expect(waits.dropFirst(7).allSatisfy { $0 == nil })
        // That does not make it worse for later.
        #expect(throttle.begin(guesser, at: 25) != nil)
    }

    @Test func timeEndsIt() {
        var throttle = PasswordThrottle()
        for _ in 0..<4 { _ = throttle.begin(guesser, at: 0) }
        #expect(throttle.begin(guesser, at: 1_000) == 0)
    }

    /// A client with a password of its own gains nothing by it for guesses at another's.
    @Test func rightPasswordsForgiveNoWrongOnes() {
        var throttle = PasswordThrottle()
        var now = 0.0
        for _ in 0..<5 {
            now += throttle.begin(guesser, at: now) ?? -1
            throttle.succeed(guesser)
            now += throttle.begin(guesser, at: now) ?? -1
        }
        #expect(now == 7.5)
        // Without wrong ones there is no wait, and nothing is remembered.
        var other = PasswordThrottle()
        for _ in 0..<5 {
            #expect(other.begin(guesser, at: 0) == 0)
            other.succeed(guesser)
        }
        #expect(other.count == 0)
    }

    @Test func reportsAreFew() {
        var throttle = PasswordThrottle()
        var reports: [Int] = []
        for second in 0..<100 {
            _ = throttle.begin(guesser, at: Double(second))
            if let count = throttle.fail(guesser, at: Double(second)) { reports.append(count) }
        }
        #expect(reports == [1, 60])
    }

    @Test func theTableIsBounded() throws {
        var throttle = PasswordThrottle()
        for number in 0..<100_000 {
            #expect(throttle.begin(.user(UInt32(number)), at: Double(number) / 1_000) == 0)
        }
        #expect(throttle.count == PasswordThrottle.capacity)
        // One network is one guesser, however many addresses it has.
        let listener = Listener(.tcp(host: nil, port: 1))
        let ends = try ["2001:db8::1", "2001:db8::ffff:2"].map { text in
            ClientPlace(Principal(try #require(IPAddress(text)), server: nil, at: listener))
        }
        #expect(ends[0] == ends[1])
    }
}
