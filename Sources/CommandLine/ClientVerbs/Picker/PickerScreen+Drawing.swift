import Caching
import PictureValues
import PictureWorkers
import TerminalGrid
import TerminalPictures
import TerminalText

/// The parts of the screen: lines that tell who asks, the grid, and two lines below.
struct ScreenRoom {
    private let canvas: TerminalCanvas
    private let header: Int

    /// Two lines: the item with the focus, and what keys do.
    private static let footer = 2

    init(_ canvas: TerminalCanvas, header: Int) { (self.canvas, self.header) = (canvas, header) }

    /// Whether there are no rows for a picture and its name; the terminal was made that small meanwhile.
    var isTooSmall: Bool { canvas.rows < header + 2 + Self.footer }
    /// The first row of the grid, from 1.
    var top: Int { header + 1 }
    /// The grid's.
    var rows: Int { max(1, canvas.rows - header - Self.footer) }
    var columns: Int { canvas.columns }
    /// The row behind the grid.
    var bottom: Int { top + rows }

    /// - Parameter zoom: Of pictures; `nil` for the usual one.
    func layout(_ choice: PickerChoice, zoom: Int?) -> GridLayout {
        let zoom = zoom ?? GridLayout.usualZoom(columns: columns, rows: rows, cell: canvas.cell)
        let form = choice.isOfSongs ? GridLayout.Form.lines : .tiles(zoom: zoom)
        return GridLayout(form, columns: columns, rows: rows, top: top, cell: canvas.cell)
    }
}

extension PickerScreen {
    /// The contents of the screen.
    struct Drawn {
        var visible: Range<Int>
        /// The indices whose pictures are on the screen.
        var pictures: Set<Int> = []
        /// The texts at their places, which begin with those.
        var texts: [GridText.Place: String] = [:]

        /// - Returns: A text that is not at its place yet.
        mutating func news(_ text: String, at place: GridText.Place) -> String {
            texts.updateValue(text, forKey: place) == text ? "" : GridText.move(to: place) + text
        }
    }

    /// The lines that tell who asks, and for what; never all of the screen.
    static func header(_ choice: PickerChoice, _ canvas: TerminalCanvas) -> [StyledText] {
        let lines = choice.introduction.enumerated().flatMap { number, text in
            DisplayText.wrapped(DisplayText.harmless(text), to: max(1, canvas.columns - 1))
                .map { StyledText($0, number == 0 ? .strong : .plain) }
        }
        let most = max(1, canvas.rows / 3)
        guard lines.count > most else { return lines }
        return lines.prefix(most - 1) + [StyledText(lines[most - 1].plain + " ...")]
    }

    func draw() {
        let canvas = terminal.canvas
        let header = Self.header(choice, canvas)
        let room = ScreenRoom(canvas, header: header.count)
        guard !room.isTooSmall else { return drawStatus(canvas) }
        // Shown at once by terminals that know synchronised output.
        var text = Array("\u{1b}[?2026h".utf8)
        var new = drawn ?? Drawn(visible: grid.visible)
        if drawn?.visible != grid.visible {
            new = Drawn(visible: grid.visible)
            text += removal + Array("\u{1b}[0m\u{1b}[2J".utf8)
            if case .viewing(let picture) = mode { text += view(picture, room) }
            if case .help = mode { text += help(room, &new) }
        }
        text += rows(header, from: 1, &new)
        switch mode {
        case .choosing, .typing: text += tiles(room, &new)
        case .help, .viewing: break
        }
        text += rows(footer(canvas.columns - 1), from: room.bottom, &new)
        drawn = new
        write(text + Array("\u{1b}[?2026l".utf8))
    }

    /// Draws the last line alone.
    private func drawStatus(_ canvas: TerminalCanvas) {
        let line = footer(canvas.columns - 1)[1].text(inColour: console.inColour)
        drawn = nil
        let text = "\u{1b}[0m\u{1b}[2J" + GridText.move(to: .init(row: canvas.rows, column: 1)) + line
        write(removal + Array(text.utf8))
    }

    /// Whole rows of the screen, one below the other.
    private func rows(_ lines: [StyledText], from first: Int, _ drawn: inout Drawn) -> [UInt8] {
        lines.enumerated().flatMap { number, line in
            let text = line.text(inColour: console.inColour) + GridText.endOfRow
            return Array(drawn.news(text, at: .init(row: first + number, column: 1)).utf8)
        }
    }

    func write(_ bytes: [UInt8]) { Console.write(bytes, to: console.descriptor) }

    /// Removes pictures that clearing the screen leaves there.
    var removal: [UInt8] { terminal.graphics == .kitty ? Array(KittyGraphics.textRemovingAll.utf8) : [] }

    // MARK: Tiles

    private var tileCanvas: TerminalCanvas {
        terminal.canvas(columns: grid.layout.tileColumns, rows: grid.layout.tileRows)
    }

    private func tiles(_ room: ScreenRoom, _ drawn: inout Drawn) -> [UInt8] {
        if grid.count == 0 {
            let ways = [part.isEmpty ? nil : "/ and Enter", kind == nil ? nil : "f"].compactMap(\.self)
            let way = ways.isEmpty ? "." : "; \(ways.joined(separator: ", ")) for others."
            let line = StyledText("There are no such \(choice.noun)\(way)")
            return rows([line], from: room.top, &drawn)
        }
        var text: [UInt8] = []
        let (layout, first) = (grid.layout, grid.visible.lowerBound)
        let orders = Dictionary(chosen.enumerated().map { ($1, $0 + 1) }) { first, _ in first }
        for index in grid.visible {
            guard let item = grid[index] else { continue }
            let caption = GridText.caption(
                item.caption,
                .init(order: orders[item.uri], hasFocus: index == grid.focus),
                columns: layout.tileColumns,
                isUnicode: console.isUnicode
            )
            text += drawn.news(caption, at: layout.place(of: index - first).moved(down: layout.tileRows)).utf8
        }
        if layout.tileRows > 0 { text += newPictures(&drawn) }
        return text
    }

    /// The pictures that have come; the others are wanted.
    private func newPictures(_ drawn: inout Drawn) -> [UInt8] {
        let canvas = tileCanvas
        var text: [UInt8] = []
        var wanted: [PickerTile] = []
        // Those of the next screen are wanted behind these.
        let ahead = grid.visible.upperBound..<grid.visible.upperBound + grid.layout.count
        for index in Array(grid.visible) + Array(ahead) {
            guard let uri = grid[index]?.uri, !drawn.pictures.contains(index) else { continue }
            let tile = PickerTile(uri: uri, canvas: canvas)
            guard let picture = pictures.value(for: tile) else {
                wanted.append(tile)
                continue
            }
            guard grid.visible.contains(index) else { continue }
            text += self.text(of: picture, at: grid.layout.place(of: index - grid.visible.lowerBound), canvas)
            drawn.pictures.insert(index)
        }
        want(wanted)
        return text
    }

    private func text(of picture: PickerPicture, at place: GridText.Place, _ canvas: TerminalCanvas) -> [UInt8] {
        switch picture {
        case .made(let picture):
            return GridText.picture(
                picture,
                at: place,
                columns: canvas.columns,
                rows: canvas.rows,
                isOfCharacters: terminal.graphics == .symbols
            )
        case .failed(let reason):
            let words = DisplayText.truncated(
                DisplayText.harmless(reason),
                to: canvas.columns,
                ellipsis: console.isUnicode ? "…" : "..."
            )
            return Array((GridText.move(to: place.moved(down: canvas.rows / 2)) + words).utf8)
        }
    }

    // MARK: One picture, and help

    /// The cells for one picture.
    var viewCanvas: TerminalCanvas {
        let canvas = terminal.canvas
        let room = ScreenRoom(canvas, header: Self.header(choice, canvas).count)
        return terminal.canvas(columns: room.columns, rows: room.rows)
    }

    private func view(_ picture: PickerPicture, _ room: ScreenRoom) -> [UInt8] {
        text(of: picture, at: .init(row: room.top, column: 1), viewCanvas)
    }

    private func help(_ room: ScreenRoom, _ drawn: inout Drawn) -> [UInt8] {
        let lines = Self.usage(limit: choice.limit, isOfSongs: choice.isOfSongs, isOwn: choice.isOwn)
        let width = max(1, room.columns - 1)
        let rows = lines.flatMap { DisplayText.width(of: $0) <= width ? [$0] : DisplayText.wrapped($0, to: width) }
        return self.rows(rows.prefix(room.rows).map { StyledText($0) }, from: room.top, &drawn)
    }

    // MARK: The last lines

    private func footer(_ width: Int) -> [StyledText] {
        let ellipsis = console.isUnicode ? "…" : "..."
        func line(_ text: String, _ style: TextStyle) -> StyledText {
            StyledText(DisplayText.truncated(DisplayText.harmless(text), to: width, ellipsis: ellipsis), style)
        }
        return [line(details, .faint), line(status(width), message == nil ? .plain : .attention)]
    }

    /// The item with the focus.
    private var details: String {
        guard let item = grid[grid.focus] else { return "" }
        let order = chosen.firstIndex(of: item.uri).map { "\(console.isUnicode ? "●" : "*")\($0 + 1) " } ?? ""
        return order + ([item.uri] + (choice.isOfSongs ? [] : item.details)).joined(separator: ", ")
    }

    /// In as many columns as there are.
    private func status(_ width: Int) -> String {
        if let message { return message }
        let amount = choice.limit == 1 ? "" : "\(chosen.count) of \(choice.limit) chosen. "
        switch mode {
        case .typing(let text):
            let (label, cursor) = (choice.isOfSongs ? "Words: " : "Folder: ", console.isUnicode ? "▏" : "_")
            let room = width - DisplayText.width(of: label + cursor)
            let ellipsis = console.isUnicode ? "…" : "..."
            return label + DisplayText.end(of: DisplayText.harmless(text), to: room, ellipsis: ellipsis) + cursor
        case .help: return "Any key goes back"
        case .viewing: return "\(amount)Left, right and Space as before; any other key goes back"
        case .choosing: break
        }
        if grid.count == 0 { return "\(amount)\(kind.map { "\($0): none. " } ?? "")q ends, ? helps" }
        let place = "\(grid.focus + 1)" + (grid.count.map { " of \($0)" } ?? "")
        let shown =
            selection != nil ? ", what is chosen" : (kind.map { ", \($0)" } ?? "") + (part.isEmpty ? "" : ", \(part)")
        let keys = choice.limit == 1 ? "Space or Enter chooses" : "Space chooses, Enter is done"
        let lines = [
            "\(shown). \(keys), q ends, ? helps", "\(shown). \(keys), ? helps", "\(shown). ? helps", ". ? helps",
        ]
        .map { amount + place + $0 }
        return lines.first { DisplayText.width(of: $0) <= width } ?? "\(amount)? helps"
    }
}
