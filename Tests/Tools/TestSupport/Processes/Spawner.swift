private import Dispatch
private import Foundation
internal import Glibc
private import Synchronization

/// Starts child processes from one thread that never ends.
///
/// The kernel sends a child's parent-death signal when the *thread* that started it ends, so a child started from a
/// worker thread of a pool would die when the pool shrinks.
enum Spawner {
    private struct Job: Sendable {
        var request: Request
        var outcome: Outcome
    }

    private final class Outcome: Sendable {
        let value = Mutex<Result<Started, ChildProcessError>>(.success(Started()))
        let done = DispatchSemaphore(value: 0)
    }

    private static let jobs = Mutex<[Job]>([])
    private static let arrived = DispatchSemaphore(value: 0)
    private static let thread: Void = {
        let thread = Thread {
            while true {
                arrived.wait()
                let job = jobs.withLock { $0.removeFirst() }
                let started = spawn(job.request)
                job.outcome.value.withLock { $0 = started }
                job.outcome.done.signal()
            }
        }
        thread.name = "spawner"
        thread.start()
    }()

    /// What `posix_spawnp` is told.
    struct Request: Sendable {
        var arguments: [String]
        var environment: [String: String]
        /// Whether the child reads from a pipe; otherwise from `/dev/null`.
        var readsPipe = false
        /// Whether it gets descriptors that are not closed on execution, as a service manager's.
        var inherits = false
        /// The terminal that becomes the child's controlling one, as 0, 1 and 2.
        var terminal: String?
    }

    /// A child and our ends of its pipes; −1 for what it has not.
    struct Started: Sendable {
        var pid: pid_t = 0
        var input: Int32 = -1
        var output: Int32 = -1
        var errors: Int32 = -1
    }

    /// Starts a child.
    static func start(_ request: Request) throws(ChildProcessError) -> Started {
        _ = thread
        let outcome = Outcome()
        jobs.withLock { $0.append(Job(request: request, outcome: outcome)) }
        arrived.signal()
        outcome.done.wait()
        switch outcome.value.withLock({ $0 }) {
        case .success(let started): return started
        case .failure(let error): throw error
        }
    }

    private static func spawn(_ request: Request) -> Result<Started, ChildProcessError> {
        var started = Started()
        guard let terminal = request.terminal else {
            // Made here, where nothing else is started meanwhile: a child that inherited the end of another one's pipe
            // would keep that open.
            let output = makePipe()
            let errors = makePipe()
            var input = (reading: unsafe open("/dev/null", O_RDONLY | O_CLOEXEC), writing: Int32(-1))
            if request.readsPipe {
                close(input.reading)
                input = makePipe()
            }
            defer { for descriptor in [input.reading, output.writing, errors.writing] { close(descriptor) } }
            (started.input, started.output, started.errors) = (input.writing, output.reading, errors.reading)
            let code = unsafe spawn(request, &started.pid) { actions in
                unsafe posix_spawn_file_actions_adddup2(&actions, input.reading, 0)
                unsafe posix_spawn_file_actions_adddup2(&actions, output.writing, 1)
                unsafe posix_spawn_file_actions_adddup2(&actions, errors.writing, 2)
            }
            if code == 0 { return .success(started) }
            for descriptor in [started.input, started.output, started.errors] where descriptor >= 0 {
                close(descriptor)
            }
            return .failure(.cannotStart(request.arguments[0], code))
        }
        let code = unsafe spawn(request, &started.pid) { actions in
            // A session leader's first terminal becomes its controlling one.
            unsafe posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
            unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
            unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
        }
        return code == 0 ? .success(started) : .failure(.cannotStart(request.arguments[0], code))
    }

    /// `posix_spawn_file_actions_addclosefrom_np`, which Glibc's module does not show.
    private static let closeFrom: (@convention(c) (UnsafeMutableRawPointer, Int32) -> Int32)? =
        unsafe dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
            unsafe unsafeBitCast($0, to: (@convention(c) (UnsafeMutableRawPointer, Int32) -> Int32).self)
        }

    private static func spawn(
        _ request: Request,
        _ pid: inout pid_t,
        addingTo: (inout posix_spawn_file_actions_t) -> Void
    ) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe addingTo(&actions)
        // A connection that a child holds too does not end when it is closed here.
        if !request.inherits { _ = unsafe closeFrom?(&actions, 3) }

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID is hidden from Swift behind _GNU_SOURCE.
        let newSession: Int32 = request.terminal == nil ? 0 : 0x80
        unsafe posix_spawnattr_setflags(
            &attributes,
            Int16(Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK) | newSession)
        )
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)

        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe request.arguments.map { unsafe strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] =
            unsafe request.environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            unsafe arguments.withUnsafeBufferPointer { for index in $0.indices { unsafe free($0[index]) } }
            unsafe environment.withUnsafeBufferPointer { for index in $0.indices { unsafe free($0[index]) } }
        }
        return unsafe posix_spawnp(&pid, request.arguments[0], &actions, &attributes, &arguments, &environment)
    }

    private static func makePipe() -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        let code = unsafe pipe(&ends)
        precondition(code == 0, "no descriptors left")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
