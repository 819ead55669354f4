package import AudioTypes
package import TerminalText
package import Verbs

/// The output of `segue probe` for one medium.
package struct ProbeReport: Sendable {
    /// For display.
    package var location: String
    package var info: MediaInfo

    package init(location: String, info: MediaInfo) {
        self.location = MediaEntry(location: location).shownLocation
        self.info = info
    }

    // MARK: For people

    /// A heading and one line per fact; safe for a terminal.
    package var lines: [StyledText] {
        var lines = [StyledText(DisplayText.harmless(location), .strong)]
        func add(_ label: String, _ value: String) {
            var line = StyledText("  " + Self.padded(label, to: 13), .faint)
            line.append(DisplayText.harmless(value))
            lines.append(line)
        }
        add("Container", info.container)
        add("Duration", duration)
        if let rate = info.bitRate { add("Bit rate", "\((rate + 500) / 1000) kbit/s") }
        if !info.isSeekable { add("Seekable", "no") }
        for stream in info.streams { add("Stream \(stream.index)", Self.description(stream)) }
        for (number, chapter) in info.chapters.enumerated() {
            let span = "\(TimeText.exact(chapter.start)) to \(TimeText.exact(chapter.end))"
            add("Chapter \(number + 1)", span + (chapter.title.map { "  \($0)" } ?? ""))
        }
        if let gain = Self.gain(info.replayGain.trackGain, info.replayGain.trackPeak) { add("Track gain", gain) }
        if let gain = Self.gain(info.replayGain.albumGain, info.replayGain.albumPeak) { add("Album gain", gain) }
        for name in info.tags.names {
            for value in info.tags[all: name] { add(name, value) }
        }
        return lines
    }

    private var duration: String {
        guard let duration = info.duration else { return "unknown" }
        return TimeText.exact(duration) + (info.hasExactEnd ? "" : " (the end is not exact)")
    }

    private static func description(_ stream: StreamInfo) -> String {
        var facts = [stream.kind.rawValue, stream.codec + (stream.profile.map { " (\($0))" } ?? "")]
        if let rate = stream.sampleRate { facts.append("\(rate) Hz") }
        if let channels = stream.channels { facts.append(channels.description) }
        if let bits = stream.bitsPerSample { facts.append("\(bits) bit") }
        if let width = stream.width, let height = stream.height { facts.append("\(width)x\(height)") }
        if let rate = stream.bitRate { facts.append("\((rate + 500) / 1000) kbit/s") }
        if let language = stream.language { facts.append(language) }
        if let title = stream.title { facts.append("\"\(title)\"") }
        return facts.joined(separator: ", ")
            + (stream.dispositions.isEmpty ? "" : " [\(stream.dispositions.joined(separator: ", "))]")
    }

    private static func gain(_ gain: Double?, _ peak: Double?) -> String? {
        guard let gain else { return nil }
        return (gain >= 0 ? "+" : "") + ItemText.factor(gain) + " dB"
            + (peak.map { ", peak \(ItemText.factor($0, digits: 6))" } ?? "")
    }

    private static func padded(_ label: String, to width: Int) -> String {
        let label = DisplayText.harmless(label)
        return label + String(repeating: " ", count: max(1, width - DisplayText.width(of: label)))
    }

    // MARK: For programs

    package var json: JSON {
        .compact([
            .init("location", .string(location)),
            .init("container", .string(info.container)),
            .init("duration", .seconds(info.duration?.seconds)),
            .init("exact_end", .bool(info.hasExactEnd)),
            .init("seekable", .bool(info.isSeekable)),
            .init("bit_rate", .optional(info.bitRate)),
            .init("streams", .array(info.streams.map(Self.json))),
            .init("chapters", .array(info.chapters.map(Self.json))),
            .init("replaygain", info.replayGain.isEmpty ? .null : Self.json(info.replayGain)),
            .init("tags", .object(info.tags.names.map { .init($0, .array(info.tags[all: $0].map(JSON.string))) })),
        ])
    }

    /// The output for a medium that cannot be opened.
    package static func failure(location: String, message: String) -> JSON {
        .object([
            .init("location", .string(MediaEntry(location: location).shownLocation)), .init("error", .string(message)),
        ])
    }

    private static func json(_ stream: StreamInfo) -> JSON {
        .compact([
            .init("index", .integer(stream.index)),
            .init("kind", .string(stream.kind.rawValue)),
            .init("codec", .string(stream.codec)),
            .init("profile", .optional(stream.profile)),
            .init("language", .optional(stream.language)),
            .init("title", .optional(stream.title)),
            .init("dispositions", .array(stream.dispositions.map(JSON.string))),
            .init("bit_rate", .optional(stream.bitRate)),
            .init("sample_rate", .optional(stream.sampleRate)),
            .init("channels", .optional(stream.channels?.count)),
            .init("channel_layout", .optional(stream.channels?.description)),
            .init("bits_per_sample", .optional(stream.bitsPerSample)),
            .init("width", .optional(stream.width)),
            .init("height", .optional(stream.height)),
        ])
    }

    private static func json(_ chapter: Chapter) -> JSON {
        .compact([
            .init("title", .optional(chapter.title)),
            .init("start", .seconds(chapter.start.seconds)),
            .init("end", .seconds(chapter.end.seconds)),
        ])
    }

    private static func json(_ gain: ReplayGain) -> JSON {
        .compact([
            .init("track_gain", .optional(gain.trackGain)),
            .init("track_peak", .optional(gain.trackPeak)),
            .init("album_gain", .optional(gain.albumGain)),
            .init("album_peak", .optional(gain.albumPeak)),
        ])
    }
}
