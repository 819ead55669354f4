import Announcements
import Testing

@Suite struct AnnouncementQueueTests {
    private func bell(
        _ id: Int,
        _ announcementClass: AnnouncementClass = .normal,
        priority: Int = 0,
        expiry: Duration? = nil,
        places: [String] = ["sink"]
    ) -> Announcement {
        Announcement(
            id: id,
            text: "\(id)",
            class: announcementClass,
            priority: priority,
            expiry: expiry,
            places: places
        )
    }

    /// Plays what is next at a place until nothing is, and says in which order.
    private func playAll(_ queue: TestedQueue, at place: String = "sink") -> [Int] {
        var order: [Int] = []
        while let next = queue.next(for: place, now: .zero), queue.start(next.id, at: place) {
            order.append(next.id)
            _ = queue.finish(next.id, at: place)
        }
        return order
    }

    @Test func classComesBeforePriorityAndPriorityBeforeOrder() throws {
        let queue = TestedQueue()
        for announcement in [
            bell(1), bell(2, priority: 5), bell(3), bell(4, .assistant), bell(5, .alarm, priority: -9),
            bell(6, .assistant, priority: 1), bell(7, priority: 5), bell(8, .alarm),
        ] {
            try queue.add(announcement)
        }
        #expect(queue.pending.map(\.announcement.id) == [8, 5, 6, 4, 2, 7, 1, 3])
        #expect(playAll(queue) == [8, 5, 6, 4, 2, 7, 1, 3])
        #expect(queue.isIdle)
        #expect(queue.reports.map(\.announcement.id) == [3, 1, 7, 2, 4, 6, 5, 8])
        #expect(queue.reports.allSatisfy { $0.state == .done })
    }

    /// Three at once, one of them an alarm: it is next, but what is being heard ends first.
    @Test func anAlarmGoesNextButCutsNothingOff() throws {
        let queue = TestedQueue()
        try queue.add(bell(1))
        #expect(queue.start(1, at: "sink"))
        try queue.add(bell(2))
        try queue.add(bell(3, .alarm))
        #expect(queue.next(for: "sink", now: .zero) == nil)
        #expect(queue.playing(at: "sink")?.id == 1)
        #expect(!queue.start(3, at: "sink"))
        #expect(queue.finish(1, at: "sink")?.state == .done)
        #expect(playAll(queue) == [3, 2])
    }

    @Test func oneOfSeveralPlacesIsDoneWhenAllPartsAre() throws {
        let queue = TestedQueue()
        try queue.add(bell(1, places: ["kitchen"]))
        #expect(queue.start(1, at: "kitchen"))
        try queue.add(bell(2, places: ["kitchen", "hall"]))
        #expect(queue.report(2)?.state == .queued)
        #expect(queue.next(for: "hall", now: .zero)?.id == 2)
        #expect(queue.start(2, at: "hall"))
        #expect(queue.report(2)?.state == .playing)
        #expect(queue.finish(2, at: "hall") == nil)
        #expect(queue.report(2)?.state == .playing)
        #expect(queue.state(of: 2, at: "kitchen") == .queued)
        #expect(queue.next(for: "hall", now: .zero) == nil)
        #expect(queue.finish(1, at: "kitchen")?.announcement.id == 1)
        #expect(queue.start(2, at: "kitchen"))
        #expect(queue.finish(2, at: "kitchen")?.state == .done)
    }

    /// How two parts ended, and how the whole did.
    @Test(arguments: [
        (nil, nil, AnnouncementState.done), ("no sound", nil, .failed("no sound")), (nil, "deaf", .failed("deaf")),
        ("no sound", "deaf", .failed("no sound")),
    ])
    func aFailedPartFailsTheWhole(first: String?, second: String?, state: AnnouncementState) throws {
        let queue = TestedQueue()
        try queue.add(bell(1, places: ["a", "b"]))
        for (place, failure) in [("a", first), ("b", second)] {
            #expect(queue.start(1, at: place))
            _ = queue.finish(1, at: place, failure: failure)
        }
        #expect(queue.report(1)?.state == state)
    }

    @Test func whatWaitsExpiresAndWhatIsHeardDoesNot() throws {
        let queue = TestedQueue()
        try queue.add(bell(1, expiry: .seconds(1)))
        try queue.add(bell(2, expiry: .seconds(2)))
        try queue.add(bell(3))
        #expect(queue.nextDeadline == .seconds(1))
        #expect(queue.start(1, at: "sink"))
        #expect(queue.nextDeadline == .seconds(2))
        #expect(queue.expire(now: .milliseconds(1999)).isEmpty)
        let expired = queue.expire(now: .seconds(2))
        #expect(expired.map(\.announcement.id) == [2] && expired.map(\.state) == [.expired])
        #expect(queue.nextDeadline == nil)
        #expect(queue.finish(1, at: "sink")?.state == .done)
        #expect(queue.next(for: "sink", now: .seconds(9))?.id == 3)
    }

    @Test func whatHasExpiredIsNotNextEvenBeforeItIsSwept() throws {
        let queue = TestedQueue()
        try queue.add(bell(1, .alarm, expiry: .seconds(1)))
        try queue.add(bell(2))
        #expect(queue.next(for: "sink", now: .seconds(1))?.id == 2)
    }

    @Test func aPartThatExpiredCountsWhenTheRestIsDone() throws {
        let queue = TestedQueue()
        try queue.add(bell(1, expiry: .seconds(1), places: ["a", "b"]))
        #expect(queue.start(1, at: "a"))
        #expect(queue.expire(now: .seconds(1)).isEmpty)
        #expect(queue.finish(1, at: "a")?.state == .expired)
    }

    @Test func aCancelledOneIsSilencedWhereItIsHeard() throws {
        let queue = TestedQueue()
        try queue.add(bell(1, places: ["a", "b"]))
        try queue.add(bell(2, places: ["a"]))
        #expect(queue.start(1, at: "a"))
        let ending = try #require(queue.cancel(1))
        #expect(ending.silenced == [.init(id: 1, place: "a")])
        #expect(ending.ended.map(\.state) == [.cancelled])
        #expect(queue.cancel(1) == nil)
        // The place is free, and a late word about the cancelled one changes nothing.
        #expect(queue.start(2, at: "a"))
        #expect(queue.finish(1, at: "a") == nil)
        #expect(queue.report(1)?.state == .cancelled)
        let rest = queue.cancelAll()
        #expect(rest.ended.map(\.announcement.id) == [2] && rest.silenced == [.init(id: 2, place: "a")])
        #expect(queue.isIdle)
    }

    @Test func oneThatCannotBeSpokenFailsEverywhere() throws {
        let queue = TestedQueue()
        try queue.add(bell(1, places: ["a", "b"]))
        let ending = try #require(queue.fail(1, because: "no espeak-ng"))
        #expect(ending.silenced.isEmpty && ending.ended.map(\.state) == [.failed("no espeak-ng")])
        #expect(queue.report(1)?.state.error == "no espeak-ng")
    }

    @Test func aPlaceThatIsNoMoreEndsItsParts() throws {
        let queue = TestedQueue()
        try queue.add(bell(1, places: ["a"]))
        try queue.add(bell(2, places: ["a", "b"]))
        #expect(queue.start(1, at: "a"))
        #expect(queue.abandon("a", because: "gone").map(\.announcement.id) == [1])
        #expect(queue.next(for: "b", now: .zero)?.id == 2)
        #expect(queue.start(2, at: "b"))
        #expect(queue.finish(2, at: "b")?.state == .failed("gone"))
    }

    @Test func whatDidNotStartCannotHaveBeenHeard() throws {
        let queue = TestedQueue()
        try queue.add(bell(1))
        #expect(queue.finish(1, at: "sink") == nil)
        #expect(queue.report(1)?.state == .queued)
        #expect(queue.finish(1, at: "sink", failure: "no such file")?.state == .failed("no such file"))
    }

    @Test func someAreRefused() throws {
        let queue = TestedQueue(limit: 2)
        try queue.add(bell(1))
        #expect(throws: AnnouncementRefusal.numberIsTaken(id: 1)) { try queue.add(bell(1)) }
        #expect(throws: AnnouncementRefusal.noPlace(id: 9)) { try queue.add(bell(9, places: [])) }
        try queue.add(bell(2))
        #expect(throws: AnnouncementRefusal.queueIsFull(limit: 2)) { try queue.add(bell(3)) }
        // An alarm is not kept out by those that matter less; by other alarms it is.
        try queue.add(bell(4, .alarm))
        try queue.add(bell(5, .alarm))
        #expect(throws: AnnouncementRefusal.queueIsFull(limit: 2)) { try queue.add(bell(6, .alarm)) }
        // What is heard does not wait.
        #expect(playAll(queue) == [4, 5, 1, 2])
        try queue.add(bell(7))
        #expect(queue.start(7, at: "sink"))
        try queue.add(bell(8))
        try queue.add(bell(9))
    }

    @Test func theLastHundredAreRemembered() throws {
        let queue = TestedQueue()
        for id in 1...150 {
            try queue.add(bell(id))
            _ = queue.cancel(id)
        }
        #expect(queue.reports.map(\.announcement.id) == (51...150).reversed())
        #expect(queue.report(50) == nil)
        #expect(queue.report(51)?.state == .cancelled)
    }

    @Test(arguments: [
        (AnnouncementState.queued, false), (.playing, false), (.done, true), (.failed("x"), true), (.cancelled, true),
        (.expired, true),
    ])
    func finalStatesStay(state: AnnouncementState, isFinal: Bool) { #expect(state.isFinal == isFinal) }
}
