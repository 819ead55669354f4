private import Synchronization

/// Ends a synthesis from another thread.
package final class SpeechCancellation: Sendable {
    private let isSet = Atomic(false)

    package init() {}

    /// Kills the program that speaks, within some 20 ms; one that has not started yet never does.
    package func cancel() { isSet.store(true, ordering: .releasing) }

    package var isCancelled: Bool { isSet.load(ordering: .acquiring) }
}
