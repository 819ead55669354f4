package import AudioTypes

/// Lines of text that are shown during a part of a medium (WebVTT, section 3: a cue).
package struct Cue: Sendable, Hashable {
    package let start: MediaTime
    /// After `start`.
    package let end: MediaTime
    /// Without markup and line ends; at least one, none of them blank at the ends of the cue.
    package let lines: [String]

    /// The Unicode scalars that are kept of a cue; what exceeds them is cut off.
    package static let characterLimit = 2_000
    /// The lines that are kept of a cue.
    package static let lineLimit = 24

    /// `nil` for a cue that shows nothing: without text, or with an end that is not after its start.
    package init?(start: MediaTime, end: MediaTime, text: String) {
        let lines = CueLines.lines(of: text)
        guard start < end, !lines.isEmpty else { return nil }
        (self.start, self.end, self.lines) = (start, end, lines)
    }

    /// The same text at other times.
    package func moved(by time: MediaTime) -> Cue { Cue(start: start + time, end: end + time, lines: lines) }

    private init(start: MediaTime, end: MediaTime, lines: [String]) {
        (self.start, self.end, self.lines) = (start, end, lines)
    }
}

/// The lines of a cue's text.
enum CueLines {
    /// The text's lines within the limits, without blank ones at both ends.
    static func lines(of text: String) -> [String] {
        let kept = String(text.unicodeScalars.prefix(Cue.characterLimit))
        var lines = kept.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .prefix(Cue.lineLimit).map(trimmed)[...]
        while lines.first?.isEmpty == true { lines.removeFirst() }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return Array(lines)
    }

    /// Without white space at the ends, and without control characters.
    static func trimmed(_ line: Substring) -> String {
        let visible = line.unicodeScalars.filter { $0.properties.generalCategory != .control || $0 == "\t" }
        guard let start = visible.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = visible.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(visible[start...last])
    }
}
