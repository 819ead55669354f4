/// The streams of a medium of which one is chosen, as AVMediaSelectionGroup.
package struct MediaSelectionGroup: Sendable, Hashable {
    /// AVMediaCharacteristic's names.
    package enum Characteristic: String, Sendable, Hashable {
        case audible
        /// Subtitles, of which none may be chosen.
        case legible
        /// Moving pictures, of which none need be shown.
        case visual
    }

    package struct Option: Sendable, Hashable {
        /// The stream's index in the medium.
        package let stream: Int
        package let codec: String
        package let language: LanguageCode?
        package let title: String?
        package let isDefault: Bool
        /// Whether it only translates what is in another language than the audio.
        package let isForced: Bool
        /// Further traits that the medium states, by FFmpeg's names, such as `comment` and `hearing_impaired`.
        package let characteristics: [String]

        /// Whether it is for some users only, and so never chosen before one that is for all.
        var isSpecial: Bool { characteristics.contains { Self.special.contains($0) } }

        private static let special: Set = ["comment", "hearing_impaired", "visual_impaired", "karaoke", "lyrics"]

        /// Its language and title, or what else tells it from others.
        package var name: String {
            let words = [language?.code, title, isForced ? "forced" : nil].compactMap(\.self)
            return words.isEmpty ? codec : words.joined(separator: ", ")
        }
    }

    package let characteristic: Characteristic
    /// In the medium's order: of those that fit alike, the first one is the author's preference.
    package let options: [Option]

    package init(_ characteristic: Characteristic, of info: MediaInfo) {
        self.characteristic = characteristic
        let kind: StreamInfo.Kind =
            switch characteristic {
            case .audible: .audio
            case .legible: .subtitle
            case .visual: .video
            }
        let renditions = info.renditions.filter { $0.kind == kind }
        options = (renditions.isEmpty ? info.streams.filter { $0.kind == kind } : renditions).map(Option.init)
    }

    /// Whether nothing may be chosen.
    package var allowsEmptySelection: Bool { characteristic != .audible }

    /// The option that the medium marks as its default, else the first; for subtitles and pictures none.
    package var defaultOption: Option? {
        if let marked = options.first(where: \.isDefault) { return marked }
        return allowsEmptySelection ? nil : options.first { !$0.isSpecial } ?? options.first
    }

    /// The n-th option, from 1.
    package func option(number: Int) -> Option? {
        options.indices.contains(number - 1) ? options[number - 1] : nil
    }

    /// The first option in a language; forced ones, and those for some users only, where there are no others.
    package func option(in language: LanguageCode) -> Option? {
        let matching = options.filter { $0.language == language }
        return matching.first { !$0.isForced && !$0.isSpecial } ?? matching.first { !$0.isForced } ?? matching.first
    }

    /// The audio or video that a selection refers to; `nil` when there is none, or nothing tells which video is meant.
    package func option(for selection: TrackSelection) -> Option? {
        switch selection {
        case .automatic: defaultOption
        case .number(let number): option(number: number)
        case .preferred(let number): option(number: number) ?? defaultOption
        case .language(let code): LanguageCode(code).flatMap { option(in: $0) }
        case .languages(let languages): languages.firstNonNil { option(in: $0) } ?? defaultOption
        }
    }

    /// The subtitles that are shown unless others are chosen.
    ///
    /// Where the audio is in another language than the user's, those in the first of the user's languages that there are
    /// some in; else the forced ones in the audio's language, or in none that is named.
    ///
    /// - Parameters:
    ///   - audio: The audio's language; `nil` when it is unknown, and then taken for the user's.
    ///   - languages: The user's, the preferred one first.
    package func automaticSubtitles(audio: LanguageCode?, languages: [LanguageCode]) -> Option? {
        guard characteristic == .legible else { return nil }
        if let audio, !languages.contains(audio) {
            for language in languages {
                if let option = option(in: language), !option.isForced { return option }
            }
        }
        return options.first { $0.isForced && ($0.language == nil || audio == nil || $0.language == audio) }
    }
}

extension MediaSelectionGroup.Option {
    fileprivate init(_ stream: StreamInfo) {
        self.init(
            stream: stream.index,
            codec: stream.codec,
            language: stream.language.flatMap { LanguageCode($0) },
            title: stream.title,
            isDefault: stream.dispositions.contains("default"),
            isForced: stream.dispositions.contains("forced"),
            characteristics: stream.dispositions.filter { !["default", "forced", "attached_pic"].contains($0) }
        )
    }
}
