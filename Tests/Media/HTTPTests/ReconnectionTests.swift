import AudioTypes
import HTTP
import TestThreads
import Testing

@Suite(.blocking) struct ReconnectionTests {
    private static let refused = HTTPError(.connecting(code: 111))
    private static let watched = {
        var error = refused
        error.isWatched = true
        return error
    }()

    /// The pauses between attempts that all fail with `error`, each of them after `elapsed` seconds.
    private func pauses(
        _ error: HTTPError,
        isLive: Bool = false,
        elapsed: Double,
        random: Double = 0,
        count: Int = 12
    ) -> [Double] {
        var reconnection = Reconnection(limit: .infinity)
        var now = HostTime(nanoseconds: 0)
        var pauses: [Double] = []
        for _ in 0..<count {
            reconnection.began(now: now)
            now = now + elapsed
            let decision = reconnection.failed(error, isLive: isLive, now: now, random: random)
            guard case .retry(let time) = decision else { break }
            pauses.append(((time - now) * 1000).rounded() / 1000)
            now = time
        }
        return pauses
    }

    @Test(
        arguments: [
            ("refused by a near host", refused, false, 0.001, [0.1, 0.2, 0.4, 0.8, 0.8, 0.8]),
            ("refused, and watched", watched, true, 0.001, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]),
            ("refused by a far one", refused, false, 0.2, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]),
            ("without a name server", HTTPError(.resolving), false, 3, [0.1, 0.2, 0.4, 0.8, 1.6, 2, 2]),
            ("with an error", HTTPError(.status(500, "")), false, 0.001, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]),
            ("with an error, live", HTTPError(.status(500, "")), true, 0.001, [0.1, 0.2, 0.4, 0.8, 1.5, 1.5]),
            ("silent", HTTPError(.silent), false, 10, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]),
            ("wants to be left alone", HTTPError(.status(503, ""), retryAfter: 7), false, 0.001, [7, 7, 7]),
        ] as [(String, HTTPError, Bool, Double, [Double])]
    )
    func pausesDouble(what: String, error: HTTPError, isLive: Bool, elapsed: Double, expected: [Double]) {
        let pauses = pauses(error, isLive: isLive, elapsed: elapsed, count: expected.count)
        #expect(pauses == expected, "\(what)")
    }

    @Test func chanceTakesUpToAHalfAway() {
        #expect(pauses(Self.refused, elapsed: 0.001, random: 1, count: 5) == [0.05, 0.1, 0.2, 0.4, 0.4])
    }

    @Test func whatCameStartsItAnew() {
        var reconnection = Reconnection(limit: nil)
        let start = HostTime(nanoseconds: 0)
        for _ in 0..<8 { _ = reconnection.failed(Self.refused, isLive: false, now: start, random: 0) }
        #expect(reconnection.attempt == 8)
        #expect(reconnection.since == start)
        reconnection.succeeded()
        #expect(reconnection.attempt == 0)
        #expect(reconnection.since == nil)
        let later = start + 3600
        let decision = reconnection.failed(Self.refused, isLive: false, now: later, random: 0)
        #expect(decision == .retry(at: later + 0.1))
    }

    @Test(
        arguments: [
            (nil, false, 599.0, true), (nil, false, 600.0, false), (nil, true, 1e6, true), (20.0, false, 19.9, true),
            (20.0, false, 20.0, false), (20.0, true, 20.0, false), (.infinity, false, 1e6, true),
            (0.0, false, 0.0, false),
        ] as [(Double?, Bool, Double, Bool)]
    )
    func itEndsWithTheLimit(limit: Double?, isLive: Bool, seconds: Double, goesOn: Bool) {
        var reconnection = Reconnection(limit: limit)
        let start = HostTime(nanoseconds: 0)
        _ = reconnection.failed(Self.refused, isLive: isLive, now: start, random: 0)
        let decision = reconnection.failed(Self.refused, isLive: isLive, now: start + seconds, random: 0)
        #expect((decision != .giveUp) == goesOn)
    }

    /// The last attempt is made when the limit is reached, not before.
    @Test func theLastPauseIsShortened() {
        var reconnection = Reconnection(limit: 0.25)
        let start = HostTime(nanoseconds: 0)
        _ = reconnection.failed(Self.refused, isLive: false, now: start, random: 0)
        let decision = reconnection.failed(Self.refused, isLive: false, now: start + 0.1, random: 0)
        #expect(decision == .retry(at: start + 0.25))
    }

    @Test func aServerThatWantsLongerThanTheLimitIsGivenUp() {
        var reconnection = Reconnection(limit: 10)
        let error = HTTPError(.status(503, ""), retryAfter: 60)
        let decision = reconnection.failed(error, isLive: false, now: HostTime(nanoseconds: 0), random: 0)
        #expect(decision == .giveUp)
    }

    @Test(
        arguments: [
            (.status(404, ""), false, false, false), (.status(404, ""), true, false, false),
            (.status(404, ""), true, true, true), (.status(403, ""), true, true, true),
            (.status(401, ""), true, true, false), (.status(408, ""), false, false, true),
            (.status(425, ""), false, false, true), (.status(429, ""), false, false, true),
            (.status(500, ""), false, false, true), (.status(501, ""), false, false, false),
            (.status(503, ""), false, false, true), (.certificate("x"), true, true, false), (.tls, false, false, true),
            (.changed, false, true, false), (.redirects, false, false, false), (.slow, false, false, false),
            (.slow, false, true, true), (.tooLarge, false, true, false), (.closedEarly, false, false, true),
            (.reset(code: 104), false, false, true), (.unanswered, false, false, true),
        ] as [(HTTPError.Kind, Bool, Bool, Bool)]
    )
    func someErrorsAreFinal(kind: HTTPError.Kind, isLive: Bool, hasPlayed: Bool, goesOn: Bool) {
        var reconnection = Reconnection(limit: nil)
        if hasPlayed { reconnection.succeeded() }
        let now = HostTime(nanoseconds: 0)
        let decision = reconnection.failed(HTTPError(kind), isLive: isLive, now: now, random: 0)
        #expect((decision != .giveUp) == goesOn)
    }

    // MARK: The first contact

    private static let unknown = {
        var error = HTTPError(.resolving)
        error.isUnknownHost = true
        return error
    }()
    private static let offline = {
        var error = HTTPError(.resolving)
        error.isOffline = true
        return error
    }()

    /// What is decided when attempts of an address that has never answered fail, each after some seconds.
    private func decisions(
        _ errors: [HTTPError],
        each seconds: Double,
        limit: Double? = nil,
        within contact: Double? = nil
    ) -> [Reconnection.Decision] {
        var reconnection = Reconnection(limit: limit, firstContact: .awaited(within: contact))
        var now = HostTime(nanoseconds: 0)
        return errors.map { error in
            reconnection.began(now: now)
            now = now + seconds
            let decision = reconnection.failed(error, isLive: true, now: now, random: 0)
            if case .retry(let time) = decision { now = time }
            return decision
        }
    }

    @Test(arguments: [refused, unknown]) func whatRefusesIsTriedTwice(error: HTTPError) {
        let decisions = decisions([error, error], each: 0.25)
        #expect(decisions == [.retry(at: HostTime(nanoseconds: 0) + 1.25), .giveUp])
    }

    /// Fifteen seconds from the first attempt on, or as long as is wanted, but no longer than a lost stream is tried.
    @Test(
        arguments: [
            (nil, nil, 1), (4, nil, 1), (nil, 60, 5), (.infinity, .infinity, 7), (nil, .infinity, 7),
            (20, .infinity, 2),
        ] as [(Double?, Double?, Int)]
    )
    func whatNeverAnswersIsGivenUp(limit: Double?, contact: Double?, retries: Int) {
        let decisions = decisions(
            Array(repeating: HTTPError(.silent), count: 7),
            each: 10,
            limit: limit,
            within: contact
        )
        #expect(decisions.prefix { $0 != .giveUp }.count == retries, "\(decisions)")
    }

    /// A refusal is not final for those who want to wait.
    @Test func whatRefusesIsTriedForAsLongAsIsWanted() {
        let decisions = decisions(Array(repeating: Self.refused, count: 9), each: 0.01, within: 60)
        #expect(!decisions.contains(.giveUp))
    }

    @Test func timeWithoutANetworkDoesNotCount() {
        let errors = Array(repeating: Self.offline, count: 40) + [Self.unknown, Self.unknown]
        let decisions = decisions(errors, each: 1)
        #expect(decisions.firstIndex(of: .giveUp) == 41)
    }

    /// A status is an answer, and what has played has answered.
    @Test func whatHasAnsweredIsTriedOn() {
        let statuses = Array(repeating: HTTPError(.status(503, "")), count: 9)
        #expect(!decisions(statuses, each: 10).contains(.giveUp))
        var reconnection = Reconnection(limit: nil, firstContact: .awaited(within: nil))
        reconnection.began(now: HostTime(nanoseconds: 0))
        reconnection.succeeded()
        for second in 0..<60 {
            let now = HostTime(nanoseconds: 0) + Double(second)
            #expect(reconnection.failed(Self.refused, isLive: true, now: now, random: 0) != .giveUp)
        }
    }
}
