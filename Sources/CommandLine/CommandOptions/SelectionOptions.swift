package import ArgumentParser
package import AudioTypes
package import ValueText

/// The part to repeat, by the flags `--loop` and `--loop-file`; the names without `--loop-playlist` are mpv's.
package enum LoopOption: String, Sendable, Hashable, EnumerableFlag {
    case queue
    case item

    package static func name(for value: Self) -> NameSpecification {
        switch value {
        case .queue: [.customLong("loop"), .customLong("loop-playlist")]
        case .item: .customLong("loop-file")
        }
    }

    package static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        case .queue: "Begin again after the last item."
        case .item: "Play each item again and again, until another one is chosen."
        }
    }
}

/// The audio or video stream of a file to play.
package enum TrackOption: Sendable, Hashable, CustomStringConvertible {
    /// The one that the file marks as its default; else the first audio, or the best video.
    case automatic
    /// The n-th stream of its kind, from 1.
    case number(Int)
    /// The first one in a language (ISO 639 code).
    case language(String)
    /// The first one in the first of these languages that there is one in; else as `automatic`.
    case languages([LanguageCode])

    package init(parsing text: String) throws(ArgumentProblem) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        if text == "auto" {
            self = .automatic
        } else if let number = Int(text), (1...1000).contains(number) {
            self = .number(number)
        } else if (2...16).contains(words.count), words.allSatisfy({ (2...3).contains($0.utf8.count) }) {
            let languages = words.compactMap { LanguageCode(String($0)) }
            guard languages.count == words.count else { throw ArgumentProblem("'\(text)' names no languages") }
            self = .languages(languages)
        } else if (2...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x61...0x7a).contains($0 | 0x20) }) {
            self = .language(text.lowercased())
        } else {
            throw ArgumentProblem("a track is a number from 1, languages such as en or de,en, or auto")
        }
    }

    package var description: String {
        switch self {
        case .automatic: "auto"
        case .number(let number): "\(number)"
        case .language(let code): code
        case .languages(let languages): languages.map(\.code).joined(separator: ",")
        }
    }
}

/// The subtitles to show.
package enum SubtitleOption: Sendable, Hashable, CustomStringConvertible {
    /// Those that the file, its languages and the user's call for.
    case automatic
    case off
    /// The n-th ones, from 1.
    case number(Int)
    /// The first ones in a language (ISO 639 code).
    case language(LanguageCode)
    /// Those in a file.
    case file(String)

    package init(parsing text: String) throws(ArgumentProblem) {
        if text == "auto" {
            self = .automatic
        } else if text == "off" || text == "no" {
            self = .off
        } else if let number = Int(text), (1...1000).contains(number) {
            self = .number(number)
        } else if text.contains(".") || text.contains("/") {
            self = .file(text)
        } else if (2...3).contains(text.utf8.count), let language = LanguageCode(text) {
            self = .language(language)
        } else {
            throw ArgumentProblem("subtitles are a number from 1, a language such as en or deu, a file, off, or auto")
        }
    }

    package var description: String {
        switch self {
        case .automatic: "auto"
        case .off: "off"
        case .number(let number): "\(number)"
        case .language(let language): language.code
        case .file(let path): path
        }
    }
}

/// The options of `play` for the selection and order of items.
package struct SelectionOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Play what a playlist names; - reads it from standard input.", valueName: "file"),
        completion: .file(extensions: ["m3u", "m3u8", "pls", "xspf", "asx", "cue"])
    )
    package var playlist: [String] = []

    @Flag(name: [.short, .long], help: "Also play what is in the folders of a folder.")
    package var recursive = false

    @Flag(help: "Play in random order.")
    package var shuffle = false

    @Flag(exclusivity: .chooseLast)
    package var loop: LoopOption?

    @Option(
        help: ArgumentHelp("Begin each item at this time, such as 90, 1:30 or 1h30m.", valueName: "time"),
        transform: TimeArgument.parse
    )
    package var start: MediaTime?

    @Option(help: ArgumentHelp("End each item at this time.", valueName: "time"), transform: TimeArgument.parse)
    package var end: MediaTime?

    @Option(help: ArgumentHelp("Play this much of each item.", valueName: "time"), transform: TimeArgument.parse)
    package var length: MediaTime?

    @Option(
        help: ArgumentHelp(
            "Play this audio track: auto (default), a number from 1, a language, or the first of several.",
            valueName: "n|lang"
        ),
        completion: .list(["auto", "1", "2", "en", "de", "fr", "es", "ja"]),
        transform: TrackOption.init(parsing:)
    )
    package var audioTrack = TrackOption.automatic

    @Option(
        help: ArgumentHelp(
            "Show these subtitles: auto (default), a number from 1, a language, a file, or off.",
            valueName: "n|lang|file"
        ),
        completion: .file(extensions: ["srt", "vtt", "ass", "ssa", "lrc"]),
        transform: SubtitleOption.init(parsing:)
    )
    package var sub = SubtitleOption.automatic

    @Flag(help: "Show the words of songs as they are sung.")
    package var lyrics = false

    @Flag(help: "Resume each file where it was left, and store its position.")
    package var resume = false

    @Option(
        help: ArgumentHelp("Fade out and quit after this time, such as 30m.", valueName: "time"),
        completion: .list(["15m", "30m", "45m", "1h", "1h30m"]),
        transform: TimeArgument.parse
    )
    package var sleep: MediaTime?

    package init() {}

    package func validate() throws {
        if end != nil, length != nil { throw ValidationError("--end and --length exclude each other") }
        if let end, end <= start ?? .zero { throw ValidationError("--end must be after --start") }
        if let length, length <= .zero { throw ValidationError("--length must be more than 0") }
        if let sleep, sleep <= .zero { throw ValidationError("--sleep must be more than 0") }
        if playlist.count(where: { $0 == "-" }) > 1 { throw ValidationError("standard input can be read only once") }
    }

    /// The part of `entry` selected by `--start`, `--end` and `--length`.
    ///
    /// They count from the entry's own start, so that each track of a CUE sheet is treated like a file.
    package func limited(_ entry: MediaEntry) -> MediaEntry {
        guard start != nil || end != nil || length != nil else { return entry }
        let origin = entry.start ?? .zero
        let begin = origin + (start ?? .zero)
        let wantedEnd = end.map { origin + $0 } ?? length.map { begin + $0 }
        var limited = entry
        limited.start = begin == .zero ? entry.start : begin
        switch (entry.end, wantedEnd) {
        case (let own?, let wanted?): limited.end = min(own, wanted)
        case (nil, let wanted?): limited.end = wanted
        case (_, nil): break
        }
        if let duration = entry.duration {
            let rest = max(.zero, duration - (begin - origin))
            limited.duration = limited.end.map { min(rest, $0 - begin) } ?? rest
        }
        return limited
    }
}
