import LineProtocol
import NIOCore
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing
import Threads

@testable import ServerBasics

/// A client that waits.
private final class Waiter: JobClient {
    let id: Int
    var isClosing = false
    /// What it went on with.
    let resumed = Watched<[String]>([])

    init(_ id: Int) { self.id = id }

    func resume(_ body: () throws -> Outcome) {
        let word: String
        do {
            _ = try body()
            word = "done"
        } catch {
            word = "\(error)"
        }
        resumed.withLock { $0.append(word) }
    }
}

/// Work that clients wait for, on real threads.
@Suite actor ClientJobsTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private let jobs = ClientJobs(WorkThreads(), loop: testLoop)
    private let workQueue = WorkQueue("a test's", threads: 1, waiting: 1)

    private struct NoDisk: Error, CustomStringConvertible {
        var description: String { "no such disk" }
    }

    /// Work that ends when it is let go.
    private final class Gate: Sendable {
        let hasBegun = Watched(false)
        let isOpen = Watched(false)

        @Sendable func pass() {
            hasBegun.withLock { $0 = true }
            _ = isOpen.waitBlocking(within: .patience) { $0 }
        }
    }

    @Test func aClientGoesOnWithTheResult() async throws {
        let client = Waiter(1)
        let results = Watched<[Int]>([])
        let outcome = try jobs.perform(for: client, on: workQueue) {
            7
        } then: { value in
            results.withLock { $0.append(value) }
            return .done
        }
        guard case .suspended = outcome else {
            Issue.record("it does not wait")
            return
        }
        #expect(await client.resumed.wait(within: .patience) { !$0.isEmpty })
        #expect(results.current == [7])
    }

    @Test func anErrorOfTheWorkIsTheClients() async throws {
        let client = Waiter(1)
        _ = try jobs.perform(for: client, on: workQueue) { () throws in throw NoDisk() }
        #expect(await client.resumed.wait(within: .patience) { !$0.isEmpty })
        #expect(client.resumed.current.first?.contains("no such disk") == true)
    }

    @Test func aFullQueueIsAnError() async throws {
        let gate = Gate()
        let (client, other) = (Waiter(1), Waiter(2))
        _ = try jobs.perform(for: client, on: workQueue) { gate.pass() }
        #expect(await gate.hasBegun.wait(within: .patience) { $0 })
        _ = try jobs.perform(for: other, on: workQueue) {}
        #expect { _ = try jobs.perform(for: other, on: workQueue) {} } throws: { error in
            (error as? AckError)?.code == .system
        }
        gate.isOpen.withLock { $0 = true }
        #expect(await other.resumed.wait(within: .patience) { $0 == ["done"] })
    }

    /// A result for a client that has left is dropped, but not that of a change that is half done.
    @Test func whoLeavesIsForgotten() async throws {
        let gate = Gate()
        let client = Waiter(1)
        let ends = Watched<[String]>([])
        _ = try jobs.perform(for: client, on: workQueue) {
            gate.pass()
        } then: {
            ends.withLock { $0.append("a result") }
            return .done
        }
        #expect(await gate.hasBegun.wait(within: .patience) { $0 })
        _ = try jobs.performWholly(for: client, on: workQueue) {
            1
        } then: { _ in
            ends.withLock { $0.append("a change") }
            return .done
        }
        client.isClosing = true
        jobs.dropAll(of: client)
        gate.isOpen.withLock { $0 = true }
        #expect(await ends.wait(within: .patience) { !$0.isEmpty })
        #expect(ends.current == ["a change"])
        #expect(client.resumed.current == [])
    }

    @Test func waitingTakesItsTime() async throws {
        let client = Waiter(1)
        let start = ContinuousClock.now
        guard case .suspended = jobs.wait(for: client, seconds: 0.05) else {
            Issue.record("it does not wait")
            return
        }
        #expect(client.resumed.current == [])
        #expect(await client.resumed.wait(within: .patience) { $0 == ["done"] })
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }
}
