import Glibc
import ProtocolClient
import TerminalText
import Threads

/// The progress line of `segue update --wait` on a terminal, until the library is up to date.
struct UpdateProgress {
    private let session: Session
    private let signals: Int32
    private var painter = Painter()
    private var progress: LibraryProgress?

    /// Seconds between two queries.
    private static let pace = 0.25

    /// - Returns: `nil` if no line can be drawn.
    init?(_ session: Session) {
        guard session.console.isTerminal, TerminalTraits.isCapable, !session.options.quiet else { return nil }
        self.session = session
        signals = Interrupts.receive([SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT])
    }

    /// Waits until no update up to a number is running.
    mutating func wait(for last: Int) throws {
        defer { clear() }
        while let job = try session.status().updateJob, job <= last {
            let wasStuck = progress?.isStuck == true
            // A server other than segued reports no progress, so wait without a line.
            progress = session.libraryProgress
            // The caller tells the error.
            if wasStuck, progress?.isStuck == true { return }
            draw()
            try session.connection.beginIdle(["update"])
            if waitForChange() {
                _ = try session.connection.endIdle()
            } else {
                try session.connection.cancelIdle()
            }
        }
    }

    /// - Returns: Whether the server has sent something; otherwise query it again.
    private mutating func waitForChange() -> Bool {
        let server = session.connection.descriptor
        let end = monotonicSeconds() + Self.pace
        while true {
            let ready = Interrupts.wait(for: [server, signals], seconds: max(0, end - monotonicSeconds()))
            if ready.contains(signals) { obeySignals() }
            if ready.contains(server) { return true }
            if ready.isEmpty { return false }
        }
    }

    private mutating func obeySignals() {
        for number in Interrupts.take(from: signals) {
            switch number {
            case SIGWINCH, SIGCONT: draw(again: true)
            default:
                // The server continues; only the wait ends.
                clear()
                ProcessSignals.die(by: number)
            }
        }
    }

    private mutating func draw(again: Bool = false) {
        guard let progress else { return }
        let width = TerminalTraits.width(of: STDOUT_FILENO)
        let line = progress.line(width: width, isUnicode: session.console.isUnicode)
            .text(inColour: session.console.inColour)
        if let text = again ? painter.repaint(line) : painter.show(line) { write(text) }
    }

    private mutating func clear() {
        if let text = painter.clear() { write(text) }
    }

    private func write(_ text: String) { Console.write(Array(text.utf8), to: STDOUT_FILENO) }
}
