private import Glibc
private import Synchronization
private import Threads

/// Records for how long this machine stands still.
///
/// A thread wakes every 5 ms and notes how late it was. A machine that others share stops for up to some seconds now and
/// then, and a time that was measured meanwhile says nothing of the program that was measured.
package final class MachineWatch: Sendable {
    package static let shared = MachineWatch()

    /// From the moment at which the thread was to wake until it woke.
    private typealias Stall = Range<ContinuousClock.Instant>

    private struct State {
        var stalls: [Stall] = []
        /// When the thread wakes next.
        var due = ContinuousClock.now + .milliseconds(5)
    }

    private let state = Mutex(State())

    private init() {
        WorkThread.startWhenPossible(named: "machine-watch") { self.watch() }
    }

    /// The longest time that the machine stood still between `start` and now, also when that has not ended.
    package func longestStall(since start: ContinuousClock.Instant) -> Duration {
        state.withLock { state in
            let ended = state.stalls.reversed().prefix { $0.upperBound > start }
            let longest = ended.map { $0.upperBound - max($0.lowerBound, start) }.max() ?? .zero
            return max(longest, ContinuousClock.now - max(state.due, start))
        }
    }

    private func watch() {
        while true {
            // The sleep is the measure.
            usleep(5_000)
            state.withLock { state in
                let now = ContinuousClock.now
                let due = state.due
                state.due = now + .milliseconds(5)
                // Shorter ones are no reason to doubt a measure, and there are many of them.
                guard now - due > .milliseconds(5) else { return }
                if state.stalls.count == 100_000 { state.stalls.removeFirst(50_000) }
                state.stalls.append(due..<now)
            }
        }
    }
}
