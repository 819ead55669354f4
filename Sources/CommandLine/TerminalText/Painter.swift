/// Produces the output for a terminal whose last line shows the progress.
///
/// Every change is one string, to be written at once, so that nothing flickers; without a change there is no output.
package struct Painter: Sendable {
    private static let eraseLine = "\r\u{1b}[K"

    /// The progress line currently on the terminal.
    package private(set) var shown = ""

    package init() {}

    /// The output that shows `line` as the progress line; `nil` when it is shown already.
    package mutating func show(_ line: String) -> String? {
        guard line != shown else { return nil }
        shown = line
        return Self.eraseLine + line
    }

    /// The output that prints `lines` above the progress line.
    package func printing(_ lines: [String]) -> String {
        guard !lines.isEmpty else { return "" }
        let text = lines.map { $0 + "\n" }.joined()
        return shown.isEmpty ? text : Self.eraseLine + text + shown
    }

    /// The output that redraws the line after the terminal was resized or used by another program.
    package mutating func repaint(_ line: String) -> String {
        shown = line
        return Self.eraseLine + line
    }

    /// The output that removes the line; `nil` when there is none.
    package mutating func clear() -> String? {
        guard !shown.isEmpty else { return nil }
        shown = ""
        return Self.eraseLine
    }
}
