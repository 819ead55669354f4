/// Produces the output for a terminal whose last line shows the progress, with rows below it at times.
///
/// Every change is one string, to be written at once, so that nothing flickers; without a change there is no output.
package struct Painter: Sendable {
    /// What is currently on the terminal: the progress line, and the rows below it.
    private var shown: [String] = []

    package init() {}

    /// The output that shows `line` as the progress line, above other rows; `nil` when it is shown already.
    package mutating func show(_ line: String, above rows: [String] = []) -> String? {
        guard [line] + rows != shown else { return nil }
        return repaint(line, above: rows)
    }

    /// The output that prints `lines` above the progress line.
    package func printing(_ lines: [String]) -> String {
        guard !lines.isEmpty else { return "" }
        let text = lines.map { $0 + "\n" }.joined()
        return shown.isEmpty ? text : erasure + text + shown.joined(separator: "\n")
    }

    /// The output that redraws the line after the terminal was resized or used by another program.
    ///
    /// - Parameters:
    ///   - columns: The terminal's columns.
    ///   - isBroken: Whether it has broken lines that do not fit any more into several; else it has cut them off.
    package mutating func repaint(
        _ line: String,
        above rows: [String] = [],
        columns: Int = .max,
        isBroken: Bool = TerminalTraits.breaksLines
    ) -> String {
        let erasure = isBroken ? Self.erasure(of: rowCount(brokenAt: columns)) : erasure
        shown = [line] + rows
        return erasure + shown.joined(separator: "\n")
    }

    /// The output that removes the line; `nil` when there is none.
    package mutating func clear() -> String? {
        guard !shown.isEmpty, shown != [""] else { return nil }
        let erasure = erasure
        shown = []
        return erasure
    }

    /// Erases what is shown, from the progress line on.
    private var erasure: String { Self.erasure(of: shown.count) }

    private static func erasure(of rows: Int) -> String {
        rows > 1 ? "\r\u{1b}[\(rows - 1)A\u{1b}[J" : "\r\u{1b}[K"
    }

    /// How many rows of a terminal what is shown takes.
    private func rowCount(brokenAt columns: Int) -> Int {
        shown.reduce(0) { count, line in
            let width = DisplayText.width(of: line.replacing(/\u{1b}\[[0-9;]*m/, with: ""))
            return count + 1 + max(0, width - 1) / max(1, columns)
        }
    }
}
