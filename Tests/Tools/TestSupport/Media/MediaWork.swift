private import Dispatch

/// Where fixtures are made: on one thread of its own, because an encoder's work blocks.
///
/// The shared pool has as many threads as there are cores; two tests that wait for encoders would leave none for the
/// player that a third one listens to.
@globalActor
package actor MediaWork {
    package static let shared = MediaWork()

    private nonisolated let executor = QueueExecutor()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
}

private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "media-work")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
