import AudioTypes
import Glibc
import MPDImport
import TerminalText

/// A progress line on a terminal, updated ten times a second at most.
final class ImportProgress {
    private let isShown: Bool
    private var last: HostTime?

    /// - Parameter isShown: Whether to show it, if there is a terminal.
    init(isShown: Bool) {
        self.isShown = isShown && TerminalTraits.isTerminal(STDERR_FILENO) && TerminalTraits.isCapable
    }

    func show(_ progress: Takeover.Progress) {
        guard isShown, last.map({ HostTime.now - $0 >= 0.1 }) ?? true else { return }
        last = .now
        write("\r\u{1b}[K\(DisplayText.harmless(progress.what)): \(progress.done) of \(progress.count)")
    }

    /// Removes the line.
    func end() { if last != nil { write("\r\u{1b}[K") } }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
