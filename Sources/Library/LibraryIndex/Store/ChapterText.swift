internal import AudioTypes

/// The stored form of chapters: one line each with the start and the end in milliseconds, and the title.
enum ChapterText {
    static func encode(_ chapters: [Chapter]) -> String? {
        guard !chapters.isEmpty else { return nil }
        return chapters.map { chapter in
            let title = (chapter.title ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
            return "\(chapter.start.milliseconds) \(chapter.end.milliseconds) \(title)"
        }.joined(separator: "\n")
    }

    static func decode(_ text: String) -> [Chapter] {
        text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, let start = Int(parts[0]), let end = Int(parts[1]) else { return nil }
            return Chapter(
                title: parts[2].isEmpty ? nil : String(parts[2]),
                start: MediaTime(seconds: Double(start) / 1000),
                end: MediaTime(seconds: Double(end) / 1000)
            )
        }
    }
}
