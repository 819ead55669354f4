import AudioTypes
import Charsets
import CommandOptions
import Files
import Foreground
import Glibc
import MediaCoding
import MediaHeaders
import Playback
import TerminalText
import Threads
import TimedText

/// The subtitles of the current item that are shown, and their text now: in its medium, in files beside it, and
/// the words of songs.
@MainActor
final class Subtitles {
    /// Subtitles that can be shown.
    private enum Choice {
        case stream(MediaSelectionGroup.Option)
        case file(LoadedText)
    }

    let feeds = SubtitleFeeds()
    private let wanted: SubtitleOption
    private let showsLyrics: Bool
    /// Of files that declare none; `nil` to judge by each.
    private let charset: Charset?
    private let languages = LanguageCode.preferred(TerminalTraits.variable)
    private var item: PlayerItem?
    private var choices: [Choice] = []
    private var chosen: Int?
    /// Whether the user hides those that are chosen, also of the items that follow.
    private var isHidden = false

    init(_ options: SelectionOptions, _ charset: Charset?) {
        self.charset = charset
        wanted = options.sub
        showsLyrics = options.lyrics
    }

    /// The text at a time of the current item, and the time when it changes next.
    func shown(at time: MediaTime) -> (lines: [String], nextChange: MediaTime?) {
        guard let item else { return ([], nil) }
        // Its own times count from the medium's beginning, the player's from that of the part that is played.
        let origin = item.entry.start ?? .zero
        guard let chosen, !isHidden else {
            feeds.feed(for: item.id)?.show(nil, at: time + origin)
            return ([], nil)
        }
        let track =
            switch choices[chosen] {
            case .stream(let option):
                feeds.feed(for: item.id)?.track(ofStream: option.stream, at: time + origin) ?? TextTrack([])
            case .file(let text): text.track
            }
        let shown = track.shown(at: time + origin)
        return (shown.lines, shown.nextChange.map { $0 - origin })
    }

    // MARK: Choosing

    /// Finds the subtitles of an item that begins, and chooses among them.
    ///
    /// - Parameter track: The audio that is heard.
    /// - Returns: Why those that are wanted cannot be shown.
    func begin(_ item: PlayerItem, _ track: TrackSelection) async -> String? {
        (self.item, choices, chosen) = (item, [], nil)
        let (wanted, languages, showsLyrics, charset) = (wanted, languages, showsLyrics, charset)
        let found = try? await WorkThread.run(named: "segue-files") {
            FoundText(item.entry, wanted, languages, showsLyrics: showsLyrics, charset)
        }
        guard self.item?.id == item.id, let info = item.info else { return nil }
        let group = MediaSelectionGroup(.legible, of: info)
        choices = group.options.map { .stream($0) } + (found?.texts ?? []).map { .file($0) }
        if let problem = found?.problem { return problem }
        let heard = MediaSelectionGroup(.audible, of: info).option(for: track)?.language
        return choose(group, audio: heard)
    }

    private func choose(_ group: MediaSelectionGroup, audio: LanguageCode?) -> String? {
        switch wanted {
        case .off: return nil
        case .automatic:
            chosen = files { $0.isWanted } ?? index(of: group.automaticSubtitles(audio: audio, languages: languages))
        case .file: chosen = choices.indices.last
        case .language(let language):
            chosen = files { $0.language == language } ?? index(of: group.option(in: language))
        case .number(let number): chosen = choices.indices.contains(number - 1) ? number - 1 : nil
        }
        if let chosen, let codec = pictureCodec(choices[chosen]) {
            self.chosen = nil
            return wanted == .automatic ? nil : "subtitles that are pictures (\(codec)) cannot be shown"
        }
        guard chosen == nil, wanted != .automatic, !choices.isEmpty else { return nil }
        return "there are no subtitles \(wanted)"
    }

    /// Chooses the next subtitles, or none after the last ones.
    ///
    /// - Returns: The subtitles that are shown then, for people.
    func cycle() -> String {
        isHidden = false
        let next = (chosen.map { $0 + 1 } ?? 0)..<choices.count
        chosen = next.first { pictureCodec(choices[$0]) == nil }
        guard let chosen else {
            if let codec = choices.firstNonNil(pictureCodec), choices.allSatisfy({ pictureCodec($0) != nil }) {
                return "Subtitles: only pictures (\(codec)), which cannot be shown"
            }
            return choices.isEmpty ? "Subtitles: none" : "Subtitles off"
        }
        return "Subtitles \(chosen + 1)/\(choices.count)  \(name(of: choices[chosen]))"
    }

    /// Hides the subtitles, or shows them again; where none are chosen, the first ones.
    ///
    /// - Returns: The subtitles that are shown then, for people.
    func toggle() -> String {
        guard let chosen else { return cycle() }
        isHidden.toggle()
        return isHidden ? "Subtitles hidden" : "Subtitles \(chosen + 1)/\(choices.count)  \(name(of: choices[chosen]))"
    }

    private func name(of choice: Choice) -> String {
        switch choice {
        case .file(let text): text.name
        case .stream(let option): option.name
        }
    }

    private func pictureCodec(_ choice: Choice) -> String? {
        guard case .stream(let option) = choice, SubtitleCodec(rawValue: option.codec) == nil else { return nil }
        return option.codec
    }

    private func files(_ isWanted: (LoadedText) -> Bool) -> Int? {
        choices.firstIndex { choice in if case .file(let text) = choice { isWanted(text) } else { false } }
    }

    private func index(of option: MediaSelectionGroup.Option?) -> Int? {
        guard let option else { return nil }
        return choices.firstIndex { choice in if case .stream(option) = choice { true } else { false } }
    }
}

/// The text of a file, or of a song's tags.
private struct LoadedText: Sendable {
    let name: String
    let language: LanguageCode?
    /// Whether it is shown unless other subtitles are chosen.
    let isWanted: Bool
    let track: TextTrack
}

/// The subtitles outside of a medium's streams; finding them blocks.
private struct FoundText: Sendable {
    var texts: [LoadedText] = []
    /// Why the file that was named cannot be shown.
    var problem: String?
    private let charset: Charset?

    init(
        _ entry: MediaEntry,
        _ wanted: SubtitleOption,
        _ languages: [LanguageCode],
        showsLyrics: Bool,
        _ charset: Charset?
    ) {
        self.charset = charset
        if wanted == .off { return }
        if let path = entry.filePath {
            addFiles(beside: String(decoding: path.bytes, as: UTF8.self), languages, showsLyrics)
            if showsLyrics { addLyrics(in: path) }
        }
        if case .file(let path) = wanted { addNamed(path) }
    }

    private mutating func addFiles(beside path: String, _ languages: [LanguageCode], _ showsLyrics: Bool) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? "./"
        let film = slash.map { String(path[path.index(after: $0)...]) } ?? path
        let names = (try? fileNames(in: folder)) ?? []
        for file in SubtitleFile.files(among: names, beside: film, languages: languages) {
            guard file.format != .lrc || showsLyrics,
                let bytes = try? fileContents(folder + file.name, atMost: TimedTextFormat.byteLimit)
            else { continue }
            let track = file.format.read(bytes, charset: charset)
            guard !track.isEmpty else { continue }
            texts.append(
                LoadedText(name: file.name, language: file.language, isWanted: file.isWanted(languages), track: track)
            )
        }
    }

    private mutating func addLyrics(in path: FilePath) {
        guard let file = try? Descriptor(path, .reading), let size = try? file.status.size else { return }
        var reader = TagReader(file.number, size: size, charset: charset)
        guard let track = reader.lyrics()?.track, !track.isEmpty else { return }
        texts.append(LoadedText(name: "lyrics", language: nil, isWanted: true, track: track))
    }

    private mutating func addNamed(_ path: String) {
        guard let format = TimedTextFormat(fileName: path) else {
            problem = "\(path): subtitles are in files that end in .srt, .vtt, .ass, .ssa or .lrc"
            return
        }
        do throws(SystemError) {
            let track = format.read(try fileContents(path, atMost: TimedTextFormat.byteLimit), charset: charset)
            texts.append(LoadedText(name: path, language: nil, isWanted: true, track: track))
            if track.isEmpty { problem = "\(path): there are no subtitles in it" }
        } catch {
            problem = "\(path): \(error)"
        }
    }
}
