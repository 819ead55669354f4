import Glibc
import TerminalText

/// The terminal's other screen, with the lines that are sung; what was on the terminal comes back when it is closed.
final class LyricsScreen {
    private let inColour: Bool
    private let isUnicode: Bool
    private var isOpen = false
    private var shown = Shown.nothing

    private enum Shown {
        case nothing
        case message(String)
        case page(LyricsPage)
    }

    init(_ console: Console) {
        inColour = console.inColour
        isUnicode = console.isUnicode
    }

    func open() {
        guard !isOpen else { return draw() }
        isOpen = true
        write("\u{1b}[?1049h\u{1b}[?25l")
        draw()
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        write("\u{1b}[?25h\u{1b}[?1049l")
    }

    /// Gives the terminal back and stops the process, as Ctrl-Z does; SIGCONT is to open it again.
    func suspend() {
        close()
        raise(SIGSTOP)
    }

    func show(_ message: String) {
        shown = .message(message)
        draw()
    }

    func show(_ page: LyricsPage) {
        shown = .page(page)
        draw()
    }

    private func draw() {
        guard isOpen else { return }
        let (width, height) = (TerminalTraits.width(of: STDOUT_FILENO), TerminalTraits.height(of: STDOUT_FILENO))
        let rows =
            switch shown {
            case .nothing: [StyledText]()
            case .message(let text):
                [StyledText(DisplayText.truncated(DisplayText.harmless(text), to: max(0, width - 1)))]
            case .page(let page): page.render(width: width, height: height, isUnicode: isUnicode)
            }
        // Each row is written over, so that nothing flickers.
        let text = rows.map { $0.text(inColour: inColour) + "\u{1b}[K" }.joined(separator: "\r\n")
        write("\u{1b}[H" + text + "\u{1b}[J")
    }

    private func write(_ text: String) { Console.write(Array(text.utf8), to: STDOUT_FILENO) }
}
