/// Moving pictures in a terminal's characters: each cell is an upper half block, with the colours of two pixels.
///
/// Only cells that changed are written, each at its place on the screen.
package struct HalfBlocks: Sendable {
    private struct Cell: Hashable {
        var upper, lower: UInt32
    }

    private let colours: TerminalCanvas.Colours
    private let columns: Int
    private var shown: [Cell?]

    /// Colours of so little difference are not changed, in steps of 255 summed over red, green and blue.
    private static let tolerance = 6

    /// - Parameter canvas: One whose pictures have a column of pixels for each cell, and two rows.
    package init(_ canvas: TerminalCanvas) {
        (colours, columns) = (canvas.colours, canvas.columns)
        shown = Array(repeating: nil, count: canvas.columns * canvas.rows)
    }

    /// The pixels that a canvas has.
    package static func pixels(of canvas: TerminalCanvas) -> PixelSize {
        PixelSize(canvas.columns, canvas.rows * 2) ?? TerminalCanvas.usualCell
    }

    /// The text that makes what is on the screen another picture.
    ///
    /// - Parameters:
    ///   - picture: One of ``pixels(of:)``, without alpha.
    ///   - column: Of the screen, where the picture begins; the first is 1.
    package mutating func text(showing picture: Bitmap, column: Int, row: Int) -> [UInt8] {
        precondition(picture.channels == 3 && picture.size.pixelCount == 2 * shown.count, "the picture fits its canvas")
        var text: [UInt8] = []
        var painted = Cell(upper: .max, lower: .max)
        var cursor: Int?
        for place in shown.indices {
            let cell = cell(of: picture, place % columns, place / columns)
            if let old = shown[place], isLike(old, cell) { continue }
            if cursor != place || place % columns == 0 {
                text += "\u{1b}[\(row + place / columns);\(column + place % columns)H".utf8
            }
            paint(cell, after: &painted, &text)
            shown[place] = cell
            cursor = place + 1
        }
        if !text.isEmpty { text += "\u{1b}[0m".utf8 }
        return text
    }

    private func cell(of picture: Bitmap, _ column: Int, _ row: Int) -> Cell {
        Cell(
            upper: colour((2 * row * columns + column) * 3, picture.pixels),
            lower: colour(((2 * row + 1) * columns + column) * 3, picture.pixels)
        )
    }

    /// 24 bits of red, green and blue, or a number of the palette.
    private func colour(_ place: Int, _ pixels: [UInt8]) -> UInt32 {
        let (red, green, blue) = (UInt32(pixels[place]), UInt32(pixels[place + 1]), UInt32(pixels[place + 2]))
        switch colours {
        case .full: return red << 16 | green << 8 | blue
        case .palette256: return Palette.nearestOf256(red, green, blue)
        case .palette16, .none: return Palette.nearestOf16(red, green, blue)
        }
    }

    private func isLike(_ old: Cell, _ new: Cell) -> Bool {
        if old == new { return true }
        guard colours == .full else { return false }
        return difference(old.upper, new.upper) <= Self.tolerance && difference(old.lower, new.lower) <= Self.tolerance
    }

    private func difference(_ one: UInt32, _ other: UInt32) -> Int {
        [16, 8, 0].reduce(0) { $0 + abs(Int(one >> UInt32($1) & 255) - Int(other >> UInt32($1) & 255)) }
    }

    private func paint(_ cell: Cell, after painted: inout Cell, _ text: inout [UInt8]) {
        if cell.lower != painted.lower { append(cell.lower, isBackground: true, &text) }
        if cell.upper == cell.lower {
            painted.lower = cell.lower
            return text.append(UInt8(ascii: " "))
        }
        if cell.upper != painted.upper { append(cell.upper, isBackground: false, &text) }
        painted = cell
        text += "▀".utf8
    }

    private func append(_ colour: UInt32, isBackground: Bool, _ text: inout [UInt8]) {
        text += isBackground ? "\u{1b}[4".utf8 : "\u{1b}[3".utf8
        switch colours {
        case .full:
            text += "8;2;".utf8
            append(colour >> 16, &text)
            text.append(UInt8(ascii: ";"))
            append(colour >> 8 & 255, &text)
            text.append(UInt8(ascii: ";"))
            append(colour & 255, &text)
        case .palette256:
            text += "8;5;".utf8
            append(colour, &text)
        case .palette16, .none:
            // The bright half has numbers of its own.
            if colour >= 8 { text.replaceSubrange((text.count - 1)..., with: isBackground ? "10".utf8 : "9".utf8) }
            append(colour & 7, &text)
        }
        text.append(UInt8(ascii: "m"))
    }

    private func append(_ number: UInt32, _ text: inout [UInt8]) {
        if number >= 100 { text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 100)) }
        if number >= 10 { text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10 % 10)) }
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }
}

/// The colours of terminals that have no others, by xterm's numbers.
private enum Palette {
    /// Of the cube of 6 x 6 x 6 colours, or of the 24 greys.
    static func nearestOf256(_ red: UInt32, _ green: UInt32, _ blue: UInt32) -> UInt32 {
        let (least, most) = (min(red, green, blue), max(red, green, blue))
        if most - least < 10 {
            if most < 4 { return 16 }
            if least > 246 { return 231 }
            return 232 + min(23, (max(8, (red + green + blue) / 3) - 8 + 5) / 10)
        }
        return 16 + 36 * level(red) + 6 * level(green) + level(blue)
    }

    /// The levels are 0, 95, 135, 175, 215, 255.
    private static func level(_ sample: UInt32) -> UInt32 { sample < 48 ? 0 : sample < 115 ? 1 : (sample - 35) / 40 }

    static func nearestOf16(_ red: UInt32, _ green: UInt32, _ blue: UInt32) -> UInt32 {
        let most = max(red, green, blue)
        if most < 48 { return 0 }
        let threshold = most / 2 + most / 8
        var bits: UInt32 = 0
        for (number, sample) in [red, green, blue].enumerated() where sample > threshold { bits |= 1 << UInt32(number) }
        if bits == 7 { return most > 210 ? 15 : most > 128 ? 7 : 8 }
        return most > 160 ? bits + 8 : bits
    }
}
