import AudioTypes
import Foreground
import Glibc
import Playback
import TerminalText
import Verbs

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
    /// The stream status of the current item; `nil` for local media.
    var stream: () -> ProgressLine.Stream? = { nil }

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
        write(painter.printing([text.text(inColour: inColour)]))
    }

    /// Prints several lines, such as the table of keys.
    func lines(_ lines: [String]) {
        if form == .progressLine || form == .lines { write(painter.printing(lines)) }
    }

    func write(_ event: JSON) {
        if isJSON { write(event.text + "\n") }
    }

    var columns: Int { width }

    private func report(_ text: StyledText) {
        let standardError = TextOutput.standardError
        let line = text.text(inColour: TerminalTraits.takesColour(standardError.number))
        if form == .progressLine, TerminalTraits.isTerminal(standardError.number) {
            write(painter.printing([line]))
        } else {
            standardError.writeLines([line])
        }
    }

    private func write(_ text: String) {
        guard isOpen, !text.isEmpty else { return }
        isOpen = output.write(text)
    }

    // MARK: The progress line

    /// Draws the progress line if it changed.
    func show(_ status: PlayerStatus, _ time: MediaTime) {
        guard isVisible, form == .progressLine else { return }
        if let change = painter.show(rendered(status, time)) { write(change) }
    }

    /// Starts to draw, or redraws after the terminal was resized or used by another program.
    func appear(_ status: PlayerStatus, _ time: MediaTime) {
        guard form == .progressLine else { return }
        isVisible = true
        width = TerminalTraits.width(of: output.number)
        write(painter.repaint(rendered(status, time)))
    }

    /// Removes the progress line.
    func disappear() {
        isVisible = false
        if let change = painter.clear() { write(change) }
    }

    private func rendered(_ status: PlayerStatus, _ time: MediaTime) -> String {
        // The last column is left free: some terminals wrap as soon as it is written.
        ProgressLine(status: status, time: time, stream: stream(), isUnicode: isUnicode)
            .render(width: max(0, width - 1)).text(inColour: inColour)
    }
}
