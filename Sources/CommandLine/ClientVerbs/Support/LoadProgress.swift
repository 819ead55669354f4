import Glibc
import TerminalText

/// The progress line of a file that is loaded, on a terminal, where that takes a while.
struct LoadProgress {
    private let name: String
    private let begin = ContinuousClock.now
    private var painter = Painter()
    private var last = ContinuousClock.now

    /// Quick loads show none.
    private static let patience = Duration.milliseconds(500)
    private static let pace = Duration.milliseconds(100)

    init(_ name: String) { self.name = name }

    mutating func show(_ count: Int, of size: Int) {
        let now = ContinuousClock.now
        guard now - begin > Self.patience, now - last > Self.pace, TerminalTraits.isTerminal(STDERR_FILENO),
            TerminalTraits.isCapable
        else { return }
        last = now
        let amount = "  \(Self.megabytes(count)) of \(Self.megabytes(size)) MB"
        let room = TerminalTraits.width(of: STDERR_FILENO) - amount.utf8.count - 1
        let line = DisplayText.truncated(DisplayText.harmless(name), to: max(0, room), ellipsis: "...") + amount
        if let text = painter.show(line) { write(text) }
    }

    mutating func clear() {
        if let text = painter.clear() { write(text) }
    }

    private func write(_ text: String) { Console.write(Array(text.utf8), to: STDERR_FILENO) }

    private static func megabytes(_ count: Int) -> String {
        let tenths = count / 100_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
