import Glibc

/// The terminal's mode while keys are read and the progress line is shown; it is restored however the process ends.
package enum Terminal {
    /// Read by handlers of fatal signals, so it has a fixed address and contains no Swift object.
    private struct State {
        var keys: Int32 = -1
        var screen: Int32 = -1
        var saved = termios()
        var isChanged = false
        var isAlternate = false
    }

    nonisolated(unsafe) private static let state: UnsafeMutablePointer<State> = {
        let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        unsafe state.initialize(to: State())
        return unsafe state
    }()

    /// The previous actions of fatal signals; one element per signal number.
    nonisolated(unsafe) private static let earlier: UnsafeMutablePointer<sigaction> = {
        let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
        unsafe actions.initialize(repeating: sigaction(), count: 65)
        return unsafe actions
    }()

    private static let showCursor: StaticString = "\u{1b}[?25h"
    private static let hideCursor: StaticString = "\u{1b}[?25l"
    private static let leaveAlternate: StaticString = "\u{1b}[r\u{1b}[?1049l"

    // MARK: Queries

    /// Whether this process may use the terminal now, and is not in the background.
    package static func isForeground(_ descriptor: Int32) -> Bool { tcgetpgrp(descriptor) == getpgrp() }

    // MARK: Changing and restoring

    /// Starts reading keys one by one, without echo, from `keys`, and hides the cursor on `screen`; −1 skips one of
    /// them.
    package static func enter(keys: Int32, screen: Int32) {
        // Once changed, the saved mode stays: the program that stopped us may have changed the mode since.
        let isSaved = unsafe state.pointee.isChanged && state.pointee.keys == keys
        unsafe state.pointee.keys = -1
        unsafe state.pointee.screen = screen
        if keys >= 0, unsafe isSaved || tcgetattr(keys, &state.pointee.saved) == 0 {
            unsafe state.pointee.keys = keys
            var mode = unsafe state.pointee.saved
            mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
            // Ctrl-S would only freeze the progress line.
            mode.c_iflag &= ~tcflag_t(IXON)
            unsafe withUnsafeMutableBytes(of: &mode.c_cc) { characters in
                unsafe characters[Int(VMIN)] = 1
                unsafe characters[Int(VTIME)] = 0
            }
            unsafe state.pointee.isChanged = true
            unsafe tcsetattr(keys, TCSANOW, &mode)
        }
        if screen >= 0 {
            unsafe state.pointee.isChanged = true
            write(hideCursor, to: screen)
        }
        installGuards
    }

    /// Whether the alternate screen is shown, which is left when the terminal is restored.
    package static var isAlternate: Bool {
        get { unsafe state.pointee.isAlternate }
        set { unsafe state.pointee.isAlternate = newValue }
    }

    /// Restores the terminal; safe in a signal handler, and without effect when nothing was changed.
    package static func restore() {
        guard unsafe state.pointee.isChanged else { return }
        unsafe state.pointee.isChanged = false
        let (keys, screen) = unsafe (state.pointee.keys, state.pointee.screen)
        // In the background another job owns the terminal already.
        if keys >= 0, isForeground(keys) { unsafe tcsetattr(keys, TCSANOW, &state.pointee.saved) }
        if screen >= 0, isAlternate { write(leaveAlternate, to: screen) }
        isAlternate = false
        if screen >= 0 { write(showCursor, to: screen) }
    }

    /// In milliseconds.
    private static let patience: Int32 = 200

    private static func write(_ text: StaticString, to descriptor: Int32) {
        var done = 0
        while done < text.utf8CodeUnitCount {
            // One that takes no bytes is left as it is.
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&request, 1, patience) > 0 else { return }
            let count = unsafe Glibc.write(descriptor, text.utf8Start + done, text.utf8CodeUnitCount - done)
            if count > 0 {
                done += count
                continue
            }
            guard errno == EAGAIN || errno == EINTR else { return }
        }
    }

    /// Installed once: exit and fatal signals restore the terminal first.
    private static let installGuards: Void = {
        atexit(atExit)
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGQUIT, SIGSYS] {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = onDeadlySignal
            unsafe sigaction(number, &action, earlier + Int(number))
        }
    }()

    /// Has signals that end the process restore the terminal first, whatever it is waiting for then; those that are ignored
    /// stay so.
    package static func restore(before numbers: [Int32]) {
        for number in numbers {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = onDeadlySignal
            unsafe sigaction(number, &action, earlier + Int(number))
            let isIgnored =
                unsafe unsafeBitCast((earlier + Int(number)).pointee.__sigaction_handler.sa_handler, to: Int.self) == 1
            if isIgnored { unsafe sigaction(number, earlier + Int(number), nil) }
        }
    }

    private nonisolated static let atExit: @convention(c) () -> Void = { Terminal.restore() }

    private nonisolated static let onDeadlySignal: @convention(c) (Int32) -> Void = { number in
        Terminal.restore()
        // Raised again, the signal has its previous action, once this handler has returned.
        unsafe sigaction(number, earlier + Int(number), nil)
        raise(number)
    }
}
