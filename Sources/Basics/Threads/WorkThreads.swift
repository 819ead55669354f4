private import AudioTypes
private import Synchronization

/// Threads for work that blocks (*segue-work*): as many at a time as its queues allow.
///
/// They are started on demand and end after two seconds without work. Every method may be called from any thread and
/// returns at once.
package final class WorkThreads: Sendable {
    private struct Job: Sendable {
        let cancellation: Cancellation
        let body: @Sendable (Cancellation) -> Void
    }

    private struct State {
        var schedule = WorkSchedule<Job>()
        /// The bells of idle threads, the latest one last.
        var idle: [Doorbell] = []
    }

    /// The next step after work was added.
    private enum Step {
        case wake(Doorbell)
        case start(WorkSchedule<Job>.Entry)
        case wait
    }

    private let state = Mutex(State())

    /// How long an idle thread waits for more work, in seconds.
    private static let patience = 2.0

    package init() {}

    /// Queues work.
    ///
    /// - Parameters:
    ///   - owner: The client that it is done for; when the client leaves, its work is dropped. Work without an owner is
    ///     never refused: when no thread can be started, it waits for the next one.
    ///   - body: Must check for cancellation now and then, if it takes long.
    /// - Throws: `WorkRefusal` for work with an owner.
    package func submit(
        to queue: WorkQueue,
        for owner: Int?,
        _ body: @escaping @Sendable (Cancellation) -> Void
    ) throws(WorkRefusal) {
        let job = Job(cancellation: Cancellation(), body: body)
        let result = state.withLock { state -> Result<Step, WorkRefusal> in
            Result { () throws(WorkRefusal) in
                try state.schedule.add(job, to: queue, for: owner)
                if let bell = state.idle.popLast() { return .wake(bell) }
                return state.schedule.begin().map { .start($0) } ?? .wait
            }
        }
        switch try result.get() {
        case .wake(let bell): bell.ring()
        case .start(let entry): try start(entry)
        case .wait: break
        }
    }

    /// Queues the server's own work.
    package func submit(to queue: WorkQueue, _ body: @escaping @Sendable () -> Void) {
        // Work without an owner is never refused.
        try? submit(to: queue, for: nil) { _ in body() }
    }

    /// Drops an owner's waiting work, and cancels its running work.
    package func cancel(_ owner: Int) {
        for job in state.withLock({ $0.schedule.drop(owner) }) { job.cancellation.cancel() }
    }

    /// Drops and cancels the work of all owners.
    package func cancelAll() {
        for job in state.withLock({ $0.schedule.dropAll() }) { job.cancellation.cancel() }
    }

    private func start(_ entry: WorkSchedule<Job>.Entry) throws(WorkRefusal) {
        do throws(ThreadError) {
            try WorkThread.start(named: "segue-work") { [self] in run(entry) }
        } catch {
            guard entry.owner != nil else { return state.withLock { $0.schedule.putBack(entry) } }
            state.withLock { $0.schedule.end(entry) }
            throw .noThread(error)
        }
    }

    // MARK: - A thread

    private func run(_ first: WorkSchedule<Job>.Entry) {
        var next: WorkSchedule<Job>.Entry? = first
        while let entry = next ?? wait() {
            entry.job.body(entry.job.cancellation)
            next = state.withLock { state in
                state.schedule.end(entry)
                return state.schedule.begin()
            }
        }
    }

    /// Sleeps until there is work; `nil` when there was none for a while.
    private func wait() -> WorkSchedule<Job>.Entry? {
        let bell = Doorbell()
        let end = HostTime.now + Self.patience
        while true {
            state.withLock { $0.idle.append(bell) }
            bell.wait(until: end)
            let entry = state.withLock { state in
                state.idle.removeAll { $0 === bell }
                return state.schedule.begin()
            }
            if entry != nil || HostTime.now >= end { return entry }
        }
    }
}
