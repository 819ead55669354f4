internal import ChildPrograms
internal import Glibc

/// A child process in a process group of its own, which is killed with it.
struct ChildProcess: ~Copyable {
    private let id: pid_t

    enum Status {
        case exited(Int32)
        case signalled(Int32)
    }

    private init(id: pid_t) { self.id = id }

    /// Starts a program with three descriptors and nothing else of ours: no other descriptor, of the environment only
    /// what any program needs, and the resources that the limits allow.
    static func start(
        _ arguments: [String],
        _ streams: ProgramStart.Streams,
        limits: ProgramLimits
    ) throws(ProgramStart.Failure) -> ChildProcess {
        var program = ProgramStart(arguments)
        program.streams = streams
        program.limits = limits
        return ChildProcess(id: try program.run())
    }

    /// Whether it has exited; it stays a zombie, to be reaped later.
    var hasEnded: Bool {
        var information = unsafe siginfo_t()
        let result = unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT | WNOHANG)
        return unsafe result != 0 || information.si_signo != 0
    }

    /// Kills its process group, including itself if it still runs, and reaps it.
    consuming func end() -> Status {
        // Until it is reaped, its group's number is not reused.
        kill(-id, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }
}
