import Glibc
import TerminalText

/// A program that runs as a shell runs it: in a process group of its own, with our standard streams, and with the
/// terminal if we have that.
final class ChildProgram {
    enum Ending: Hashable {
        case code(Int32)
        case signal(Int32)
    }

    enum Change: Hashable {
        case none
        /// It stopped by itself, as by Ctrl-Z.
        case stopped
        case ended(Ending)
    }

    /// Why a program could not be started.
    struct Failure: Error {
        let program: String
        let code: Int32

        var isMissing: Bool { code == ENOENT }
        var description: String { "\(program): \(unsafe String(cString: strerror(code)))" }
    }

    private let pid: pid_t
    /// The controlling terminal; −1 when there is none.
    private let terminal: Int32
    /// Whether we have stopped it ourselves.
    private(set) var isHeld = false

    /// Starts a program; the first word is its path, or a name that is looked for in PATH.
    ///
    /// Signals that are handled here are as usual there; those that our parent had ignored stay ignored.
    init(_ words: [String]) throws(Failure) {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
        let isForeground = terminal >= 0 && tcgetpgrp(terminal) == getpgrp()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        var pid: pid_t = 0
        let code = unsafe posix_spawnp(&pid, words[0], nil, &attributes, &arguments, environ)
        unsafe arguments.withUnsafeBufferPointer { for index in $0.indices { unsafe free($0[index]) } }
        unsafe posix_spawnattr_destroy(&attributes)
        self.pid = pid
        self.terminal = terminal
        guard code == 0 else { throw Failure(program: words[0], code: code) }
        guard isForeground else { return }
        tcsetpgrp(terminal, pid)
        // It may have asked for the terminal already, and have been stopped for that.
        send(SIGCONT)
    }

    deinit { if terminal >= 0 { close(terminal) } }

    /// What has become of it since the last call; never waits.
    func change() -> Change {
        var status: Int32 = 0
        while true {
            let found = unsafe waitpid(pid, &status, WNOHANG | WUNTRACED)
            if found < 0, errno == EINTR { continue }
            guard found == pid else { return .none }
            if status & 0xff == 0x7f {
                if isHeld { continue }
                return .stopped
            }
            takeTerminal()
            return .ended(status & 0x7f == 0 ? .code(status >> 8 & 0xff) : .signal(status & 0x7f))
        }
    }

    /// Hands a signal on to the program and what it has started.
    func send(_ number: Int32) { _ = kill(-pid, number) }

    // MARK: Stopping

    func hold() {
        isHeld = true
        send(SIGSTOP)
    }

    func release() {
        isHeld = false
        send(SIGCONT)
    }

    /// Stops us as the program has stopped, until somebody lets us go on; then the program goes on, too.
    func stopAlong() {
        takeTerminal()
        raise(SIGSTOP)
        // In the background the terminal is another's.
        if terminal >= 0, tcgetpgrp(terminal) == getpgrp() { tcsetpgrp(terminal, pid) }
        release()
    }

    /// Gets the terminal back if the program has it.
    private func takeTerminal() {
        guard terminal >= 0, pid > 0, tcgetpgrp(terminal) == pid else { return }
        let former = signal(SIGTTOU, SIG_IGN)
        tcsetpgrp(terminal, getpgrp())
        _ = signal(SIGTTOU, former)
    }
}
