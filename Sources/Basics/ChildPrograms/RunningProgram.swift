private import Glibc

/// A program that runs as a child of this process, until it has ended and that was noticed here.
///
/// Its number stays its own until then.
package struct RunningProgram: Sendable, Hashable {
    /// How a program ended.
    package enum End: Sendable, Hashable {
        /// With a status of 0 to 255; 0 is success.
        case exited(Int32)
        /// By a signal.
        case signalled(Int32)

        /// - Parameter status: Of waitpid(2).
        fileprivate init(status: Int32) {
            let signal = status & 0x7f
            self = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
        }
    }

    package enum Change: Sendable, Hashable {
        /// It was stopped, for example by Ctrl-Z.
        case stopped
        case ended(End)
    }

    /// Its process id, and that of its process group.
    package let id: Int32

    init(id: Int32) { self.id = id }

    /// Waits until it has ended.
    @discardableResult
    package func waitForEnd() -> End {
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
        return End(status: status)
    }

    /// A change of its state that was not told yet; never waits.
    package func change() -> Change? {
        var status: Int32 = 0
        var found: pid_t
        repeat { found = unsafe waitpid(id, &status, WNOHANG | WUNTRACED) } while found < 0 && errno == EINTR
        guard found == id else { return nil }
        return status & 0xff == 0x7f ? .stopped : .ended(End(status: status))
    }

    /// Whether it has ended, which stays to be told of.
    package var hasEnded: Bool {
        var information = unsafe siginfo_t()
        let result = unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT | WNOHANG)
        return unsafe result != 0 || information.si_signo != 0
    }

    package func send(_ signal: Int32) { kill(id, signal) }

    /// Sends a signal to it and to its children.
    package func sendToAll(_ signal: Int32) { kill(-id, signal) }
}
