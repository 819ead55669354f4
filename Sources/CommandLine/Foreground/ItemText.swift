package import AudioTypes
package import Playback
package import TerminalText
internal import TextEncodings

/// Texts for an item, all of them safe for a terminal.
package enum ItemText {
    /// `Artist - Title`, from the stream or else from the file; the station's name; or the file's.
    package static func heading(_ item: PlayerItem) -> String {
        let (artist, title) = names(item)
        return artist.isEmpty ? title : "\(artist) - \(title)"
    }

    /// The two parts of the heading; the artist may be empty.
    static func names(_ item: PlayerItem) -> (artist: String, title: String) {
        let told = names(item.timedTags)
        if !told.title.isEmpty { return told }
        let title = (item.title ?? item.tag("icy-name")).map(DisplayText.harmless)?.trimmed ?? ""
        let artist = item.artist.map(DisplayText.harmless)?.trimmed ?? ""
        let name = title.isEmpty ? DisplayText.harmless(DisplayText.name(of: item.entry.shownLocation)) : title
        return (artist, name)
    }

    /// The name of the station that an item is; `nil` when the heading is that already.
    private static func station(_ item: PlayerItem) -> String? {
        let name = item.tag("icy-name").map(DisplayText.harmless)?.trimmed ?? ""
        return name.isEmpty || name == heading(item) ? nil : name
    }

    /// `Artist - Title`; empty without a title.
    package static func heading(_ tags: Tags) -> String {
        let (artist, title) = names(tags)
        return artist.isEmpty || title.isEmpty ? title : "\(artist) - \(title)"
    }

    private static func names(_ tags: Tags) -> (artist: String, title: String) {
        let title = tags.title.map(DisplayText.harmless)?.trimmed ?? ""
        return (tags.artist.map(DisplayText.harmless)?.trimmed ?? "", title)
    }

    /// `Playing 2/5  Artist - Title (3:21)  [FLAC 44.1 kHz stereo]`; of a station `Playing Station: Artist - Title`.
    package static func started(_ item: PlayerItem, index: Int?, count: Int) -> StyledText {
        var line = StyledText("Playing")
        if let index, count > 1 { line.append(" \(index + 1)/\(count) ") }
        line.append(" ")
        if let station = station(item) { line.append("\(station): ") }
        line.append(heading(item), .strong)
        if let duration = item.duration, duration.seconds.isFinite, duration > .zero {
            line.append(" (\(TimeText.clock(duration)))")
        }
        if let format = item.info.flatMap(format) { line.append("  [\(format)]", .faint) }
        return line
    }

    /// `FLAC 44.1 kHz stereo` of a medium's first audio stream.
    private static func format(_ info: MediaInfo) -> String? {
        guard let stream = info.audioStreams.first else { return nil }
        return audioFormat(stream)
    }

    package static func audioFormat(_ stream: StreamInfo) -> String {
        var words = [codecName(stream.codec)]
        if let rate = stream.sampleRate { words.append(kilohertz(rate)) }
        if let channels = stream.channels { words.append(channels.description) }
        return words.joined(separator: " ")
    }

    /// FFmpeg's short names in their usual spelling.
    package static func codecName(_ name: String) -> String {
        switch name {
        case "opus": "Opus"
        case "vorbis": "Vorbis"
        case "wavpack": "WavPack"
        case _ where name.hasPrefix("pcm_"): "PCM"
        default: DisplayText.harmless(name).uppercased()
        }
    }

    /// `44.1 kHz`, `48 kHz`.
    package static func kilohertz(_ rate: Int) -> String { factor(Double(rate) / 1000, digits: 3) + " kHz" }

    /// A number with limited decimals and no trailing zeros: `1.1`, `0.25`, `2`.
    package static func factor(_ value: Double, digits: Int = 2) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "?" }
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int(saturating: (abs(value) * Double(scale)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        return sign + String(parts: scaled, places: digits)
    }

    /// Why an item failed, on one line.
    package static func failure(_ item: PlayerItem) -> String {
        let name = DisplayText.harmless(item.entry.shownLocation)
        guard case .failed(let reason) = item.status else { return "\(name): cannot be played" }
        return DisplayText.harmless(reason)
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
