package import PictureValues

/// What a terminal window shows: as much of a VT100 as progress lines need, and pictures.
package struct TerminalScreen: Sendable {
    private struct Cell: Sendable {
        var character: Character = " "
        var foreground, background: RGBColor?
    }

    /// A picture, and the cell of its upper left corner.
    package struct Picture: Sendable {
        package let bitmap: Bitmap
        package let row, column: Int
    }

    /// Everything that was sent, unread.
    package private(set) var received: [UInt8] = []
    /// Whether no program has the terminal open any more.
    package private(set) var isHungUp = false
    package private(set) var columns: Int
    package private(set) var rows: Int
    package private(set) var cursor = (row: 0, column: 0)
    package private(set) var isCursorVisible = true
    /// Whether what does not fit into a row goes on in the next.
    private var wraps = true
    /// Whether the alternate screen is shown.
    package private(set) var isAlternate = false
    /// Those that were sent, by kitty's protocol or as sixels.
    package private(set) var pictures: [Picture] = []
    /// How often characters were drawn between the two marks of synchronised output.
    package private(set) var frameCount = 0
    /// What this terminal answers when it is asked for its attributes (DA1), and before.
    private let answer: String
    private var answers: [String] = []
    private var cells: [[Cell]]
    /// The main screen and its cursor, while the other one is shown.
    private var main: (cells: [[Cell]], cursor: (row: Int, column: Int)) = ([], (0, 0))
    private var saved = (row: 0, column: 0)
    private var region: Range<Int>
    private var colours: (foreground: RGBColor?, background: RGBColor?)
    private var kitty: (control: String, data: [UInt8])?
    /// A cursor beyond the last column wraps when the next character comes, not before.
    private var pending: [UInt8] = []

    /// - Parameter answer: What it answers when it is asked for its attributes, and what else it can do.
    package init(columns: Int, rows: Int, answer: String = "\u{1b}[?62;22c") {
        self.columns = columns
        self.rows = rows
        self.answer = answer
        cells = Array(repeating: [], count: rows)
        region = 0..<rows
    }

    mutating func hangUp() { isHungUp = true }

    /// What the program is to be sent; taken once.
    mutating func takeAnswers() -> [String] {
        defer { answers = [] }
        return answers
    }

    /// What is drawn with upper half blocks in 24 bits, as two pixels for each cell of a part of the screen.
    package func halfBlocks(rows: Range<Int>, columns: Range<Int>) -> Bitmap? {
        var pixels: [UInt8] = []
        for row in rows {
            let cells = cells.indices.contains(row) ? cells[row] : []
            let line = columns.map { cells.indices.contains($0) ? cells[$0] : Cell() }
            for isUpper in [true, false] {
                for cell in line {
                    let isBlock = cell.character == "\u{2580}"
                    let colour = (isUpper && isBlock ? cell.foreground : cell.background) ?? .black
                    pixels += [colour.red, colour.green, colour.blue]
                }
            }
        }
        return PixelSize(columns.count, rows.count * 2).map { Bitmap($0, channels: 3, pixels: pixels) }
    }

    /// The rows, without what is blank at their ends.
    package var lines: [String] {
        cells.map { row in
            String(row.map(\.character)).replacing(/\s+$/, with: "")
        }
    }

    /// The rows up to the last that is not empty.
    package var text: String {
        let lines = lines
        let count = (lines.lastIndex { !$0.isEmpty } ?? -1) + 1
        return lines[..<count].joined(separator: "\n")
    }

    package mutating func resize(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        if cells.count > rows { cells.removeFirst(cells.count - rows) }
        while cells.count < rows { cells.append([]) }
        // What was drawn for the larger window may still come, from a place that this one does not have.
        cursor = inside(cursor)
        saved = inside(saved)
        main.cursor = inside(main.cursor)
        region = 0..<rows
    }

    /// The nearest place of the screen; a column after the last one is where a full row ends.
    private func inside(_ place: (row: Int, column: Int)) -> (row: Int, column: Int) {
        (min(place.row, rows - 1), min(place.column, columns))
    }

    package mutating func receive(_ bytes: [UInt8]) {
        received += bytes
        pending += bytes
        var place = 0
        while place < pending.count, let length = showFirst(of: pending[place...]) { place += length }
        pending.removeFirst(place)
    }

    /// Shows what bytes begin with.
    ///
    /// - Returns: How many bytes that was; `nil` when the rest of it has yet to come.
    private mutating func showFirst(of bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first else { return nil }
        switch first {
        case 0x1b: return showEscape(bytes)
        case 0x0a: newLine()
        case 0x0d: cursor.column = 0
        case 0x08: cursor.column = max(0, cursor.column - 1)
        case 0x00..<0x20: break
        default:
            let length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
            guard bytes.count >= length else { return nil }
            for character in String(decoding: bytes.prefix(length), as: UTF8.self) { show(character) }
            return length
        }
        return 1
    }

    private mutating func showEscape(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 2 else { return nil }
        let start = bytes.startIndex
        switch bytes[start + 1] {
        case UInt8(ascii: "["): break
        case UInt8(ascii: "7"):
            saved = cursor
            return 2
        case UInt8(ascii: "8"):
            cursor = saved
            return 2
        case UInt8(ascii: "]"):
            // A window title and the like, ended by BEL or ESC \.
            return bytes.dropFirst(2).firstIndex { $0 == 0x07 || $0 == 0x5c }.map { $0 + 1 - start }
        case UInt8(ascii: "_"), UInt8(ascii: "P"):
            guard let end = bytes.dropFirst(2).firstIndex(of: 0x1b), bytes.endIndex > end + 1 else { return nil }
            take(Array(bytes[(start + 2)..<end]), isKitty: bytes[start + 1] == UInt8(ascii: "_"))
            return end + 2 - start
        default: return 2
        }
        guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7e).contains($0) }) else { return nil }
        let parameters = String(decoding: bytes[(start + 2)..<end], as: UTF8.self)
        let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        control(Character(Unicode.Scalar(bytes[end])), parameters, numbers)
        return end + 1 - start
    }

    private mutating func control(_ command: Character, _ parameters: String, _ numbers: [Int]) {
        // Any number of digits may come.
        let amount = min(max(1, numbers.first ?? 1), 1 << 16)
        switch command {
        case "A": cursor.row = max(0, cursor.row - amount)
        case "B": cursor.row = min(rows - 1, cursor.row + amount)
        case "C": cursor.column = min(columns - 1, cursor.column + amount)
        case "D": cursor.column = max(0, cursor.column - amount)
        case "G": cursor.column = min(columns, amount) - 1
        case "H", "f":
            // What was drawn for a larger window ends at the edges of this one.
            cursor = (min(rows, amount) - 1, min(columns, numbers.count > 1 ? max(1, numbers[1]) : 1) - 1)
        case "K": eraseLine(numbers.first ?? 0)
        case "J": eraseScreen(numbers.first ?? 0)
        case "m": dye(numbers)
        case "r":
            let (first, end) = numbers.count == 2 ? (max(1, numbers[0]) - 1, min(rows, numbers[1])) : (0, rows)
            region = first < end ? first..<end : 0..<rows
        case "c" where parameters.isEmpty: answers.append(answer)
        case "h" where parameters == "?1049": changeScreen(isAlternate: true)
        case "l" where parameters == "?1049": changeScreen(isAlternate: false)
        case "l" where parameters == "?2026": frameCount += 1
        case "h" where parameters == "?7": wraps = true
        case "l" where parameters == "?7": wraps = false
        case "h" where parameters == "?25": isCursorVisible = true
        case "l" where parameters == "?25": isCursorVisible = false
        default: break
        }
    }

    private mutating func show(_ character: Character) {
        if cursor.column >= columns, wraps {
            cursor.column = 0
            newLine()
        }
        cursor.column = min(cursor.column, columns - 1)
        while cells[cursor.row].count <= cursor.column { cells[cursor.row].append(Cell()) }
        cells[cursor.row][cursor.column] = Cell(
            character: character,
            foreground: colours.foreground,
            background: colours.background
        )
        cursor.column += 1
    }

    private mutating func dye(_ numbers: [Int]) {
        if numbers.isEmpty { colours = (nil, nil) }
        var rest = numbers[...]
        while let number = rest.popFirst() {
            switch number {
            case 0: colours = (nil, nil)
            case 38, 48:
                let isOf24Bits = rest.popFirst() == 2
                let values = rest.prefix(isOf24Bits ? 3 : 1).map { UInt8(clamping: $0) }
                rest = rest.dropFirst(values.count)
                guard values.count == 3 else { continue }
                let colour = RGBColor(red: values[0], green: values[1], blue: values[2])
                if number == 38 { colours.foreground = colour } else { colours.background = colour }
            default: break
            }
        }
    }

    private mutating func changeScreen(isAlternate: Bool) {
        guard self.isAlternate != isAlternate else { return }
        self.isAlternate = isAlternate
        if isAlternate {
            main = (cells, cursor)
            cells = Array(repeating: [], count: rows)
        } else {
            (cells, cursor) = (Array(main.cells.suffix(rows)), main.cursor)
            while cells.count < rows { cells.append([]) }
        }
    }

    private mutating func newLine() {
        if cursor.row == region.upperBound - 1 {
            cells.remove(at: region.lowerBound)
            cells.insert([], at: region.upperBound - 1)
        } else if cursor.row < rows - 1 {
            cursor.row += 1
        }
    }

    // MARK: Pictures

    private mutating func take(_ text: [UInt8], isKitty: Bool) {
        let picture = isKitty ? takeKitty(text) : SixelDecoder.picture(text)
        if let picture { pictures.append(Picture(bitmap: picture, row: cursor.row, column: cursor.column)) }
    }

    /// - Returns: A picture when this was its last piece.
    private mutating func takeKitty(_ text: [UInt8]) -> Bitmap? {
        guard text.first == UInt8(ascii: "G"), let middle = text.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let control = String(decoding: text[1..<middle], as: UTF8.self)
        let settings = Dictionary(
            control.split(separator: ",").map { ($0.prefix(1), String($0.dropFirst(2))) },
            uniquingKeysWith: { $1 }
        )
        if settings["a"] == "q" || settings["a"] == "d" { return nil }
        if kitty == nil { kitty = (control, []) }
        kitty?.data += text[(middle + 1)...]
        guard settings["m"] == "0", let whole = kitty else { return nil }
        kitty = nil
        return KittyDecoder.picture(whole.control, whole.data)
    }

    private mutating func eraseLine(_ mode: Int) {
        switch mode {
        case 0: cells[cursor.row] = Array(cells[cursor.row].prefix(cursor.column))
        case 1: for column in cells[cursor.row].indices.prefix(cursor.column + 1) { cells[cursor.row][column] = Cell() }
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
