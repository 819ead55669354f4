import AudioTypes
import CommandOptions
import Foreground
import Glibc
import PictureValues
import PictureWorkers
import Playback
import TerminalPictures
import TerminalText
import TextEncodings

/// The output for a person or a program: a terminal with a progress line, plain lines, JSON, or nothing.
@MainActor
final class Screen {
    private enum Form {
        case progressLine
        case lines
        case json
        case quiet
    }

    private let form: Form
    private let output: TextOutput
    private let inColour: Bool
    private let isUnicode: Bool
    private var painter = Painter()
    private var width: Int
    /// Whether the terminal may be drawn on: not while stopped or in the background.
    var isVisible = false
    /// Whether the output still has a reader.
    private(set) var isOpen = true
    /// Shows pictures above the lines; `nil` when only lines are shown.
    private(set) var pictures: PictureTerminal?
    /// Lines that were printed below pictures, to be printed again when those are gone.
    private var kept: [String] = []
    /// The stream status of the current item; `nil` for local media.
    var stream: () -> ProgressLine.Stream? = { nil }
    /// The lines of text that are shown now below the progress line: subtitles, or what is sung.
    var subtitles: () -> [String] = { [] }

    /// The number of the item that is shown, and of how many, where the player has only one of them.
    var place: (number: Int, count: Int)?

    init(_ display: DisplayOptions, output: TextOutput) {
        self.output = output
        let isTerminal = TerminalTraits.isTerminal(output.number) && TerminalTraits.isCapable
        form =
            if display.json { .json } else if display.quiet { .quiet } else { isTerminal ? .progressLine : .lines }
        inColour = TerminalTraits.takesColour(output.number)
        isUnicode = TerminalTraits.isUnicode
        width = TerminalTraits.width(of: output.number)
    }

    /// Whether to show the position as it changes.
    var showsProgress: Bool { form == .progressLine }
    var isJSON: Bool { form == .json }
    /// The terminal that is drawn on, for hiding its cursor; −1 for none.
    var drawnDescriptor: Int32 { form == .progressLine ? output.number : -1 }

    // MARK: Lines

    /// Prints an error: on standard error, even when quiet.
    func error(_ message: String) {
        if isJSON { return write(PlayEvents.problem(message)) }
        report(StyledText("segue: " + DisplayText.harmless(message), .bad))
    }

    /// Prints a notice that is not an error but must not be missed.
    func notice(_ message: String) {
        if isJSON { return write(PlayEvents.notice(message)) }
        if form != .quiet { report(StyledText("segue: " + DisplayText.harmless(message), .attention)) }
    }

    /// Prints a line for people.
    func line(_ text: StyledText) {
        guard form == .progressLine || form == .lines else { return }
        printLines([text.text(inColour: inColour)])
    }

    /// Prints several lines, such as the table of keys.
    func lines(_ lines: [String]) {
        if form == .progressLine || form == .lines { printLines(lines) }
    }

    func write(_ event: JSON) {
        if isJSON { write(event.text + "\n") }
    }

    var columns: Int { width }

    private func report(_ text: StyledText) {
        let standardError = TextOutput.standardError
        let line = text.text(inColour: TerminalTraits.takesColour(standardError.number))
        if form == .progressLine, TerminalTraits.isTerminal(standardError.number) {
            printLines([line])
        } else {
            standardError.writeLines([line])
        }
    }

    private func printLines(_ lines: [String]) {
        write(painter.printing(lines))
        if pictures != nil { kept = (kept + lines).suffix(Self.keptLimit) }
    }

    private static let keptLimit = 100

    /// Writes a picture, or a frame of a film, from any thread.
    nonisolated func write(_ bytes: [UInt8]) { output.write(bytes) }

    private func write(_ text: String) {
        guard isOpen, !text.isEmpty else { return }
        isOpen = output.write(text)
    }

    // MARK: The progress line

    /// Draws the progress line if it changed.
    func show(_ status: PlayerStatus, _ time: MediaTime) {
        guard isVisible, form == .progressLine else { return }
        if let change = painter.show(rendered(status, time), above: subtitleRows) { write(change) }
    }

    /// Starts to draw, or redraws after the terminal was resized or used by another program.
    func appear(_ status: PlayerStatus, _ time: MediaTime) {
        guard form == .progressLine else { return }
        isVisible = true
        width = TerminalTraits.width(of: output.number)
        if pictures != nil { clearForPictures() }
        write(painter.repaint(rendered(status, time), above: subtitleRows))
    }

    /// Removes the progress line, and pictures.
    func disappear() {
        isVisible = false
        if let change = painter.clear() { write(change) }
        if Terminal.isAlternate { leavePictures() }
    }

    // MARK: Pictures above the lines

    /// Prints a picture above the progress line, which is drawn again with the next change, unless films are shown there.
    func show(_ picture: TerminalPicture, isOfCharacters: Bool) {
        guard isVisible, pictures == nil else { return }
        if let change = painter.clear() { write(change) }
        write(PictureBlock.text(picture, isOfCharacters: isOfCharacters))
    }

    /// The lines that scroll below pictures, with the progress line.
    private static let lineCount = 4

    /// Shows pictures above the lines, on the terminal's other screen, until ``endPictures()``; the lines are drawn with the
    /// next change.
    ///
    /// - Returns: Where they are shown.
    func beginPictures(_ terminal: PictureTerminal) -> TerminalCanvas? {
        guard isVisible, form == .progressLine else { return nil }
        pictures = terminal
        if let change = painter.clear() { write(change) }
        clearForPictures()
        return pictureArea
    }

    /// Where pictures are shown; `nil` when they are not.
    var pictureArea: TerminalCanvas? {
        guard isVisible, let pictures else { return nil }
        let whole = pictures.canvas
        return pictures.canvas(columns: whole.columns, rows: max(1, whole.rows - Self.lines(of: whole)))
    }

    private static func lines(of canvas: TerminalCanvas) -> Int { canvas.rows >= 4 * lineCount ? lineCount : 1 }

    /// Clears the other screen, whose last lines scroll by themselves.
    private func clearForPictures() {
        guard let whole = pictures?.canvas else { return }
        let enter = Terminal.isAlternate ? "" : "\u{1b}[?1049h"
        Terminal.isAlternate = true
        let first = whole.rows - Self.lines(of: whole) + 1
        write(enter + removal + "\u{1b}[r\u{1b}[2J\u{1b}[\(first);\(whole.rows)r\u{1b}[\(whole.rows);1H")
    }

    /// Removes a picture that clearing the screen leaves there.
    private var removal: String {
        pictures?.graphics == .kitty ? KittyGraphics.text(removing: KittyGraphics.filmNumber) : ""
    }

    /// Shows lines only, the last ones of which were printed below pictures.
    func endPictures() {
        guard pictures != nil else { return }
        if let change = painter.clear() { write(change) }
        if Terminal.isAlternate { leavePictures() }
        pictures = nil
    }

    private func leavePictures() {
        Terminal.isAlternate = false
        write(removal + "\u{1b}[r\u{1b}[?1049l")
        write(kept.map { $0 + "\n" }.joined())
        kept = []
    }

    private var subtitleRows: [String] {
        let rows = SubtitleRows.render(subtitles(), width: max(0, width - 1))
        // Below pictures there are only so many lines.
        return pictures.map { Array(rows.prefix(Self.lines(of: $0.canvas) - 1)) } ?? rows
    }

    private func rendered(_ status: PlayerStatus, _ time: MediaTime) -> String {
        // The last column is left free: some terminals wrap as soon as it is written.
        var line = ProgressLine(status: status, time: time, stream: stream(), isUnicode: isUnicode)
        line.place = place
        return line.render(width: max(0, width - 1)).text(inColour: inColour)
    }
}
