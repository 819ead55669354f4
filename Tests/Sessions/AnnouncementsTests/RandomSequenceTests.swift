import Announcements
import Testing

/// Whatever happens in whatever order: nothing is lost, each ends exactly once, and the order is right.
@Suite struct RandomSequenceTests {
    @Test(arguments: 0..<16 as Range<UInt64>)
    func nothingIsLostAndEachEndsOnce(seed: UInt64) {
        var run = Run(seed: seed)
        for _ in 0..<1_000 {
            run.step()
            run.check()
        }
        run.drain()
        run.check()
        #expect(run.queue.isIdle)
        #expect(Set(run.endings.keys) == Set(run.taken.keys))
        #expect(run.queue.nextDeadline == nil)
        // The run was worth something: things ended in each way.
        #expect(Set(run.endings.values.map(\.name)) == ["done", "failed", "cancelled", "expired"])
    }

    /// The same events give the same queue.
    @Test func theSameSequenceEndsTheSame() {
        var runs = [Run(seed: 7), Run(seed: 7)]
        for index in runs.indices { for _ in 0..<1_000 { runs[index].step() } }
        #expect(runs[0].queue.reports == runs[1].queue.reports)
    }
}

/// A queue under random events, beside a book-keeping that is as plain as can be.
private struct Run {
    let queue = TestedQueue(limit: 40)
    var now: Duration = .zero
    var numbers: Numbers
    var taken: [Int: Announcement] = [:]
    var endings: [Int: AnnouncementState] = [:]
    /// What is heard at each place.
    var playing: [String: Int] = [:]
    /// The parts that have begun or ended, as `id@place`.
    var begun: Set<String> = []
    var over: Set<String> = []
    private var lastID = 0

    private static let places = ["a", "b", "c"]

    init(seed: UInt64) { numbers = Numbers(state: seed) }

    mutating func step() {
        let place = Self.places.randomElement(using: &numbers) ?? "a"
        switch Int.random(in: 0..<40, using: &numbers) {
        case 0..<12: add()
        case 12..<24: start(at: place)
        case 24..<32: finish(at: place, failure: Int.random(in: 0..<8, using: &numbers) == 0 ? "deaf" : nil)
        case 32..<34: cancelOne()
        case 34..<39:
            now += .milliseconds(Int.random(in: 0...400, using: &numbers))
            if Bool.random(using: &numbers) { end(queue.expire(now: now), as: ["expired", "done", "failed"]) }
        default: rare(place)
        }
    }

    private mutating func rare(_ place: String) {
        switch Int.random(in: 0..<20, using: &numbers) {
        case 0:
            let ending = queue.cancelAll()
            silence(ending)
            end(ending.ended, as: ["cancelled"])
        case 1...3:
            let before = over
            for id in taken.keys where taken[id]?.places.contains(place) == true && endings[id] == nil {
                over.insert("\(id)@\(place)")
            }
            if before != over { playing[place] = nil }
            end(queue.abandon(place, because: "gone"), as: ["failed"])
        case 4...10:
            guard let id = taken.keys.filter({ endings[$0] == nil }).min() else { return }
            guard let ending = queue.fail(id, because: "mute") else {
                Issue.record("\(id) is lost")
                return
            }
            silence(ending)
            end(ending.ended, as: ["failed"])
        default:
            // Late and foolish words change nothing.
            let before = queue.reports
            if let id = endings.keys.min() {
                #expect(queue.finish(id, at: place) == nil)
                #expect(!queue.start(id, at: place))
                #expect(queue.cancel(id) == nil)
            }
            #expect(queue.finish(lastID + 1, at: place) == nil)
            #expect(queue.reports == before)
        }
    }

    private mutating func add() {
        lastID += 1
        let announcement = Announcement(
            id: lastID,
            text: "\(lastID)",
            class: AnnouncementClass.allCases.randomElement(using: &numbers) ?? .normal,
            priority: Int.random(in: -2...2, using: &numbers),
            expiry: Bool.random(using: &numbers)
                ? now + .milliseconds(Int.random(in: 0...2_000, using: &numbers)) : nil,
            places: Array(Self.places.shuffled(using: &numbers).prefix(Int.random(in: 1...3, using: &numbers)))
        )
        do {
            try queue.add(announcement)
            taken[lastID] = announcement
        } catch {
            let waiting = queue.pending.filter { $0.state == .queued }.map(\.announcement.announcementClass)
            #expect(error == .queueIsFull(limit: 40))
            #expect(waiting.count { $0 >= announcement.announcementClass } >= 40)
        }
    }

    private mutating func start(at place: String) {
        let next = queue.next(for: place, now: now)
        #expect(next?.id == expectedNext(at: place))
        guard let next else { return }
        #expect(queue.start(next.id, at: place))
        #expect(!queue.start(next.id, at: place))
        playing[place] = next.id
        #expect(begun.insert("\(next.id)@\(place)").inserted, "\(next) began twice")
    }

    /// The first by class, priority and number of all that wait here, found the slow way.
    private func expectedNext(at place: String) -> Int? {
        guard playing[place] == nil else { return nil }
        return taken.values.filter { one in
            endings[one.id] == nil && one.places.contains(place) && !begun.contains("\(one.id)@\(place)")
                && !over.contains("\(one.id)@\(place)") && one.expiry.map { $0 > now } ?? true
        }
        .max { ($0.announcementClass, $0.priority, -$0.id) < ($1.announcementClass, $1.priority, -$1.id) }?.id
    }

    private mutating func finish(at place: String, failure: String?) {
        guard let id = playing[place] else { return }
        playing[place] = nil
        over.insert("\(id)@\(place)")
        let report = queue.finish(id, at: place, failure: failure)
        #expect(queue.playing(at: place) == nil)
        if let report { end([report], as: failure == nil ? ["done", "failed", "expired"] : ["failed"]) }
    }

    private mutating func cancelOne() {
        let live = taken.keys.filter { endings[$0] == nil }.sorted()
        guard let id = live.randomElement(using: &numbers) else { return }
        guard let ending = queue.cancel(id) else {
            Issue.record("\(id) is lost")
            return
        }
        #expect(ending.ended.map(\.announcement.id) == [id])
        silence(ending)
        end(ending.ended, as: ["cancelled"])
    }

    /// What a cancellation says is to be silenced is what was heard of those that it ended, and nothing else.
    private mutating func silence(_ ending: AnnouncementQueue.Ending) {
        let ids = Set(ending.ended.map(\.announcement.id))
        let heard = Set(playing.filter { ids.contains($0.value) }.map { "\($0.value)@\($0.key)" })
        #expect(Set(ending.silenced.map { "\($0.id)@\($0.place)" }) == heard)
        for part in ending.silenced { playing[part.place] = nil }
    }

    private mutating func end(_ reports: [AnnouncementReport], as states: Set<String>) {
        for report in reports {
            #expect(endings[report.announcement.id] == nil, "\(report.announcement.id) ended twice")
            #expect(states.contains(report.state.name), "\(report)")
            endings[report.announcement.id] = report.state
        }
    }

    /// What holds after every event.
    func check() {
        let pending = queue.pending
        #expect(Set(pending.map(\.announcement.id)) == Set(taken.keys).subtracting(endings.keys))
        #expect(pending.allSatisfy { !$0.state.isFinal })
        for place in Self.places { #expect(queue.playing(at: place)?.id == playing[place]) }
        let order = pending.map(\.announcement).map { ($0.announcementClass, $0.priority, -$0.id) }
        #expect(zip(order, order.dropFirst()).allSatisfy { $0 > $1 })
        let remembered = queue.reports.dropFirst(pending.count)
        #expect(remembered.count == min(endings.count, AnnouncementQueue.memory))
        #expect(remembered.allSatisfy { endings[$0.announcement.id] == $0.state })
        if let deadline = queue.nextDeadline { #expect(pending.contains { $0.announcement.expiry == deadline }) }
    }

    /// Plays all that is left.
    mutating func drain() {
        end(queue.expire(now: now), as: ["expired", "done", "failed"])
        for place in Self.places {
            finish(at: place, failure: nil)
            while queue.next(for: place, now: now) != nil {
                start(at: place)
                finish(at: place, failure: nil)
            }
        }
    }
}

/// Random numbers that are the same in every run.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
