package import PictureWorkers

/// A picture among a terminal's lines.
package enum PictureBlock {
    /// Columns between a picture and the lines beside it.
    package static let gap = 2

    /// The text that shows a picture at the cursor's line, with lines beside it, and leaves the cursor on the line below.
    ///
    /// - Parameters:
    ///   - isOfCharacters: Whether the picture's text is rows of characters.
    ///   - lines: Shorter than what the picture leaves of the terminal's width.
    package static func text(
        _ picture: TerminalPicture,
        isOfCharacters: Bool,
        beside lines: [String] = []
    ) -> [UInt8] {
        let height = max(picture.rows, lines.count)
        // The terminal scrolls first, so that the picture's place is known.
        var text = Array((String(repeating: "\n", count: height) + "\r\u{1b}[\(height)A\u{1b}7").utf8)
        if isOfCharacters {
            for row in picture.text.split(separator: UInt8(ascii: "\n")) { text += row + Array("\u{1b}[0m\r\n".utf8) }
        } else {
            text += picture.text
        }
        text += "\u{1b}8".utf8
        for line in lines { text += "\u{1b}[\(picture.columns + gap)C\(line)\r\n".utf8 }
        if height > lines.count { text += "\u{1b}[\(height - lines.count)B".utf8 }
        return text
    }
}
