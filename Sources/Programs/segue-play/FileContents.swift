import AudioTypes
import CommandOptions
import Encoding
import MediaCoding
import TextEncodings
import Threads
import ValueText

/// The tags, chapters and cover that a written file has of the items that it is made of.
///
/// Reads them, so it blocks.
struct FileContents {
    private let options: PlayOptions
    private let items: [Item]

    private struct Item {
        /// As it was given.
        let entry: MediaEntry
        /// `nil` for one over the network, and one that cannot be played.
        let info: MediaInfo?
    }

    /// - Parameter entries: As they were given: the command line's limits are applied here.
    init(of entries: [MediaEntry], _ options: PlayOptions) {
        self.options = options
        // Chapters of more items have no place in a file, so only the first is of interest.
        let known = entries.count <= FileDetails.chapterLimit ? entries.count : 1
        items = entries.prefix(known).map { entry in
            Item(entry: entry, info: entry.filePath == nil ? nil : try? MediaProbe.probe(entry.location))
        }
        isWhole = known == entries.count
    }

    /// Whether all items are known.
    private let isWhole: Bool

    /// The format in which frames are passed to a file.
    func format(of path: String) throws -> AudioFormat {
        try EncodingSink.format(for: path, wanted: options.output.outputFormat?.applied(to: format) ?? format)
    }

    /// The name of the album whose artist's name goes with it; `nil` where the first item is of none.
    var album: [String]? {
        let tags = items.first.map(Self.tags)
        return tags?[all: "album"].first.map { [$0] + (tags?[all: "album_artist"] ?? []) }
    }

    /// The format that the file gets unless told otherwise: that of the first item, which is local.
    private var format: AudioFormat {
        guard let info = items.first?.info, let source = info.sourceFormat else { return .cd }
        var format = AudioFormat.cd
        format.sampleRate = min(max(source.sampleRate, 8_000), 768_000)
        switch source.sample {
        case .integer(let bits): if bits > 16 { format.sampleFormat = .s32 }
        // A lossy codec's samples have no depth of their own; DSD, which is decoded to floats, has more than 16 bits.
        case .floating:
            if info.streams.contains(where: { $0.codec.hasPrefix("dsd") }) { format.sampleFormat = .s32 }
        }
        let layout = info.streams.compactMap(\.channels).first { $0.count == source.channels }
        format.channels = layout ?? ChannelLayout(count: source.channels)
        return format
    }

    /// The file's details besides its sound: of one item its tags and chapters, of several the tags on which they agree
    /// and a chapter for each; the cover of the first.
    var details: FileDetails {
        var details = FileDetails(depth: options.output.outputFormat?.depth)
        guard let first = items.first, let info = first.info else { return details }
        if options.output.outputFormat?.sampleFormat == nil, case .integer(let bits) = info.sourceFormat?.sample,
            bits <= 24
        {
            details.depth = 24
        }
        details.cover = try? MediaProbe.picture(
            first.entry.location,
            atMost: FileDetails.coverLimit,
            interrupt: Interrupt()
        )
        guard isWhole else { return details }
        let tags = items.filter { $0.info != nil }.map(Self.tags)
        details.tags = items.count == 1 ? tags[0] : Self.common(tags)
        details.chapters = items.count == 1 ? chapters(of: first, info) : chapterOfEach ?? []
        return details
    }

    /// A part of a file, as a CUE sheet names it, has tags of its own.
    private static func tags(_ item: Item) -> Tags {
        let isPart = item.entry.start != nil || item.entry.end != nil
        return isPart ? item.entry.tags : item.info?.tags ?? Tags()
    }

    /// The tags on which all items agree, but for those of a single song.
    private static func common(_ all: [Tags]) -> Tags {
        let ofSongs: Set<String> = ["title", "track", "tracknumber", "isrc", "lyrics"]
        var common = Tags()
        guard let first = all.first else { return common }
        for name in first.names where !ofSongs.contains(name) {
            let values = first[all: name]
            guard all.allSatisfy({ $0[all: name] == values }) else { continue }
            for value in values { common.append(value, to: name) }
        }
        return common
    }

    // MARK: Chapters

    /// The part of an item that is played.
    private func part(_ item: Item, _ info: MediaInfo) -> (start: MediaTime, end: MediaTime)? {
        let entry = options.selection.limited(item.entry)
        guard let end = [entry.end, info.duration].compactMap(\.self).min() else { return nil }
        let start = entry.start ?? .zero
        return end > start ? (start, end) : nil
    }

    private func scaled(_ time: MediaTime) -> MediaTime { MediaTime(seconds: time.seconds / options.sound.speed) }

    private func chapters(of item: Item, _ info: MediaInfo) -> [Chapter] {
        guard let part = part(item, info), options.selection.loop == nil else { return [] }
        let heard = info.chapters.filter { $0.end > part.start && $0.start < part.end }
        return heard.prefix(FileDetails.chapterLimit).map { chapter in
            let start = scaled(max(.zero, chapter.start - part.start))
            return Chapter(title: chapter.title, start: start, end: scaled(min(chapter.end, part.end) - part.start))
        }
    }

    /// `nil` where the items' order or durations are not known.
    private var chapterOfEach: [Chapter]? {
        guard !options.selection.shuffle, options.selection.loop == nil else { return nil }
        var chapters: [Chapter] = []
        for item in items {
            guard let info = item.info else {
                // One that cannot be played is left out.
                if item.entry.filePath != nil { continue }
                return nil
            }
            guard let part = part(item, info) else { return nil }
            let start = chapters.last?.end ?? .zero
            let title = Self.tags(item).title ?? item.entry.tags.title ?? Self.name(of: item.entry)
            chapters.append(Chapter(title: title, start: start, end: start + scaled(part.end - part.start)))
        }
        return chapters
    }

    private static func name(of entry: MediaEntry) -> String {
        entry.location.lastPathComponent
    }
}
