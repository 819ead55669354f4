private import Foundation
private import Glibc
private import Synchronization

/// A program that runs in a pseudo terminal, as a person's would: it is typed into, looked at and resized.
package final class TerminalProcess: Sendable {
    package let process: ChildProcess
    private let controller: Int32
    private let screen: Watched<TerminalScreen>
    private let gate = Gate()

    /// What the terminal's reader goes through.
    private final class Gate: Sendable {
        private let change = NSCondition()
        private let isShut = Mutex(false)

        func set(_ isShut: Bool) {
            change.withLock {
                self.isShut.withLock { $0 = isShut }
                change.broadcast()
            }
        }

        func pass() { change.withLock { while isShut.withLock({ $0 }) { change.wait() } } }
    }

    deinit { gate.set(false) }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: The whole environment but TERM; `nil` inherits the test's.
    ///   - answer: What the terminal answers to a program that asks what it is (DA1) and what it can do.
    package init(
        _ command: String,
        _ arguments: [String] = [],
        environment: [String: String]? = nil,
        columns: Int = 80,
        rows: Int = 24,
        answer: String = "\u{1b}[?62;22c"
    ) throws {
        // What posix_openpt, unlockpt and ptsname_r do; Swift does not see those.
        controller = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var locked: Int32 = 0
        var number: UInt32 = 0
        let isReady =
            unsafe ioctl(controller, 0x4004_5431, &locked) == 0 && ioctl(controller, 0x8004_5430, &number) == 0
        precondition(isReady, "no pseudo terminals")
        let device = "/dev/pts/\(number)"
        // Held open while the program starts: a terminal that no process has open gives its reader an end of file.
        let controller = controller
        let held = unsafe open(device, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(held) }
        let screen = Watched(TerminalScreen(columns: columns, rows: rows, answer: answer))
        self.screen = screen
        var environment = environment ?? ProcessInfo.processInfo.environment
        environment["TERM"] = "xterm-256color"
        Self.setSize(of: controller, columns: columns, rows: rows)
        process = try ChildProcess(
            inTerminal: device,
            controller: controller,
            command,
            arguments,
            environment: environment,
            onOutput: { [gate] bytes in
                gate.pass()
                let answers = screen.withLock { screen in
                    screen.receive(bytes)
                    return screen.takeAnswers()
                }
                for answer in answers { _ = unsafe Glibc.write(controller, answer, answer.utf8.count) }
            },
            onEnd: { screen.withLock { $0.hangUp() } }
        )
    }

    /// Types text; `"\u{3}"` is Ctrl-C, `"\u{1b}[C"` the right arrow.
    package func type(_ keys: String) { process.write(keys) }

    /// Takes no more bytes, as the terminal of a connection that is lost.
    package func stopReading() { gate.set(true) }
    /// Takes bytes again.
    package func goOnReading() { gate.set(false) }

    /// Changes the window's size; the program is sent SIGWINCH by the kernel.
    package func resize(columns: Int, rows: Int) {
        screen.withLock { $0.resize(columns: columns, rows: rows) }
        Self.setSize(of: controller, columns: columns, rows: rows)
    }

    /// What the window shows and has been sent.
    package var contents: TerminalScreen { screen.current }

    /// Whether the terminal is in its ordinary line mode with echo: what a well-behaved program leaves behind.
    package var isInLineMode: Bool {
        var settings = termios()
        guard unsafe tcgetattr(controller, &settings) == 0 else { return false }
        let wanted = tcflag_t(ICANON | ECHO)
        return settings.c_lflag & wanted == wanted
    }

    /// Waits until what the window shows fulfils `condition`; a program that has ended is not waited for any longer.
    package func wait(
        within deadline: Duration = .patience,
        until condition: @escaping @Sendable (borrowing TerminalScreen) -> Bool
    ) async throws {
        // A program may have taken back, before this goes on, what fulfilled the condition.
        let isFulfilled = Watched(false)
        let isOver = await screen.wait(within: deadline) { screen in
            if condition(screen) { isFulfilled.withLock { $0 = true } }
            return isFulfilled.current || screen.isHungUp
        }
        guard !isFulfilled.current else { return }
        let text = contents.text
        throw isOver ? ChildProcessError.ended("terminal", output: text) : .deadline("terminal", output: text)
    }

    /// Waits until the window shows `text`.
    package func waitForText(_ text: String, within deadline: Duration = .patience) async throws {
        try await wait(within: deadline) { $0.text.contains(text) }
    }

    private static func setSize(of terminal: Int32, columns: Int, rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }
}
