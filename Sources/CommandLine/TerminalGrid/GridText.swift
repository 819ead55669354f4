package import PictureWorkers
internal import TerminalText

/// The text of a grid's parts, each at its place on the screen.
package enum GridText {
    /// The mark of an item.
    package struct Mark: Sendable, Hashable {
        /// Among those that are chosen, from 1; `nil` for others.
        package var order: Int?
        package var hasFocus: Bool

        package init(order: Int?, hasFocus: Bool) { (self.order, self.hasFocus) = (order, hasFocus) }
    }

    /// A cell of the screen, from 1.
    package struct Place: Sendable, Hashable {
        package let row, column: Int

        package init(row: Int, column: Int) { (self.row, self.column) = (row, column) }

        package func moved(down rows: Int) -> Self { Self(row: row + rows, column: column) }
    }

    /// Moves the cursor.
    package static func move(to place: Place) -> String { "\u{1b}[\(place.row);\(place.column)H" }

    /// Clears the rest of a row.
    package static let endOfRow = "\u{1b}[0m\u{1b}[K"

    /// A text with an item's mark, in exactly so many columns.
    package static func caption(_ text: String, _ mark: Mark, columns: Int, isUnicode: Bool) -> String {
        let order = mark.order.map { "\(isUnicode ? "●" : "*")\($0) " } ?? ""
        let ellipsis = isUnicode ? "…" : "..."
        let fitted = DisplayText.truncated(order + DisplayText.harmless(text), to: columns, ellipsis: ellipsis)
        let padded = fitted + String(repeating: " ", count: max(0, columns - DisplayText.width(of: fitted)))
        let style = (mark.order == nil ? "" : "\u{1b}[1m") + (mark.hasFocus ? "\u{1b}[7m" : "")
        return style + padded + "\u{1b}[0m"
    }

    /// A picture in the middle of some cells.
    ///
    /// - Parameter isOfCharacters: Whether the picture's text is rows of characters.
    package static func picture(
        _ picture: TerminalPicture,
        at place: Place,
        columns: Int,
        rows: Int,
        isOfCharacters: Bool
    ) -> [UInt8] {
        let start = Place(
            row: place.row + max(0, rows - picture.rows) / 2,
            column: place.column + max(0, columns - picture.columns) / 2
        )
        guard isOfCharacters else { return Array(move(to: start).utf8) + picture.text }
        var text: [UInt8] = []
        for (number, line) in picture.text.split(separator: UInt8(ascii: "\n")).enumerated() {
            text += move(to: start.moved(down: number)).utf8
            text += line + Array("\u{1b}[0m".utf8)
        }
        return text
    }
}
