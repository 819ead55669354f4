/// Rows in aligned columns that fit a terminal's width.
package struct TextTable: Sendable {
    package struct Column: Sendable {
        package var isRight: Bool
        package var style: TextStyle
        /// Whether the column shrinks when the terminal is narrow.
        package var isFlexible: Bool

        package init(isRight: Bool = false, style: TextStyle = .plain, isFlexible: Bool = false) {
            self.isRight = isRight
            self.style = style
            self.isFlexible = isFlexible
        }
    }

    private struct Row {
        var cells: [String]
        /// Replaces the columns' own styles.
        var style: TextStyle?
    }

    /// The smallest width of a flexible column.
    private static let leastWidth = 6
    private static let gap = 2

    private let columns: [Column]
    private var rows: [Row] = []

    package init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row; control characters are removed here.
    package mutating func add(_ cells: [String], _ style: TextStyle? = nil) {
        rows.append(Row(cells: cells.map { DisplayText.harmless($0) }, style: style))
    }

    package var isEmpty: Bool { rows.isEmpty }

    /// The rows in at most `width` columns; empty columns are left out.
    package func lines(width: Int, ellipsis: String = "…") -> [StyledText] {
        let natural = columns.indices.map { index in rows.reduce(0) { max($0, DisplayText.width(of: $1.cells[index])) }
        }
        let shown = columns.indices.filter { natural[$0] > 0 }
        let widths = fitted(natural, shown, width)
        return rows.map { line($0, shown, widths, ellipsis) }
    }

    /// Shrinks the widest flexible column until all fit.
    private func fitted(_ natural: [Int], _ shown: [Int], _ width: Int) -> [Int] {
        var widths = natural
        var excess = shown.reduce(0) { $0 + natural[$1] } + max(0, shown.count - 1) * Self.gap - width
        while excess > 0 {
            let flexible = shown.filter { columns[$0].isFlexible && widths[$0] > Self.leastWidth }
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private func line(_ row: Row, _ shown: [Int], _ widths: [Int], _ ellipsis: String) -> StyledText {
        var line = StyledText()
        var owed = 0
        for index in shown {
            let text = DisplayText.truncated(row.cells[index], to: widths[index], ellipsis: ellipsis)
            let padding = max(0, widths[index] - DisplayText.width(of: text))
            if columns[index].isRight { owed += padding }
            if !text.isEmpty {
                line.append(String(repeating: " ", count: owed))
                line.append(text, row.style ?? columns[index].style)
                owed = 0
            } else {
                owed += DisplayText.width(of: text)
            }
            owed += (columns[index].isRight ? 0 : padding) + Self.gap
        }
        return line
    }
}
