internal import TerminalText

/// The rows below the progress line with subtitles.
package enum SubtitleRows {
    /// More would push the progress line off a small terminal.
    private static let limit = 6

    /// Lines of text in rows of at most `width` columns, safe for a terminal.
    package static func render(_ lines: [String], width: Int) -> [String] {
        let room = width - indent.count
        guard room > 0 else { return [] }
        return lines.prefix(limit).flatMap { DisplayText.wrapped(DisplayText.harmless($0), to: room) }
            .prefix(limit).map { indent + $0 }
    }

    private static let indent = "  "
}
