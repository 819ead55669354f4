import Glibc
import Synchronization
import TerminalText
import Threads

/// The signals of a foreground player.
enum Signals {
    private static let interruptions = Atomic<Int>(0)

    /// Starts to deliver signals; a second SIGINT ends the process at once.
    static func receive(_ handler: @escaping @Sendable (Int32) -> Void) throws {
        // Terminal use is checked before it happens; in the background, SIGTTIN would only stop the music.
        _ = signal(SIGTTIN, SIG_IGN)
        _ = signal(SIGTTOU, SIG_IGN)
        try ProcessSignals.receive([SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH]) { number in
            if number == SIGINT, interruptions.add(1, ordering: .relaxed).newValue > 1 {
                Terminal.restore()
                ProcessSignals.die(by: SIGINT)
            }
            handler(number)
        }
    }
}
