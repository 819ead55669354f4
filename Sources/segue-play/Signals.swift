import Glibc
import Mixing

/// The signals of a player in the foreground, received by a thread of their own, where everything may be done.
///
/// They come through a pipe that a handler writes to. Blocking them and waiting with sigwait(3) would do only if no
/// library ever opened them in a thread of its own, as libdispatch does.
enum Signals {
    /// Those that are acted on.
    private static let received = [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH]

    /// Where the handler writes; at a fixed address, with no Swift object in it.
    nonisolated(unsafe) private static let writeEnd: UnsafeMutablePointer<Int32> = {
        let number = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        unsafe number.initialize(to: -1)
        return unsafe number
    }()

    /// Opens all signals, which the parent may have left blocked; must come before the first other thread.
    static func unblock() {
        var set = sigset_t()
        unsafe sigfillset(&set)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Starts to hand over signals; a second SIGINT ends the process at once.
    ///
    /// What the parent set to be ignored, such as SIGHUP under nohup(1), stays so.
    static func receive(_ handler: @escaping @Sendable (Int32) -> Void) {
        _ = signal(SIGPIPE, SIG_IGN)
        // In the background the terminal is let alone by asking; a signal would only stop the music.
        _ = signal(SIGTTIN, SIG_IGN)
        _ = signal(SIGTTOU, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { return }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        unsafe writeEnd.pointee = ends[1]
        let readEnd = ends[0]
        WorkThread.start(named: "segue-signals") { deliver(from: readEnd, to: handler) }
        for number in received where !isIgnored(number) {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = onSignal
            action.sa_flags = SA_RESTART
            unsafe sigaction(number, &action, nil)
        }
    }

    private static func deliver(from readEnd: Int32, to handler: (Int32) -> Void) {
        var interruptions = 0
        var byte: UInt8 = 0
        while true {
            guard unsafe read(readEnd, &byte, 1) == 1 else { continue }
            let number = Int32(byte)
            if number == SIGINT { interruptions += 1 }
            if interruptions > 1 {
                Terminal.restore()
                die(by: SIGINT)
            }
            handler(number)
        }
    }

    private nonisolated static let onSignal: @convention(c) (Int32) -> Void = { number in
        let code = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = unsafe write(writeEnd.pointee, &byte, 1)
        errno = code
    }

    /// Ends the process by a signal, so that the parent sees what happened: a shell stops its loop and reports
    /// 128 + the signal's number.
    static func die(by number: Int32) -> Never {
        _ = signal(number, SIG_DFL)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
        _exit(128 + number)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
