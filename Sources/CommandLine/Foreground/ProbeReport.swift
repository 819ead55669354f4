package import AudioTypes
internal import CommandOptions
package import PictureValues
package import TerminalText
package import TextEncodings

/// The output of `segue probe` for one file or URL.
package struct ProbeReport: Sendable {
    package enum Contents: Sendable {
        case medium(MediaInfo)
        case picture(PictureHeader)
    }

    /// For display.
    package var location: String
    package var contents: Contents

    package init(location: String, _ contents: Contents) {
        self.location = MediaEntry(location: location).shownLocation
        self.contents = contents
    }

    package init(location: String, info: MediaInfo) { self.init(location: location, .medium(info)) }

    /// A heading and one line per fact; safe for a terminal.
    package var lines: [StyledText] {
        let facts =
            switch contents {
            case .medium(let info): Self.facts(info)
            case .picture(let header): Self.facts(header)
            }
        return [StyledText(DisplayText.harmless(location), .strong)]
            + facts.map { label, value in
                var line = StyledText("  " + Self.padded(label, to: 13), .faint)
                line.append(DisplayText.harmless(value))
                return line
            }
    }

    package var json: JSON {
        let fields =
            switch contents {
            case .medium(let info): Self.fields(info)
            case .picture(let header): Self.fields(header)
            }
        return .compact([.init("location", .string(location))] + fields)
    }

    /// The output for a medium that cannot be opened.
    package static func failure(location: String, message: String) -> JSON {
        .object([
            .init("location", .string(MediaEntry(location: location).shownLocation)), .init("error", .string(message)),
        ])
    }

    private static func padded(_ label: String, to width: Int) -> String {
        let label = DisplayText.harmless(label)
        return label + String(repeating: " ", count: max(1, width - DisplayText.width(of: label)))
    }
}

// MARK: - Media

extension ProbeReport {
    private static func facts(_ info: MediaInfo) -> [(label: String, value: String)] {
        var facts: [(label: String, value: String)] = []
        func add(_ label: String, _ value: String) { facts.append((label, value)) }
        if let kind = kind(info) { add("Kind", kind) }
        add("Container", info.container)
        add("Duration", duration(info))
        if let film = info.videoStream, let size = film.shownSize {
            add("Dimensions", "\(size.width) x \(size.height)")
        }
        if let date = captured(info) { add("Captured", date) }
        if let rate = info.bitRate { add("Bit rate", "\((rate + 500) / 1000) kbit/s") }
        if !info.isSeekable { add("Seekable", "no") }
        for stream in info.streams { add("Stream \(stream.index)", description(stream)) }
        for (number, chapter) in info.chapters.enumerated() {
            let span = "\(TimeText.exact(chapter.start)) to \(TimeText.exact(chapter.end))"
            add("Chapter \(number + 1)", span + (chapter.title.map { "  \($0)" } ?? ""))
        }
        if let gain = gain(info.replayGain.trackGain, info.replayGain.trackPeak) { add("Track gain", gain) }
        if let gain = gain(info.replayGain.albumGain, info.replayGain.albumPeak) { add("Album gain", gain) }
        for name in info.tags.names {
            for value in info.tags[all: name] { add(name, value) }
        }
        return facts
    }

    private static func duration(_ info: MediaInfo) -> String {
        guard let duration = info.duration else { return "unknown" }
        return TimeText.exact(duration) + (info.hasExactEnd ? "" : " (the end is not exact)")
    }

    private static func description(_ stream: StreamInfo) -> String {
        var facts = [stream.kind.rawValue, stream.codec + (stream.profile.map { " (\($0))" } ?? "")]
        if let rate = stream.sampleRate { facts.append("\(rate) Hz") }
        if let channels = stream.channels { facts.append(channels.description) }
        if let bits = stream.bitsPerSample { facts.append("\(bits) bit") }
        if let width = stream.width, let height = stream.height { facts.append("\(width)x\(height)") }
        if stream.kind == .video { facts += description(stream.video) }
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

    // MARK: For programs

    private static func fields(_ info: MediaInfo) -> [JSON.Field] {
        let size = info.videoStream?.shownSize
        return [
            .init("kind", .optional(kind(info))),
            .init("container", .string(info.container)),
            .init("duration", .seconds(info.duration?.seconds)),
            .init("exact_end", .bool(info.hasExactEnd)),
            .init("seekable", .bool(info.isSeekable)),
            .init("bit_rate", .optional(info.bitRate)),
            .init("width", .optional(size?.width)),
            .init("height", .optional(size?.height)),
            .init("captured", .optional(captured(info))),
            .init("streams", .array(info.streams.map(json))),
            .init("chapters", .array(info.chapters.map(json))),
            .init("replaygain", info.replayGain.isEmpty ? .null : json(info.replayGain)),
            .init("tags", .object(info.tags.names.map { .init($0, .array(info.tags[all: $0].map(JSON.string))) })),
        ]
    }

    private static func json(_ stream: StreamInfo) -> JSON {
        let facts: [JSON.Field] = [
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
        ]
        return .compact(facts + (stream.kind == .video ? fields(stream.video) : []))
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
