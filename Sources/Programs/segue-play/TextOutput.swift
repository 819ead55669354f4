import Files
import Glibc
import Threads

/// A descriptor for text, closed elsewhere.
struct TextOutput: Sendable {
    let number: Int32
    private let terminal: TerminalWriter?

    init(number: Int32) { (self.number, terminal) = (number, nil) }

    /// The same output; if it is a terminal that takes no bytes, waits for it only until the process is to end.
    ///
    /// - Parameter leaving: Raised when the process is to end.
    init(_ output: TextOutput, leaving: Interrupt) {
        terminal = TerminalWriter(output.number, leaving: leaving)
        number = terminal?.number ?? output.number
    }

    static let standardOutput = TextOutput(number: STDOUT_FILENO)
    static let standardError = TextOutput(number: STDERR_FILENO)

    /// Writes all of `text`, at once if the other end takes it.
    ///
    /// - Returns: Whether it was written; `false` without a reader.
    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// Writes all bytes, at once if the other end takes them.
    ///
    /// - Returns: Whether they were written.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        terminal?.write(bytes) ?? ((try? Descriptor(borrowing: number).write(bytes)) != nil)
    }

    /// Writes each line with its end, all of them at once.
    @discardableResult
    func writeLines(_ lines: [String]) -> Bool {
        lines.isEmpty || write(lines.map { $0 + "\n" }.joined())
    }
}
