private import Glibc
private import Mixing
private import Synchronization
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) package import _Concurrency

/// Runs tasks and actors one after another on one thread, and sleeps while there is nothing to do.
///
/// Swift's own executor on Linux stands on libdispatch, whose manager thread wakes up once a second for ever after the
/// first task (`_dispatch_workq_monitor_pools`), also in a player that is paused all night. A program has two loops in its
/// place: the main thread's for the main actor, which talks to people and may be held up by them, and one for everything
/// else. Whatever blocks or computes has threads of its own.
///
/// Sound as `@unchecked Sendable`: the queues are touched with `mutex` held only; the C objects live as long as the
/// process at fixed addresses and are made for use from several threads.
@safe
package final class ControlLoop: MainExecutor, TaskExecutor, SchedulingExecutor, @unchecked Sendable {
    private static let mainLoop = ControlLoop()
    private static let commonLoop = ControlLoop()

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
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
        WorkThread.start(named: "segue-control") { commonLoop.runForever() }
        Task { @MainActor in await body() }
        mainLoop.runForever()
    }

    private struct Factory: ExecutorFactory {
        static var mainExecutor: any MainExecutor { mainLoop }
        static var defaultExecutor: any TaskExecutor { commonLoop }
    }

    private init() {
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    // MARK: Taking jobs, from any thread

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        locked {
            ready.append(job)
            unsafe pthread_cond_signal(condition)
        }
    }

    package func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        after delay: C.Duration,
        tolerance: C.Duration?,
        clock: C
    ) {
        // Both of the standard library's clocks count in `Duration`; no other clock sleeps here.
        let parts = (delay as? Duration ?? .zero).components
        let (nanoseconds, overflows) = parts.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let distance = overflows ? Int64.max / 4 : min(nanoseconds + parts.attoseconds / 1_000_000_000, .max / 4)
        let timedJob = TimedJob(time: Self.now + distance, job: UnownedJob(job))
        locked {
            let place = timed.lastIndex { $0.time > timedJob.time }.map { $0 + 1 } ?? 0
            timed.insert(timedJob, at: place)
            unsafe pthread_cond_signal(condition)
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
            locked {
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

    /// Makes jobs ready whose time has come; says whether any is.
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

    private func sleep() {
        guard let first = timed.last else {
            unsafe pthread_cond_wait(condition, mutex)
            return
        }
        var time = timespec(tv_sec: Int(first.time / 1_000_000_000), tv_nsec: Int(first.time % 1_000_000_000))
        unsafe pthread_cond_timedwait(condition, mutex, &time)
    }

    private func locked(_ body: () -> Void) {
        unsafe pthread_mutex_lock(mutex)
        body()
        unsafe pthread_mutex_unlock(mutex)
    }

    private static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    // MARK: What the runtime asks

    package func checkIsolated() { precondition(isIsolatingCurrentContext() == true, "not on the control loop") }

    package func isIsolatingCurrentContext() -> Bool? {
        pthread_equal(pthread_self(), thread.load(ordering: .acquiring)) != 0
    }

    package func run() { runForever() }

    package func stop() {}
}
