internal import AudioTypes

/// Collects a parser's results, within the limits.
struct PlaylistBuilder {
    let limits: ParseLimits
    private(set) var playlist: Playlist
    /// Whether the limit of entries was reached; the parser may stop.
    private(set) var isFull = false

    init(format: PlaylistFormat, text: SourceText, limits: ParseLimits) {
        self.limits = limits
        self.playlist = Playlist(format: format, encoding: text.encoding)
    }

    mutating func setTitle(_ title: String) {
        if playlist.title == nil, !title.isEmpty { playlist.title = title }
    }

    mutating func append(_ entry: MediaEntry, line: Int) {
        guard !entry.location.isEmpty else { return report(.missingLocation, line: line) }
        guard !entry.location.utf8.contains(0) else { return report(.invalidLocation, line: line) }
        guard playlist.entries.count < limits.entries else {
            if !isFull { report(.tooManyEntries(limit: limits.entries), line: line) }
            isFull = true
            return
        }
        playlist.entries.append(entry)
        playlist.lines.append(line)
    }

    mutating func report(_ reason: PlaylistProblem.Reason, line: Int) {
        guard playlist.problems.count <= limits.problems else { return }
        let isLast = playlist.problems.count == limits.problems
        playlist.problems.append(PlaylistProblem(line: line, reason: isLast ? .moreProblems : reason))
    }

    /// Whether a line may be parsed: one that is too long is reported instead.
    mutating func accepts(_ line: TextLine) -> Bool {
        guard line.bytes.count > limits.lineLength else { return true }
        report(.lineTooLong(limit: limits.lineLength), line: line.number)
        return false
    }
}
