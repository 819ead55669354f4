/// What a terminal window shows: as much of a VT100 as progress lines need.
package struct TerminalScreen: Sendable {
    /// Everything that was sent, unread.
    package private(set) var received: [UInt8] = []
    package private(set) var columns: Int
    package private(set) var rows: Int
    package private(set) var cursor = (row: 0, column: 0)
    package private(set) var isCursorVisible = true
    private var cells: [[Character]]
    /// A cursor beyond the last column wraps when the next character comes, not before.
    private var pending: [UInt8] = []

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cells = Array(repeating: [], count: rows)
    }

    /// The rows, without what is blank at their ends.
    package var lines: [String] {
        cells.map { row in
            String(row).replacing(/\s+$/, with: "")
        }
    }

    /// The rows up to the last that is not empty.
    package var text: String {
        let lines = lines
        let count = (lines.lastIndex { !$0.isEmpty } ?? -1) + 1
        return lines[..<count].joined(separator: "\n")
    }

    mutating func resize(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        if cells.count > rows { cells.removeFirst(cells.count - rows) }
        while cells.count < rows { cells.append([]) }
        cursor.row = min(cursor.row, rows - 1)
    }

    mutating func receive(_ bytes: [UInt8]) {
        received += bytes
        pending += bytes
        while let length = showFirst() { pending.removeFirst(length) }
    }

    /// Shows what the pending bytes begin with.
    ///
    /// - Returns: How many bytes that was; `nil` when the rest of it has yet to come.
    private mutating func showFirst() -> Int? {
        guard let first = pending.first else { return nil }
        switch first {
        case 0x1b: return showEscape()
        case 0x0a: newLine()
        case 0x0d: cursor.column = 0
        case 0x08: cursor.column = max(0, cursor.column - 1)
        case 0x00..<0x20: break
        default:
            let length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
            guard pending.count >= length else { return nil }
            for character in String(decoding: pending[..<length], as: UTF8.self) { show(character) }
            return length
        }
        return 1
    }

    private mutating func showEscape() -> Int? {
        guard pending.count >= 2 else { return nil }
        guard pending[1] == UInt8(ascii: "[") else {
            guard pending[1] == UInt8(ascii: "]") else { return 2 }
            // A window title, ended by BEL or ESC \.
            let end = pending.firstIndex(of: 0x07) ?? pending.dropFirst(2).firstIndex(of: 0x5c)
            guard let end else { return nil }
            return end + 1
        }
        guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7e).contains($0) }) else { return nil }
        let parameters = String(decoding: pending[2..<end], as: UTF8.self)
        let numbers = parameters.split(separator: ";").map { Int($0) ?? 0 }
        control(Character(Unicode.Scalar(pending[end])), parameters, numbers)
        return end + 1
    }

    private mutating func control(_ command: Character, _ parameters: String, _ numbers: [Int]) {
        let amount = max(1, numbers.first ?? 1)
        switch command {
        case "A": cursor.row = max(0, cursor.row - amount)
        case "B": cursor.row = min(rows - 1, cursor.row + amount)
        case "C": cursor.column = min(columns - 1, cursor.column + amount)
        case "D": cursor.column = max(0, cursor.column - amount)
        case "G": cursor.column = amount - 1
        case "H", "f": cursor = (amount - 1, (numbers.count > 1 ? max(1, numbers[1]) : 1) - 1)
        case "K": eraseLine(numbers.first ?? 0)
        case "J": eraseScreen(numbers.first ?? 0)
        case "h" where parameters == "?25": isCursorVisible = true
        case "l" where parameters == "?25": isCursorVisible = false
        default: break
        }
    }

    private mutating func show(_ character: Character) {
        if cursor.column >= columns {
            cursor.column = 0
            newLine()
        }
        while cells[cursor.row].count <= cursor.column { cells[cursor.row].append(" ") }
        cells[cursor.row][cursor.column] = character
        cursor.column += 1
    }

    private mutating func newLine() {
        if cursor.row < rows - 1 {
            cursor.row += 1
        } else {
            cells.removeFirst()
            cells.append([])
        }
    }

    private mutating func eraseLine(_ mode: Int) {
        switch mode {
        case 0: cells[cursor.row] = Array(cells[cursor.row].prefix(cursor.column))
        case 1: for column in cells[cursor.row].indices.prefix(cursor.column + 1) { cells[cursor.row][column] = " " }
        default: cells[cursor.row] = []
        }
    }

    private mutating func eraseScreen(_ mode: Int) {
        if mode == 0 {
            eraseLine(0)
            for row in cells.indices.dropFirst(cursor.row + 1) { cells[row] = [] }
        } else {
            for row in cells.indices { cells[row] = [] }
        }
    }
}
