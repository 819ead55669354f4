package import AudioTypes
package import TimedText

/// A file beside a film or a song that has its subtitles by its name: `film.srt`, `film.en.srt`, `film.de.forced.srt`.
package struct SubtitleFile: Sendable, Hashable {
    package let name: String
    package let format: TimedTextFormat
    /// `nil` when the name says none.
    package let language: LanguageCode?

    /// `nil` for another file.
    ///
    /// - Parameter film: The film's file name.
    package init?(_ name: String, beside film: String) {
        guard let format = TimedTextFormat(fileName: name), let dot = film.lastIndex(of: ".") else { return nil }
        let stem = film[..<dot]
        let rest = name.dropLast(format.rawValue.count + 1)
        guard name != film, rest.lowercased().hasPrefix(stem.lowercased()) else { return nil }
        let words = rest.dropFirst(stem.count).split(separator: ".", omittingEmptySubsequences: false)
        // Before the first point there is nothing: film2.srt is another film's.
        guard words.first?.isEmpty ?? true else { return nil }
        let known = words.dropFirst().filter { !Self.remarks.contains($0.lowercased()) }
        let language = known.first.flatMap { LanguageCode(String($0)) }
        guard known.isEmpty || (known.count == 1 && language != nil) else { return nil }
        (self.name, self.format, self.language) = (name, format, language)
    }

    private static let remarks: Set = ["forced", "sdh", "cc", "default"]

    /// The files among `names` that belong to a film: those without a language first, then by the user's languages.
    package static func files(among names: [String], beside film: String, languages: [LanguageCode]) -> [SubtitleFile] {
        func rank(_ file: SubtitleFile) -> Int {
            file.language.map { languages.firstIndex(of: $0).map { $0 + 1 } ?? .max } ?? 0
        }
        return names.sorted().compactMap { SubtitleFile($0, beside: film) }.sorted { rank($0) < rank($1) }
    }

    /// Whether it is shown unless other subtitles are chosen: it was put there for the film, in a language of the user.
    package func isWanted(_ languages: [LanguageCode]) -> Bool { language.map(languages.contains) ?? true }
}
