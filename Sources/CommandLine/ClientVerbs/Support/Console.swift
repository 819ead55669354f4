import CommandOptions
import Glibc
import TerminalText
import TextEncodings

/// The destination and form of a verb's output.
struct Console {
    enum Form: Hashable {
        /// Aligned for people, with the terminal's width in columns.
        case terminal(width: Int)
        /// Lines for other programs.
        case plain
        case json
    }

    let form: Form
    let inColour: Bool
    let isUnicode: Bool
    let descriptor: Int32
    private var output: [UInt8] = []
    /// The `errno` of the first write that failed.
    private var failure: Int32?

    init(form: Form, inColour: Bool = false, isUnicode: Bool = true, to descriptor: Int32 = STDOUT_FILENO) {
        self.form = form
        self.descriptor = descriptor
        self.inColour = inColour
        self.isUnicode = isUnicode
    }

    init(_ options: ServerOptions) {
        if options.json {
            self.init(form: .json)
        } else if TerminalTraits.isTerminal(STDOUT_FILENO) {
            self.init(terminal: STDOUT_FILENO)
        } else {
            self.init(form: .plain)
        }
    }

    private init(terminal: Int32) {
        self.init(
            form: .terminal(width: TerminalTraits.width(of: terminal)),
            inColour: TerminalTraits.takesColour(terminal),
            isUnicode: TerminalTraits.isUnicode,
            to: terminal
        )
    }

    /// The terminal for questions to the user, also when the output goes elsewhere; `nil` without one in the foreground.
    static var ofDialogue: Console? {
        guard TerminalTraits.isTerminal(STDIN_FILENO), Terminal.isForeground(STDIN_FILENO) else { return nil }
        return [STDOUT_FILENO, STDERR_FILENO].first(where: TerminalTraits.isTerminal).map { Console(terminal: $0) }
    }

    var isTerminal: Bool { if case .terminal = form { true } else { false } }

    /// The environment.
    func variable(_ name: String) -> String? { TerminalTraits.variable(name) }

    // MARK: Printing

    /// Prints a line; on a terminal, without control characters.
    mutating func print(_ line: String) {
        output.append(contentsOf: (isTerminal ? DisplayText.harmless(line) : line).utf8)
        endLine()
    }

    mutating func print(_ line: StyledText) {
        output.append(contentsOf: line.text(inColour: inColour).utf8)
        endLine()
    }

    mutating func print(_ json: JSON) {
        output.append(contentsOf: json.text.utf8)
        endLine()
    }

    mutating func print(_ report: some Report) {
        switch form {
        case .terminal(let width): for line in report.lines(width: width, isUnicode: isUnicode) { print(line) }
        case .plain: for line in report.plainLines { print(line) }
        case .json: for object in report.json { print(object) }
        }
    }

    mutating func print(_ table: TextTable, width: Int) {
        for line in table.lines(width: width, ellipsis: isUnicode ? "…" : "...") { print(line) }
    }

    private mutating func endLine() {
        output.append(UInt8(ascii: "\n"))
        if output.count > 1 << 16 { flush() }
    }

    /// Writes binary data, such as a picture.
    mutating func write(_ bytes: [UInt8]) {
        output.append(contentsOf: bytes)
        flush()
    }

    mutating func flush() {
        if let code = Self.write(output, to: descriptor) { failure = failure ?? code }
        output.removeAll(keepingCapacity: true)
    }

    /// Writes the rest.
    ///
    /// - Throws: An exit status, after an error that was printed, when not all of the output could be written.
    mutating func end() throws {
        flush()
        guard let failure else { return }
        Self.complain(unsafe "the output cannot be written: \(String(cString: strerror(failure)))")
        throw ExitStatus.someFailed.exitCode
    }

    /// Prints an error.
    static func complain(_ text: String) {
        write(Array("segue: \(DisplayText.harmless(text))\n".utf8), to: STDERR_FILENO)
    }

    /// - Returns: The `errno` of a failure.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes { rest in
                unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
            guard count > 0 || errno == EINTR else { return errno }
            written += max(0, count)
        }
        return nil
    }
}

/// A verb's output, in each of the three forms.
protocol Report {
    /// For people.
    func lines(width: Int, isUnicode: Bool) -> [StyledText]
    /// For scripts: mpc's output, where it has the same verb.
    var plainLines: [String] { get }
    /// One object per line.
    var json: [JSON] { get }
}
