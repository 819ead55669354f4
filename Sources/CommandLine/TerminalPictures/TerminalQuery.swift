internal import AudioTypes
internal import Files
private import Glibc
internal import TerminalText

/// Asks the terminal of this process what pictures it can show.
enum TerminalQuery {
    /// How long answers are waited for; over a network longer.
    ///
    /// In seconds.
    private static var patience: Double { TerminalTraits.variable("SSH_CONNECTION") == nil ? 0.3 : 2 }

    /// Blocks until the terminal has answered, or for a moment if it does not.
    ///
    /// Keys that are typed meanwhile are lost.
    static func ask() -> TerminalReplies {
        var replies = TerminalReplies()
        // The console prints what it does not know, and can show no pictures.
        guard TerminalTraits.isCapable, TerminalTraits.variable("TERM") != "linux" else { return replies }
        let terminal = unsafe open("/dev/tty", O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return replies }
        defer { close(terminal) }
        var saved = termios()
        guard tcgetpgrp(terminal) == getpgrp(), unsafe tcgetattr(terminal, &saved) == 0 else { return replies }
        // Signals that end the process wait until the terminal is as it was.
        var (signals, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] { unsafe sigaddset(&signals, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        var mode = saved
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        unsafe tcsetattr(terminal, TCSANOW, &mode)
        defer { unsafe tcsetattr(terminal, TCSANOW, &saved) }
        guard (try? Descriptor(borrowing: terminal).write(Array(TerminalReplies.questions.utf8))) != nil else {
            return replies
        }
        receive(&replies, from: terminal)
        return replies
    }

    private static func receive(_ replies: inout TerminalReplies, from terminal: Int32) {
        let end = HostTime.now + patience
        var bytes = [UInt8](repeating: 0, count: 512)
        while !replies.isComplete {
            guard Readiness.readable(terminal).wait(until: end) else { return }
            let count = unsafe read(terminal, &bytes, bytes.count)
            guard count > 0 else { return }
            replies.add(bytes[..<count])
        }
    }
}
