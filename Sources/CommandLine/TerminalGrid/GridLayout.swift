internal import AudioTypes
package import PictureValues

/// The places of a grid's tiles on a terminal, in cells.
package struct GridLayout: Sendable, Hashable {
    package enum Form: Sendable, Hashable {
        /// Pictures, each with a caption below; as wide as one of ``GridLayout/widths``, by its index.
        case tiles(zoom: Int)
        /// One line for each item.
        case lines
    }

    package let form: Form
    /// The tiles that are visible side by side, and one below the other; at least 1.
    package let columns, rows: Int
    /// The cells of a tile, without its caption; 0 rows for a line.
    package let tileColumns, tileRows: Int
    private let top: Int

    package static let widths = [8, 12, 16, 22, 30, 42, 60, 90]
    /// About so many pictures are visible at first.
    private static let usualCount = 12
    private static let gap = 2

    /// - Parameters:
    ///   - columns: Of the terminal.
    ///   - rows: Of the terminal, that the grid has.
    ///   - top: The first of these rows, from 1.
    ///   - cell: The pixels of a cell.
    package init(_ form: Form, columns: Int, rows: Int, top: Int, cell: PixelSize) {
        (self.form, self.top) = (form, top)
        switch form {
        case .tiles(let zoom):
            tileColumns = min(Self.widths[zoom.clamped(to: 0...Self.widths.count - 1)], max(1, columns))
            // The shape of most photos.
            let height = Double(tileColumns * cell.width) * 3 / 4 / Double(cell.height)
            tileRows = min(max(2, Int(saturating: height.rounded())), max(1, rows - 1))
            self.columns = max(1, (columns + Self.gap) / (tileColumns + Self.gap))
        case .lines:
            // Some terminals wrap as soon as the last column is written.
            (tileColumns, tileRows, self.columns) = (max(1, columns - 1), 0, 1)
        }
        self.rows = max(1, rows / (tileRows + 1))
    }

    /// How many items are visible.
    package var count: Int { columns * rows }

    /// The zoom with which the number of visible pictures is nearest to the usual one.
    package static func usualZoom(columns: Int, rows: Int, cell: PixelSize) -> Int {
        let distances = widths.indices.map { zoom in
            abs(GridLayout(.tiles(zoom: zoom), columns: columns, rows: rows, top: 1, cell: cell).count - usualCount)
        }
        return distances.indices.last { distances[$0] == distances.min() } ?? 0
    }

    /// The first cell of a tile.
    ///
    /// - Parameter slot: Among the visible ones.
    package func place(of slot: Int) -> GridText.Place {
        .init(row: top + slot / columns * (tileRows + 1), column: 1 + slot % columns * (tileColumns + Self.gap))
    }
}
