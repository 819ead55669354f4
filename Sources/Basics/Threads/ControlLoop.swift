private import Glibc
private import Synchronization
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) package import _Concurrency

/// Runs tasks and actors one after another on one thread, and sleeps while there is nothing to do.
///
/// Swift's own executor on Linux is based on libdispatch, whose manager thread wakes up once a second for ever after
/// the first task (`_dispatch_workq_monitor_pools`), also in a player that is paused all night. A program has two loops
/// instead: the main thread's for the main actor, which does terminal I/O and may be blocked by it, and one for
/// everything else. Blocking or long computations have threads of their own.
///
/// Sound as `@unchecked Sendable`: the queues are accessed only with `lock` held.
@safe
package final class ControlLoop: MainExecutor, TaskExecutor, SchedulingExecutor, @unchecked Sendable {
    private static let mainLoop = ControlLoop()
    private static let commonLoop = ControlLoop()

    private let lock = ConditionLock()
    /// The thread that runs the loop; set once, before the first job.
    private let thread = Atomic<pthread_t>(0)
    private var ready: [UnownedJob] = []
    /// Sorted, the earliest last.
    private var timed: [TimedJob] = []

    private struct TimedJob {
        /// On `CLOCK_MONOTONIC`, in nanoseconds.
        let time: Int64
        let job: UnownedJob
    }

    /// Makes the loops the program's executors and runs `body` as its first task.
    ///
    /// Call on the main thread, before anything else of Swift's concurrency is used.
    package static func main(_ body: @escaping @MainActor @Sendable () async -> Never) -> Never {
        _createExecutors(factory: Factory.self)
        do {
            try WorkThread.start(named: "segue-control") { commonLoop.runForever() }
        } catch {
            // Nothing is running yet that could report the error or end in order.
            var line = "\(error)\n"
            line.withUTF8 { bytes in unsafe _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
            exit(EXIT_FAILURE)
        }
        Task { @MainActor in await body() }
        mainLoop.runForever()
    }

    private struct Factory: ExecutorFactory {
        static var mainExecutor: any MainExecutor { mainLoop }
        static var defaultExecutor: any TaskExecutor { commonLoop }
    }

    private init() {}

    // MARK: Enqueuing, on any thread

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        lock.withLock {
            ready.append(job)
            lock.signal()
        }
    }

    package func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        after delay: C.Duration,
        tolerance: C.Duration?,
        clock: C
    ) {
        // Both of the standard library's clocks use `Duration`; no other clock sleeps here.
        let parts = (delay as? Duration ?? .zero).components
        let (nanoseconds, overflows) = parts.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let distance = overflows ? Int64.max / 4 : min(nanoseconds + parts.attoseconds / 1_000_000_000, .max / 4)
        let timedJob = TimedJob(time: Self.now + distance, job: UnownedJob(job))
        lock.withLock {
            let place = timed.lastIndex { $0.time > timedJob.time }.map { $0 + 1 } ?? 0
            timed.insert(timedJob, at: place)
            lock.signal()
        }
    }

    package func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        at instant: C.Instant,
        tolerance: C.Duration?,
        clock: C
    ) {
        enqueue(job, after: clock.now.duration(to: instant), tolerance: tolerance, clock: clock)
    }

    // MARK: Running them

    private func runForever() -> Never {
        thread.store(pthread_self(), ordering: .releasing)
        var jobs: [UnownedJob] = []
        while true {
            lock.withLock {
                while !takeDue() { sleep() }
                swap(&jobs, &ready)
            }
            for job in jobs {
                unsafe job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(),
                    taskExecutor: asUnownedTaskExecutor()
                )
            }
            jobs.removeAll(keepingCapacity: true)
        }
    }

    /// Makes due jobs ready; returns whether there are any.
    private func takeDue() -> Bool {
        if !timed.isEmpty {
            let now = Self.now
            while let first = timed.last, first.time <= now {
                ready.append(first.job)
                timed.removeLast()
            }
        }
        return !ready.isEmpty
    }

    private func sleep() { lock.wait(until: timed.last?.time) }

    private static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    // MARK: Queries of the runtime

    package func checkIsolated() { precondition(isIsolatingCurrentContext() == true, "not on the control loop") }

    package func isIsolatingCurrentContext() -> Bool? {
        pthread_equal(pthread_self(), thread.load(ordering: .acquiring)) != 0
    }

    package func run() { runForever() }

    package func stop() {}
}
