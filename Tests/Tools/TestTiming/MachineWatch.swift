private import CProcessors
private import Glibc
private import Synchronization
private import Threads

/// Records for how long the processors of this machine stand still, each for itself.
///
/// A thread on each of them wakes every 5 ms and notes how late it was. A machine that others share stops for up to some
/// seconds now and then, and a processor that works for others lets a thread wait; a time that was measured meanwhile says
/// nothing of the program that was measured.
package final class MachineWatch: Sendable {
    package static let shared = MachineWatch()

    /// From the moment at which the thread was to wake until it woke.
    private typealias Stall = Range<ContinuousClock.Instant>

    private struct Watch {
        var stalls: [Stall] = []
        /// When the thread wakes next.
        var due = ContinuousClock.now + .milliseconds(5)
    }

    /// By processor.
    private let watches: Mutex<[Watch]>
    /// On a large machine the others are like these.
    private static let mostProcessors = 8

    private init() {
        let count = min(max(sysconf(Int32(_SC_NPROCESSORS_CONF)), 1), Self.mostProcessors)
        watches = Mutex(Array(repeating: Watch(), count: count))
        for processor in 0..<count {
            WorkThread.startWhenPossible(named: "machine-watch") {
                // Where this process may not run, the thread runs anywhere.
                _ = segue_stay_on_processor(Int32(processor))
                self.watch(processor)
            }
        }
    }

    /// The longest time that a processor stood still between `start` and now, also when that has not ended.
    package func longestStall(since start: ContinuousClock.Instant) -> Duration {
        watches.withLock { watches in
            let now = ContinuousClock.now
            return watches.map { watch in
                let ended = watch.stalls.reversed().prefix { $0.upperBound > start }
                let longest = ended.map { $0.upperBound - max($0.lowerBound, start) }.max() ?? .zero
                return max(longest, now - max(watch.due, start))
            }
            .max() ?? .zero
        }
    }

    private func watch(_ index: Int) {
        while true {
            // The sleep is the measure.
            usleep(5_000)
            watches.withLock { watches in
                let now = ContinuousClock.now
                let due = watches[index].due
                watches[index].due = now + .milliseconds(5)
                // Shorter ones are no reason to doubt a measure, and there are many of them.
                guard now - due > .milliseconds(5) else { return }
                if watches[index].stalls.count == 100_000 { watches[index].stalls.removeFirst(50_000) }
                watches[index].stalls.append(due..<now)
            }
        }
    }
}
