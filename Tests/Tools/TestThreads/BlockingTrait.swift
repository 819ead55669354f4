internal import Dispatch
package import Testing

/// Gives each test of a suite threads of its own, because its tests block: they talk to programs over sockets and wait.
///
/// Without it tests run on Swift's cooperative pool, which has one thread per processor: two tests that wait would hold up
/// all others, also those that have to look at something within seconds.
package struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
    }
}

extension Trait where Self == BlockingTrait {
    package static var blocking: Self { Self() }
}

/// Runs what blocks on a thread of its own, as a part of the test that calls this: what is expected there is that test's.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await Task(executorPreference: ThreadExecutor.shared) { try body() }.value
}

/// Runs each job on a thread that is free, and makes one when there is none.
private final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    /// A concurrent queue of its own makes threads as long as those it has block.
    private let queue = DispatchQueue(label: "blocking tests", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
