import Glibc
@_spi(ExperimentalCustomExecutors) import _Concurrency

/// Where this process's tasks and actors run: the main actor on the main thread, everything else on one other.
///
/// Swift's own executors on Linux are libdispatch's queues. Those wake the process once a second for good, as soon as the
/// first task has run (libdispatch watches its thread pool), need up to three threads to do one thing after another, and
/// park the main thread. A player that is paused should not wake at all, and two threads are plenty for one: what blocks
/// has threads of its own. `Task.sleep` is not to be had with these; see `Delay`.
enum Executors: ExecutorFactory {
    private static let mainLoop = MainLoop()
    private static let worker = Worker()

    static var mainExecutor: any MainExecutor { mainLoop }
    static var defaultExecutor: any TaskExecutor { worker }

    /// Runs `program` and all that it starts; must come before the first task.
    static func run(_ program: @escaping @MainActor @Sendable () async -> Void) -> Never {
        _createExecutors(factory: Executors.self)
        Task { @MainActor in
            await program()
            exit(0)
        }
        mainLoop.run()
        fatalError("the main loop does not end")
    }
}

/// Jobs that one thread runs in order, asleep while there are none.
@safe private final class JobQueue: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let isFilled: UnsafeMutablePointer<pthread_cond_t>
    /// Guarded by the mutex.
    private var jobs: [UnownedJob] = []

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe isFilled = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(isFilled, nil)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        unsafe pthread_mutex_lock(mutex)
        jobs.append(job)
        unsafe pthread_cond_signal(isFilled)
        unsafe pthread_mutex_unlock(mutex)
    }

    func run(_ body: (UnownedJob) -> Void) -> Never {
        var batch: [UnownedJob] = []
        while true {
            unsafe pthread_mutex_lock(mutex)
            while jobs.isEmpty { unsafe pthread_cond_wait(isFilled, mutex) }
            swap(&batch, &jobs)
            unsafe pthread_mutex_unlock(mutex)
            for job in batch { body(job) }
            batch.removeAll(keepingCapacity: true)
        }
    }
}

private final class MainLoop: MainExecutor {
    private let queue = JobQueue()

    func enqueue(_ job: consuming ExecutorJob) { queue.enqueue(job) }
    func run() { queue.run { unsafe $0.runSynchronously(on: asUnownedSerialExecutor()) } }
    /// The program ends by exit(3).
    func stop() {}
}

private final class Worker: TaskExecutor {
    private let queue = JobQueue()

    init() {
        Thread.start(name: "segue-tasks") { [queue, unowned self] in
            queue.run { unsafe $0.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) { queue.enqueue(job) }
}
