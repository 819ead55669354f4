package import CommandOptions
package import Files
private import Glibc
package import PictureValues
package import PictureWorkers
internal import TerminalText

/// A terminal that pictures are shown in.
package struct PictureTerminal: Sendable {
    package let graphics: TerminalCanvas.Graphics
    package let colours: TerminalCanvas.Colours
    private let cell: PixelSize?
    private let output: Int32

    /// Asks the terminal what it can show.
    ///
    /// Blocks for a moment.
    ///
    /// - Parameters:
    ///   - choice: How pictures are shown, whatever the terminal answers.
    ///   - output: The file that is written to.
    /// - Returns: `nil` when the output is not a terminal that can show pictures, and no choice was made.
    package init?(_ choice: GraphicsOption, output: Int32 = STDOUT_FILENO) {
        let isTerminal = TerminalTraits.isTerminal(output) && TerminalTraits.isCapable
        let chosen = TerminalCanvas.Graphics(rawValue: choice.rawValue)
        guard isTerminal || chosen != nil else { return nil }
        let replies = isTerminal ? TerminalQuery.ask() : TerminalReplies()
        graphics = chosen ?? replies.graphics
        colours = isTerminal ? replies.colours(TerminalTraits.variable) : .full
        self.output = output
        cell = replies.cell
    }

    /// The terminal's size now.
    package var canvas: TerminalCanvas {
        var size = winsize()
        if unsafe ioctl(output, UInt(TIOCGWINSZ), &size) != 0 { size = winsize() }
        let columns = size.ws_col > 0 ? Int(size.ws_col) : TerminalTraits.width(of: output)
        let rows = size.ws_row > 0 ? Int(size.ws_row) : TerminalTraits.variable("LINES").flatMap { Int($0) } ?? 24
        return canvas(columns: columns, rows: rows, size)
    }

    /// A part of the terminal.
    ///
    /// - Parameters:
    ///   - columns: In cells.
    ///   - rows: In cells.
    package func canvas(columns: Int, rows: Int) -> TerminalCanvas {
        var size = winsize()
        if unsafe ioctl(output, UInt(TIOCGWINSZ), &size) != 0 { size = winsize() }
        return canvas(columns: columns, rows: rows, size)
    }

    /// Where a cover is shown beside lines.
    package var coverCanvas: TerminalCanvas {
        let whole = canvas
        return canvas(columns: min(24, max(4, whole.columns / 3)), rows: min(12, max(2, whole.rows / 2)))
    }

    /// A cover as it is shown beside lines.
    ///
    /// Blocks.
    package func cover(_ file: borrowing Descriptor) throws(PictureError) -> TerminalPicture {
        try PictureWorker(program: Self.program).show(TerminalOrder(coverCanvas, isOfCover: true), of: file)
    }

    private func canvas(columns: Int, rows: Int, _ size: winsize) -> TerminalCanvas {
        let told =
            size.ws_col > 0 && size.ws_row > 0
            ? PixelSize(Int(size.ws_xpixel / size.ws_col), Int(size.ws_ypixel / size.ws_row)) : nil
        return TerminalCanvas(
            graphics,
            colours,
            isUnicode: TerminalTraits.isUnicode,
            isRemote: TerminalTraits.variable("SSH_CONNECTION") != nil,
            columns: columns,
            rows: rows,
            cell: cell ?? told
        )
    }

    /// The program that decodes pictures.
    package static var program: String { siblingProgram("segue-pictures") ?? "segue-pictures" }
}
