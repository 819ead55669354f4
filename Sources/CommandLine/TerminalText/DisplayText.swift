internal import TextEncodings

/// Makes text from tags, playlists and file names safe for a terminal.
package enum DisplayText {
    /// Combining marks per letter beyond this number, which no script needs, are dropped.
    private static let marksPerCharacter = 6

    /// `text` on one line, without control sequences: control characters, and invisible characters that change the
    /// direction of writing, are dropped or become spaces.
    package static func harmless(_ text: some StringProtocol) -> String {
        var result = String.UnicodeScalarView()
        var marks = 0
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                if result.last != " " { result.append(" ") }
                marks = 0
            case .format:
                // Joiners belong to letters and emoji; all other invisible characters are dropped.
                if scalar == "\u{200d}" || scalar == "\u{200c}" { result.append(scalar) }
            case .surrogate, .unassigned:
                result.append("\u{fffd}")
                marks = 0
            case .nonspacingMark, .enclosingMark, .spacingMark:
                marks += 1
                if marks <= marksPerCharacter { result.append(scalar) }
            default:
                result.append(scalar)
                marks = 0
            }
        }
        return String(result)
    }

    /// The number of columns of `text`: never less than a terminal needs, so that a line that fits here does not wrap.
    package static func width(of text: some StringProtocol) -> Int {
        text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        if (0x20..<0x7f).contains(scalar.value) { return 1 }
        // A variation selector can turn a narrow symbol into a wide emoji.
        if scalar == "\u{fe0f}" { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
        default: return scalar.properties.isEmojiPresentation || isWide(scalar.value) ? 2 : 1
        }
    }

    /// The blocks that are Wide or Fullwidth in Unicode's EastAsianWidth.txt, including the gaps in them.
    private static let wideBlocks: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4dc0...0x4dff,
        0x4e00...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f,
        0xff01...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18dff, 0x1aff0...0x1b2ff, 0x1d300...0x1d37f, 0x1f000...0x1faff,
        0x20000...0x3fffd,
    ]

    private static func isWide(_ value: UInt32) -> Bool {
        value >= 0x1100 && wideBlocks.contains { $0.contains(value) }
    }

    /// `text`, truncated to `width` columns, with an ellipsis if cut; characters stay whole.
    package static func truncated(_ text: String, to width: Int, ellipsis: String = "…") -> String {
        guard self.width(of: text) > width else { return text }
        let room = width - self.width(of: ellipsis)
        guard room >= 0 else { return "" }
        var result = ""
        var used = 0
        for character in text {
            let columns = self.width(of: String(character))
            guard used + columns <= room else { break }
            result.append(character)
            used += columns
        }
        while result.last == " " { result.removeLast() }
        return result + ellipsis
    }

    /// The end of `text` in `width` columns, behind an ellipsis if cut, as a field shows what is being typed.
    package static func end(of text: String, to width: Int, ellipsis: String = "…") -> String {
        guard self.width(of: text) > width else { return text }
        let room = width - self.width(of: ellipsis)
        var (start, used) = (text.endIndex, 0)
        while start > text.startIndex {
            let before = text.index(before: start)
            used += self.width(of: String(text[before]))
            guard used <= room else { break }
            start = before
        }
        return room < 0 ? "" : ellipsis + text[start...]
    }

    /// `Artist - Title` in `width` columns; a long artist is cut before the title is, and left out before too little of the
    /// title is left.
    package static func heading(artist: String, title: String, to width: Int, ellipsis: String = "…") -> String {
        guard !artist.isEmpty, !title.isEmpty else { return truncated(artist + title, to: width, ellipsis: ellipsis) }
        let whole = "\(artist) - \(title)"
        guard self.width(of: whole) > width else { return whole }
        let (artistWidth, titleWidth) = (self.width(of: artist), self.width(of: title))
        let leastArtist = min(artistWidth, leastPart)
        guard width - 3 - leastArtist >= min(titleWidth, leastPart) else {
            return truncated(title, to: width, ellipsis: ellipsis)
        }
        let short = truncated(artist, to: max(leastArtist, width - 3 - titleWidth), ellipsis: ellipsis)
        return truncated("\(short) - \(title)", to: width, ellipsis: ellipsis)
    }

    /// Fewer columns of an artist or a title say nothing.
    private static let leastPart = 8

    /// `text` in rows of at most `columns` columns, broken between words where it can be; at least one row.
    package static func wrapped(_ text: String, to columns: Int) -> [String] {
        var rows: [String] = []
        var row = ""
        for word in text.split(separator: " ") {
            let joined = row.isEmpty ? String(word) : row + " " + word
            if width(of: joined) <= columns {
                row = joined
                continue
            }
            if !row.isEmpty { rows.append(row) }
            row = String(word)
            while width(of: row) > columns {
                let head = truncated(row, to: columns, ellipsis: "")
                // Not even one character fits.
                guard !head.isEmpty else { return rows }
                rows.append(head)
                row.removeFirst(head.count)
            }
        }
        return rows + [row]
    }

    /// The last part of a path or URL, as a substitute for a title.
    package static func name(of location: String) -> String {
        if location == "-" { return "standard input" }
        var path = location[...]
        let isURL = location.contains("://")
        if isURL { path = path.prefix { $0 != "?" && $0 != "#" } }
        let last = String(path).lastPathComponent
        if last.isEmpty { return location }
        return isURL ? String(decoding: ByteEscape.percent.decodeWherePossible(last.utf8), as: UTF8.self) : last
    }
}
