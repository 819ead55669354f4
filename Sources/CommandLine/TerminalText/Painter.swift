/// Produces the output for a terminal whose last line shows the progress, with rows below it at times.
///
/// Every change is one string, to be written at once, so that nothing flickers; without a change there is no output. The
/// cursor rests at the beginning of the progress line. It stays there when the terminal is resized, whether that breaks lines
/// that do not fit any more into several or cuts them off, so that all of them can be erased.
package struct Painter: Sendable {
    /// The lines that are on the terminal: the progress line, and the rows below it.
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
        return shown.isEmpty ? text : Self.erasure + text + drawing
    }

    /// The output that redraws the line after the terminal was resized or used by another program.
    package mutating func repaint(_ line: String, above rows: [String] = []) -> String {
        shown = [line] + rows
        return "\r" + drawing
    }

    /// The output that removes the line; `nil` when there is none.
    package mutating func clear() -> String? {
        guard !shown.isEmpty, shown != [""] else { return nil }
        shown = []
        return Self.erasure
    }

    /// Erases all from the progress line on; first the line, since tmux keeps a screen that is erased as a whole in its
    /// history.
    private static let erasure = "\r\u{1b}[K\u{1b}[J"

    /// Draws over what is shown.
    ///
    /// Lines that are too long for a terminal that has become narrower just now are cut off.
    private var drawing: String {
        guard let line = shown.first else { return "" }
        let rows = shown.dropFirst()
        let back = rows.isEmpty ? "" : "\u{1b}[\(rows.count)A"
        return "\u{1b}[?7l" + line + "\u{1b}[J" + rows.map { "\n" + $0 }.joined() + "\u{1b}[?7h\r" + back
    }
}
