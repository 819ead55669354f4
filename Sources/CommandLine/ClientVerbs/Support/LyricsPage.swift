import TerminalText

/// A screen of `segue lyrics --follow`: a heading, and the lines around the one that is sung.
struct LyricsPage {
    var heading: String
    var lines: [String]
    /// The index of the line that is sung; `nil` before the first, and where that is not known.
    var current: Int?
    /// The index of the line that is shown in the middle.
    var middle: Int
    /// Whether the line that is sung is marked by a sign, because the terminal shows no styles.
    var isMarked = false

    /// The screen's rows from the top, at most `height`, each fewer than `width` columns.
    func render(width: Int, height: Int, isUnicode: Bool) -> [StyledText] {
        let columns = max(1, width - 1)
        guard height > 2 else { return Array(rows(of: current ?? middle, columns).prefix(max(0, height))) }
        let ellipsis = isUnicode ? "…" : "..."
        let title = StyledText(
            DisplayText.truncated(DisplayText.harmless(heading), to: columns, ellipsis: ellipsis),
            .faint
        )
        return [title, StyledText()] + window(columns, height - 2)
    }

    /// The rows around the line in the middle, taken by turns before and behind it, at most `height`.
    private func window(_ columns: Int, _ height: Int) -> [StyledText] {
        guard !lines.isEmpty else { return [] }
        var (first, last) = (min(middle, lines.count - 1), min(middle, lines.count - 1))
        var shown = rows(of: first, columns)
        while shown.count < height, first > 0 || last < lines.count - 1 {
            if last < lines.count - 1 {
                last += 1
                shown += rows(of: last, columns)
            }
            if shown.count < height, first > 0 {
                first -= 1
                shown = rows(of: first, columns) + shown
            }
        }
        return Array(shown.prefix(height))
    }

    private func rows(of index: Int, _ columns: Int) -> [StyledText] {
        guard lines.indices.contains(index) else { return [] }
        let style: TextStyle = current.map { index == $0 ? .strong : index < $0 ? .faint : .plain } ?? .plain
        let mark = isMarked ? (index == current ? "> " : "  ") : ""
        return DisplayText.wrapped(DisplayText.harmless(lines[index]), to: max(1, columns - mark.count))
            .map { StyledText($0.isEmpty ? $0 : DisplayText.truncated(mark + $0, to: columns, ellipsis: ""), style) }
    }
}
