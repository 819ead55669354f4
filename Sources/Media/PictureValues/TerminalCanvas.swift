/// The part of a terminal that a picture is shown in, and what the terminal understands.
package struct TerminalCanvas: Sendable, Hashable {
    /// How a terminal is given pictures.
    package enum Graphics: String, Sendable, Hashable, CaseIterable {
        /// Pixels, by kitty's graphics protocol.
        case kitty
        /// A picture file, by iTerm2's inline images.
        case iterm
        /// Pixels, by DEC's sixels.
        case sixel
        /// Characters in colours.
        case symbols
    }

    /// How many colours characters may have.
    package enum Colours: String, Sendable, Hashable, CaseIterable {
        /// 24 bits.
        case full
        case palette256 = "256"
        case palette16 = "16"
        case none
    }

    package var graphics: Graphics
    package var colours: Colours
    /// Whether characters beyond ASCII can be shown.
    package var isUnicode: Bool
    /// Whether what is sent goes over a network, where fewer bytes count for more than less work.
    package var isRemote: Bool
    /// In cells: 1 to ``limit``.
    package private(set) var columns, rows: Int
    /// The pixels of one cell.
    package let cell: PixelSize

    /// More than any screen has.
    package static let limit = 1_000
    /// A cell of a terminal that does not tell, as of the VT340.
    package static let usualCell = PixelSize(10, 20)!
    private static let cellLimit = 200

    package init(
        _ graphics: Graphics,
        _ colours: Colours = .full,
        isUnicode: Bool = true,
        isRemote: Bool = false,
        columns: Int,
        rows: Int,
        cell: PixelSize? = nil
    ) {
        (self.graphics, self.colours, self.isUnicode, self.isRemote) = (graphics, colours, isUnicode, isRemote)
        self.columns = min(Self.limit, max(1, columns))
        self.rows = min(Self.limit, max(1, rows))
        self.cell = cell.flatMap { $0.longestSide <= Self.cellLimit ? $0 : nil } ?? Self.usualCell
    }

    /// The canvas cut down to a picture's shape.
    ///
    /// - Parameters:
    ///   - picture: Its size in square pixels.
    ///   - enlarges: Whether a picture with fewer pixels than the canvas fills it all the same.
    package func fitted(to picture: PixelSize, enlarges: Bool) -> TerminalCanvas {
        let (width, height) = (Double(columns * cell.width), Double(rows * cell.height))
        var scale = min(width / Double(picture.width), height / Double(picture.height))
        if !enlarges { scale = min(1, scale) }
        var fitted = self
        fitted.columns = cells(Double(picture.width) * scale, cell.width, atMost: columns)
        fitted.rows = cells(Double(picture.height) * scale, cell.height, atMost: rows)
        return fitted
    }

    private func cells(_ pixels: Double, _ cell: Int, atMost most: Int) -> Int {
        min(most, max(1, Int(saturating: (pixels / Double(cell)).rounded())))
    }

    /// All of it, in pixels.
    package var pixels: PixelSize { PixelSize(columns * cell.width, rows * cell.height) ?? Self.usualCell }

    package static let wordCount = 8

    /// The canvas as ``wordCount`` words.
    package var text: String {
        let words = [
            graphics.rawValue, colours.rawValue, isUnicode ? "unicode" : "ascii", isRemote ? "remote" : "local",
        ]
        return (words + [columns, rows, cell.width, cell.height].map(String.init)).joined(separator: " ")
    }

    /// - Returns: `nil` for what ``text`` never is.
    package init?(_ words: some RandomAccessCollection<Substring>) {
        let words = Array(words)
        guard words.count == Self.wordCount, let graphics = Graphics(rawValue: String(words[0])),
            let colours = Colours(rawValue: String(words[1]))
        else { return nil }
        let numbers = words[4...].compactMap { Int($0) }
        guard numbers.count == 4, let cell = PixelSize(numbers[2], numbers[3]) else { return nil }
        self.init(
            graphics,
            colours,
            isUnicode: words[2] == "unicode",
            isRemote: words[3] == "remote",
            columns: numbers[0],
            rows: numbers[1],
            cell: cell
        )
    }
}
