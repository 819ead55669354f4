internal import Glibc

/// A program that was started in a process group of its own, which is ended with it.
struct ChildProcess: ~Copyable {
    private let id: pid_t

    struct Failure: Error {
        /// As in `errno`.
        let number: Int32
    }

    enum Status {
        case exited(Int32)
        case signalled(Int32)
    }

    private init(id: pid_t) { self.id = id }

    /// Starts a program that has three descriptors; all others are closed when it begins, as they say of themselves.
    static func start(
        _ program: String,
        _ arguments: [String],
        input: Int32,
        output: Int32,
        errors: Int32
    ) -> Result<ChildProcess, Failure> {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, number) in [(input, Int32(0)), (output, 1), (errors, 2)] {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, number)
        }

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        setSignalsAndGroup(&attributes)

        let words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.withUnsafeBufferPointer { for index in $0.indices { unsafe free($0[index]) } } }
        var id: pid_t = 0
        let number = unsafe posix_spawnp(&id, program, &actions, &attributes, words, environ)
        return number == 0 ? .success(ChildProcess(id: id)) : .failure(Failure(number: number))
    }

    /// Gives the program its signals as they usually are, and a group of its own.
    private static func setSignalsAndGroup(_ attributes: inout posix_spawnattr_t) {
        let flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETPGROUP)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    }

    /// Whether it has ended by itself; it can still be waited for.
    var hasEnded: Bool {
        var information = unsafe siginfo_t()
        let result = unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT | WNOHANG)
        return unsafe result != 0 || information.si_signo != 0
    }

    /// Ends it, if it has not ended by itself, and all that it has started and left in its group.
    consuming func end() -> Status {
        // As long as nobody has waited for it, its group's number is not given to anybody else.
        kill(-id, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }
}
