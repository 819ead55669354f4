private import Synchronization

/// Cancels a synthesis from another thread.
package final class SpeechCancellation: Sendable {
    private let isSet = Atomic(false)

    package init() {}

    /// Kills the speech program within some 20 ms; one that has not started yet never starts.
    package func cancel() { isSet.store(true, ordering: .releasing) }

    package var isCancelled: Bool { isSet.load(ordering: .acquiring) }
}
