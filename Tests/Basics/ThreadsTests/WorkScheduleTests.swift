import Glibc
import Synchronization
import Testing

@testable import Threads

private let slow = WorkQueue("slow things", threads: 1, waiting: 2)
private let quick = WorkQueue("quick things", threads: 2, waiting: 10)
private func files(_ place: String) -> WorkQueue {
    WorkQueue("files", place: place, threads: 2, inAll: 3, waiting: 10)
}

@Suite("Which work is done next")
struct WorkScheduleTests {
    private var queues = WorkSchedule<String>()

    private mutating func add(_ job: String, to queue: WorkQueue, for owner: Int? = 1) throws {
        try queues.add(job, to: queue, for: owner)
    }

    @Test("A queue begins as much as it has threads, in order, and holds up no other queue")
    mutating func queuesAreApart() throws {
        try add("a", to: slow)
        let begun = queues.begin()
        let first = try #require(begun)
        #expect(first.job == "a")
        try add("b", to: slow)
        try add("c", to: slow)
        try add("q", to: quick)
        #expect(queues.begin()?.job == "q")
        #expect(queues.begin() == nil)
        queues.end(first)
        #expect(queues.begin()?.job == "b")
    }

    @Test("A place whose threads all hang leaves the other places theirs, up to the kind's bound")
    mutating func placesAreApart() throws {
        for job in ["dead 1", "dead 2", "dead 3"] { try add(job, to: files("nas")) }
        #expect([queues.begin()?.job, queues.begin()?.job] == ["dead 1", "dead 2"])
        #expect(queues.begin() == nil)
        try add("alive 1", to: files("disk"))
        try add("alive 2", to: files("disk"))
        let begun = queues.begin()
        let alive = try #require(begun)
        #expect(alive.job == "alive 1")
        #expect(queues.begin() == nil)
        queues.end(alive)
        #expect(queues.begin()?.job == "alive 2")
    }

    @Test("Work that a thread is on its way to does not count as waiting")
    mutating func roomForAllThreads() throws {
        let fetches = WorkQueue("fetches", threads: 3, waiting: 0)
        for job in ["a", "b", "c"] { try add(job, to: fetches) }
        #expect(throws: WorkRefusal.tooMany("fetches")) { try queues.add("d", to: fetches, for: 1) }
        #expect([queues.begin()?.job, queues.begin()?.job, queues.begin()?.job] == ["a", "b", "c"])
    }

    @Test("More than may wait is refused; the server's own work is not")
    mutating func waitingIsBounded() throws {
        try add("runs", to: slow)
        _ = queues.begin()
        try add("waits", to: slow)
        try add("waits", to: slow)
        #expect(throws: WorkRefusal.tooMany("slow things")) { try queues.add("refused", to: slow, for: 2) }
        try add("own", to: slow, for: nil)
        let none = WorkQueue("queue without a queue", threads: 1, waiting: 0)
        try add("runs", to: none)
        _ = queues.begin()
        #expect(throws: WorkRefusal.self) { try queues.add("refused", to: none, for: 2) }
    }

    @Test("What waits for an owner that leaves is dropped, and what runs for it is named")
    mutating func ownersLeave() throws {
        try add("runs", to: slow, for: 7)
        let begun = queues.begin()
        let running = try #require(begun)
        try add("dropped", to: slow, for: 7)
        try add("stays", to: slow, for: 8)
        #expect(queues.drop(7) == ["runs"])
        queues.end(running)
        let rest = queues.begin()
        let last = try #require(rest)
        #expect(last.job == "stays")
        queues.end(last)
        #expect(queues.isEmpty)
    }

    @Test("Work that found no thread is the first again")
    mutating func putBack() throws {
        try add("a", to: slow, for: nil)
        try add("b", to: slow, for: nil)
        let begun = queues.begin()
        queues.putBack(try #require(begun))
        #expect(queues.begin()?.job == "a")
    }
}

@Suite("Threads for work")
struct WorkThreadsTests {
    @Test("Work that hangs in one queue does not hold up another, and is told when its owner leaves")
    func cancellation() async throws {
        let work = WorkThreads()
        let (cancelled, told) = AsyncStream.makeStream(of: Void.self)
        let (done, finished) = AsyncStream.makeStream(of: Void.self)
        try work.submit(to: slow, for: 1) { cancellation in
            cancellation.onCancel { told.finish() }
            while !cancellation.isCancelled { sched_yield() }
        }
        try work.submit(to: slow, for: 1) { _ in Issue.record("was not dropped") }
        try work.submit(to: quick, for: 2) { _ in finished.finish() }
        for await _ in done {}
        work.cancel(1)
        for await _ in cancelled {}
    }

    @Test("Everything that is asked for is done, by a few threads")
    func burst() async throws {
        let work = WorkThreads()
        let (done, counter) = AsyncStream.makeStream(of: Int.self)
        let busy = Mutex((now: 0, most: 0))
        for number in 0..<1_000 {
            try work.submit(to: WorkQueue("bursts", threads: 3, waiting: 1_000), for: number) { _ in
                busy.withLock { busy in
                    busy.now += 1
                    busy.most = max(busy.most, busy.now)
                }
                sched_yield()
                busy.withLock { $0.now -= 1 }
                counter.yield(number)
            }
        }
        var seen: Set<Int> = []
        for await number in done {
            seen.insert(number)
            if seen.count == 1_000 { break }
        }
        #expect(busy.withLock { $0.most } <= 3)
    }
}
