import ChildPrograms
import Glibc
import TerminalText

/// A program run as by a shell: in a process group of its own, with our standard streams, and with the terminal if we
/// have it.
final class ChildProgram {
    /// Why a program could not be started.
    struct Failure: Error {
        let program: String
        let code: Int32

        var isMissing: Bool { code == ENOENT }
        var description: String { "\(program): \(unsafe String(cString: strerror(code)))" }
    }

    private let program: RunningProgram
    /// The controlling terminal; −1 when there is none.
    private let terminal: Int32
    /// Whether we have stopped it ourselves.
    private var isHeld = false

    /// Starts a program; the first word is its path, or a name that is looked up in PATH.
    ///
    /// It inherits everything that a shell would pass on: variables, open files and limits. Signals that this process
    /// handles have their default actions there; signals that our parent ignored stay ignored. When the calling thread
    /// ends before it does, it gets SIGTERM.
    init(_ words: [String]) throws(Failure) {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
        let isForeground = terminal >= 0 && tcgetpgrp(terminal) == getpgrp()
        var program = ProgramStart(words)
        program.environment = .whole
        program.keepsDescriptors = true
        program.resetsSignals = false
        // Even when this process is killed, its program does not play on outside of the arbitration.
        program.endSignal = SIGTERM
        do throws(ProgramStart.Failure) {
            self.program = try program.run()
        } catch {
            if terminal >= 0 { close(terminal) }
            throw Failure(program: words[0], code: error.number)
        }
        self.terminal = terminal
        guard isForeground else { return }
        tcsetpgrp(terminal, self.program.id)
        // It may have been stopped already for using the terminal.
        send(SIGCONT)
    }

    deinit { if terminal >= 0 { close(terminal) } }

    /// The change of its state since the last call; never waits.
    ///
    /// - Returns: `nil` when there is none, apart from having been stopped by `hold`.
    func change() -> RunningProgram.Change? {
        var change = program.change()
        while isHeld, change == .stopped { change = program.change() }
        if case .ended = change { takeTerminal() }
        return change
    }

    /// Sends a signal to the program and its children.
    func send(_ number: Int32) { program.sendToAll(number) }

    // MARK: Stopping

    func hold() {
        isHeld = true
        send(SIGSTOP)
    }

    func release() {
        isHeld = false
        send(SIGCONT)
    }

    /// Lets it go on, if it was stopped by `hold`.
    func releaseIfHeld() { if isHeld { release() } }

    /// Stops this process like the program; when continued, continues the program, too.
    func stopAlong() {
        takeTerminal()
        raise(SIGSTOP)
        // In the background another job owns the terminal.
        if terminal >= 0, tcgetpgrp(terminal) == getpgrp() { tcsetpgrp(terminal, program.id) }
        release()
    }

    /// Takes back the terminal if the program has it.
    private func takeTerminal() {
        guard terminal >= 0, tcgetpgrp(terminal) == program.id else { return }
        let former = signal(SIGTTOU, SIG_IGN)
        tcsetpgrp(terminal, getpgrp())
        _ = signal(SIGTTOU, former)
    }
}
