import PictureValues
import Testing

@testable import PictureWorkers

/// Row 139: who waits for which pictures, and which one is made next.
@Suite struct PictureRequestsTests {
    private typealias Requests = PictureRequests<String, Int>
    private var requests = Requests(running: 1, limit: 4)

    private mutating func join(_ key: String, _ priority: PicturePriority = .visible) throws -> Requests.Ticket {
        let ticket = requests.join(key, priority)
        return try #require(ticket)
    }

    private mutating func turns(_ tickets: [Requests.Ticket]) -> [Requests.Turn?] {
        tickets.map { requests.turn($0.request) }
    }

    /// What a ticket's holder gets: `-1` for one that has left, `nil` for one that waits.
    private mutating func got(_ ticket: Requests.Ticket) -> Int? {
        switch requests.outcome(ticket) {
        case .finished(let picture): picture
        case .left: -1
        case nil: nil
        }
    }

    @Test mutating func oneIsMadeForAll() throws {
        let (first, second) = (try join("a"), try join("a"))
        #expect(first.mustLoad && !second.mustLoad && first.request == second.request)
        #expect(requests.turn(first.request) == .begin)
        let third = try join("a")
        #expect(!third.mustLoad && got(third) == nil)
        let isWanted = requests.end(first.request)
        #expect(isWanted)
        requests.finish(first.request, with: 7)
        // Also those who come before all have taken it.
        let fourth = try join("a")
        #expect([first, second, third, fourth].map { got($0) } == [7, 7, 7, 7])
        #expect(requests.count == 0)
        #expect(got(first) == -1)
        let next = try join("a")
        #expect(next.mustLoad && next.request != first.request)
    }

    @Test mutating func isCancelledWhenTheLastLeaves() throws {
        let (first, second) = (try join("a"), try join("a"))
        #expect(requests.turn(first.request) == .begin)
        // It goes on although the one who loads it has left.
        var mustCancel = requests.leave(first)
        #expect(!mustCancel && got(first) == -1 && got(second) == nil)
        mustCancel = requests.leave(second)
        #expect(mustCancel)
        mustCancel = requests.leave(second)
        #expect(!mustCancel)
        // Asked for again it is made again, once the other one has ended.
        let third = try join("a")
        #expect(third.mustLoad)
        #expect(requests.turn(third.request) == nil)
        var isWanted = requests.end(first.request)
        #expect(!isWanted)
        requests.finish(first.request, with: 1)
        #expect(got(third) == nil)
        #expect(requests.turn(third.request) == .begin)
        isWanted = requests.end(third.request)
        #expect(isWanted)
        // What is made already is not cancelled.
        mustCancel = requests.leave(third)
        #expect(!mustCancel && requests.count == 0)
    }

    @Test mutating func isDroppedFromTheQueue() throws {
        let (first, second, third) = (try join("a"), try join("b"), try join("c"))
        #expect(turns([first, second, third]) == [.begin, nil, nil])
        let mustCancel = requests.leave(second)
        #expect(!mustCancel && requests.turn(second.request) == .abandoned)
        _ = requests.end(first.request)
        #expect(requests.turn(third.request) == .begin)
    }

    @Test mutating func visibleGoesBeforePrefetched() throws {
        let (running, later) = (try join("a"), try join("b", .prefetched))
        #expect(turns([running, later]) == [.begin, nil])
        let (earlier, seen) = (try join("c", .prefetched), try join("d"))
        #expect(turns([earlier, seen]) == [nil, nil])
        // One that is asked for meanwhile becomes visible, and was there before.
        _ = try join("c")
        _ = requests.end(running.request)
        #expect(turns([later, seen, earlier]) == [nil, nil, .begin])
        _ = requests.end(earlier.request)
        #expect(turns([later, seen]) == [nil, .begin])
        _ = requests.end(seen.request)
        #expect(requests.turn(later.request) == .begin)
    }

    @Test mutating func oneWorkerIsLeftToWhatIsVisible() throws {
        requests = Requests(running: 2, limit: 10)
        let ahead = try ["a", "b"].map { try join($0, .prefetched) }
        #expect(turns(ahead) == [.begin, nil])
        let seen = try join("c")
        #expect(requests.turn(seen.request) == .begin)
        _ = requests.end(seen.request)
        #expect(requests.turn(ahead[1].request) == nil)
        _ = requests.end(ahead[0].request)
        #expect(requests.turn(ahead[1].request) == .begin)
    }

    /// What still looks on the disk holds up none.
    @Test mutating func onlyWhatIsReadyHasATurn() throws {
        let (_, second) = (try join("a"), try join("b"))
        #expect(requests.turn(second.request) == .begin)
    }

    @Test mutating func asManyAsMayRunAtOnce() throws {
        requests = Requests(running: 2, limit: 10)
        let tickets = try ["a", "b", "c"].map { try join($0) }
        #expect(turns(tickets) == [.begin, .begin, nil])
        // A cancelled one has its place until it has ended.
        _ = requests.leave(tickets[0])
        #expect(requests.turn(tickets[2].request) == nil)
        _ = requests.end(tickets[0].request)
        #expect(requests.turn(tickets[2].request) == .begin)
    }

    @Test mutating func noMoreWaitThanMay() throws {
        let tickets = try ["a", "b", "c", "d"].map { try join($0) }
        let refused = requests.join("e", .visible)
        let shared = requests.join("a", .prefetched)
        #expect(refused == nil && shared != nil)
        _ = requests.leave(tickets[1])
        let next = requests.join("e", .visible)
        #expect(next != nil)
    }
}

/// Row 140: what is remembered of pictures that could not be made.
@Suite struct PictureFailuresTests {
    @Test func failuresAreForgivenAfterATime() {
        var failures = PictureFailures<Int>(limit: 100)
        let now = ContinuousClock.now
        let errors: [PictureError] = [
            .reported("x"), .ended("y"), .tookTooLong(seconds: 1), .system("z"), .cancelled,
        ]
        for (key, error) in errors.enumerated() { failures.record(error, key, at: now) }
        func known(_ seconds: Double) -> [Int] {
            (0..<5).filter { failures.error($0, at: now + .seconds(seconds)) != nil }
        }
        #expect(known(59) == [0, 1, 2])
        #expect(known(61) == [0])
        #expect(known(601) == [])
        #expect(failures.count == 0)
    }

    @Test func failuresAreBounded() {
        var failures = PictureFailures<Int>(limit: 100)
        let now = ContinuousClock.now
        for key in 0..<10_000 { failures.record(.notAPicture, key, at: now) }
        #expect(failures.count <= 100 && failures.error(9_999, at: now) == .notAPicture)
    }
}
