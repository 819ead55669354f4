import Glibc
import Scheduling
import Synchronization

/// The signals of a player in the foreground.
enum Signals {
    private static let interruptions = Atomic<Int>(0)

    /// Starts to hand over signals; a second SIGINT ends the process at once.
    static func receive(_ handler: @escaping @Sendable (Int32) -> Void) {
        // In the background the terminal is let alone by asking; a signal would only stop the music.
        _ = signal(SIGTTIN, SIG_IGN)
        _ = signal(SIGTTOU, SIG_IGN)
        ProcessSignals.receive([SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH]) { number in
            if number == SIGINT, interruptions.add(1, ordering: .relaxed).newValue > 1 {
                Terminal.restore()
                ProcessSignals.die(by: SIGINT)
            }
            handler(number)
        }
    }
}
