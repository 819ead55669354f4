import Files
import Glibc

/// A descriptor for text, closed elsewhere.
struct TextOutput: Sendable {
    let number: Int32

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
    func write(_ bytes: [UInt8]) -> Bool { (try? Descriptor(borrowing: number).write(bytes)) != nil }

    /// Writes each line with its end, all of them at once.
    @discardableResult
    func writeLines(_ lines: [String]) -> Bool {
        lines.isEmpty || write(lines.map { $0 + "\n" }.joined())
    }
}
