private import CTestSupport
private import Glibc
private import Synchronization
private import Threads

/// Records for how long what tests run on stands still: each processor of this machine, and the threads that tasks share.
///
/// A thread on each processor, and a task, wake every 5 ms and note how late they were. A machine that others share stops for
/// up to some seconds now and then, and a processor or thread that works for others lets a test wait; a time that was
/// measured meanwhile says nothing of the program that was measured.
package final class MachineWatch: Sendable {
    package static let shared = MachineWatch()

    /// From the moment at which a thread or task was to wake until it woke.
    private typealias Stall = Range<ContinuousClock.Instant>

    private struct Watch {
        var stalls: [Stall] = []
        /// When the thread or task wakes next.
        var due = ContinuousClock.now + .milliseconds(5)
    }

    /// By processor; the last one is that of tasks.
    private let watches: Mutex<[Watch]>
    /// On a large machine the others are like these.
    private static let mostProcessors = 8

    private init() {
        let count = min(max(sysconf(Int32(_SC_NPROCESSORS_CONF)), 1), Self.mostProcessors)
        watches = Mutex(Array(repeating: Watch(), count: count + 1))
        for processor in 0..<count {
            WorkThread.startWhenPossible(named: "machine-watch") {
                // Where this process may not run, the thread runs anywhere.
                _ = segue_stay_on_processor(Int32(processor))
                while true {
                    // The sleep is the measure.
                    usleep(5_000)
                    self.woke(processor)
                }
            }
        }
        Task.detached {
            while true {
                try? await Task.sleep(for: .milliseconds(5), tolerance: .zero)
                self.woke(count)
            }
        }
    }

    /// The longest time that one of them stood still between `start` and now, also when that has not ended.
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

    private func woke(_ index: Int) {
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
