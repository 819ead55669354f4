import AudioTypes
import Files
import Glibc
import Synchronization
import Threads

/// Writes to a terminal, whose other end may take no more bytes, as after a lost connection.
///
/// All methods may be called from any thread.
final class TerminalWriter: Sendable {
    /// The terminal, opened once more: programs that share the first opening expect their own writes to wait.
    let number: Int32
    private let leaving: Interrupt
    /// Held until all bytes of a text are written: those of a film's frame and of the line below it come from two threads,
    /// and a terminal that takes only a part at once must not get the other in between.
    private let turn = Mutex(())
    /// When nothing is waited for any more, once it is left.
    private let deadline = Mutex<HostTime?>(nil)

    /// How long is waited in all for the terminal to take what is written when it is left, in seconds.
    private static let patience = 0.5

    /// - Parameter leaving: Raised when the process is to end.
    /// - Returns: `nil` for what is no terminal, or one that cannot be opened once more.
    init?(_ descriptor: Int32, leaving: Interrupt) {
        guard isatty(descriptor) == 1 else { return nil }
        number = unsafe open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        self.leaving = leaving
        guard number >= 0 else { return nil }
    }

    deinit { close(number) }

    /// Writes all bytes, unless the process is to end and the terminal takes none.
    ///
    /// - Returns: Whether there is still a terminal.
    func write(_ bytes: [UInt8]) -> Bool { turn.withLock { _ in writeAll(bytes) } }

    private func writeAll(_ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe buffer.baseAddress.map { unsafe Glibc.write(number, $0 + done, buffer.count - done) } ?? 0
            }
            if count > 0 {
                done += count
            } else if errno == EAGAIN {
                guard waitForRoom() else { return true }
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Waits until the terminal takes bytes.
    ///
    /// - Returns: Whether it does.
    private func waitForRoom() -> Bool {
        while true {
            let end = leaving.isRaised ? deadlineOfLeaving() : nil
            // The interrupt is looked at once: it stays raised.
            let interrupt = Readiness.readable(end == nil ? leaving.descriptor : -1)
            let ready = Readiness.wait(for: [.writable(number), interrupt], until: end)
            if ready[0] { return true }
            if !ready[1] { return false }
        }
    }

    private func deadlineOfLeaving() -> HostTime {
        deadline.withLock { deadline in
            let end = deadline ?? .now + Self.patience
            deadline = end
            return end
        }
    }
}
