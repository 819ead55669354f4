private import Glibc

/// A process's signals, received by a thread of their own, which may call any function.
///
/// They arrive through a pipe that a handler writes to. Blocking them and waiting with sigwait(3) would work only if no
/// library ever unblocked them in a thread of its own, as libdispatch does.
package enum ProcessSignals {
    /// The handler's end of the pipe; at a fixed address, with no Swift object in it.
    nonisolated(unsafe) private static let writeEnd: UnsafeMutablePointer<Int32> = {
        let number = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        unsafe number.initialize(to: -1)
        return unsafe number
    }()

    /// Unblocks all signals, which the parent may have left blocked; must come before the first other thread.
    package static func unblock() {
        var set = sigset_t()
        unsafe sigfillset(&set)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Starts to deliver signals, and ignores SIGPIPE.
    ///
    /// Signals ignored by the parent, such as SIGHUP under nohup(1), stay ignored.
    ///
    /// - Parameters:
    ///   - evenIgnored: Receives those as well: for a service, to which they are orders rather than a terminal's end.
    ///   - handler: Called on the signals' thread.
    /// - Throws: `ThreadError`.
    package static func receive(
        _ numbers: [Int32],
        evenIgnored: Bool = false,
        _ handler: @escaping @Sendable (Int32) -> Void
    ) throws(ThreadError) {
        _ = signal(SIGPIPE, SIG_IGN)
        let readEnd = openPipe(for: numbers, restartsCalls: true, evenIgnored: evenIgnored)
        guard readEnd >= 0 else { return }
        try WorkThread.start(named: "segue-signals") { deliver(from: readEnd, to: handler) }
    }

    /// Delivers signals as bytes of a pipe, so that poll(2) can wait for them besides a socket.
    ///
    /// - Parameters:
    ///   - restartsCalls: Whether interrupted system calls are restarted.
    ///   - evenIgnored: Whether signals that the parent ignored are received; otherwise they stay ignored.
    /// - Returns: The pipe's reading end; −1 on failure.
    package static func openPipe(
        for numbers: [Int32],
        restartsCalls: Bool = false,
        evenIgnored: Bool = false
    ) -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { return -1 }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        unsafe writeEnd.pointee = ends[1]
        for number in numbers where evenIgnored || !isIgnored(number) {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = onSignal
            action.sa_flags = restartsCalls ? SA_RESTART : 0
            unsafe sigaction(number, &action, nil)
        }
        return ends[0]
    }

    /// Gives signals that arrive through a pipe their usual effect again.
    ///
    /// - Parameter pipe: Of ``openPipe(for:restartsCalls:evenIgnored:)``; it is closed.
    package static func closePipe(_ pipe: Int32, for numbers: [Int32]) {
        for number in numbers where !isIgnored(number) { _ = signal(number, SIG_DFL) }
        unsafe close(writeEnd.pointee)
        unsafe writeEnd.pointee = -1
        close(pipe)
    }

    private static func deliver(from readEnd: Int32, to handler: (Int32) -> Void) {
        var byte: UInt8 = 0
        while true {
            guard unsafe read(readEnd, &byte, 1) == 1 else { continue }
            handler(Int32(byte))
        }
    }

    private nonisolated static let onSignal: @convention(c) (Int32) -> Void = { number in
        let code = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = unsafe write(writeEnd.pointee, &byte, 1)
        errno = code
    }

    /// Ends the process with a signal, so that the parent sees the cause: a shell stops its loop and reports
    /// 128 + the signal's number.
    package static func die(by number: Int32) -> Never {
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
