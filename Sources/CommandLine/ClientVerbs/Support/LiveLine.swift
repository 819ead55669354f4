import AudioTypes
import ProtocolClient
import TerminalText

/// The one line of `segue watch`.
///
/// On narrow terminals the least important parts are dropped first: the settings, then the queue position, the
/// duration.
struct LiveLine {
    var status: ServerStatus
    var song: RemoteSong?
    /// In seconds, as of now.
    var elapsed: Double
    /// The event that the stream is waiting for; `nil` when all is well.
    var remark: String?
    var format = SongFormat.usual
    var isUnicode = true

    /// A shorter title is not informative.
    private static let leastTitle = 12
    /// Columns left free at the end: for the `^C` that a terminal shows, and one more, where some would wrap.
    private static let margin = 3

    func render(width: Int) -> StyledText {
        guard status.state != .stopped else {
            return StyledText(
                DisplayText.truncated("\(isUnicode ? "■" : "#") \(stopped)", to: max(0, width - Self.margin)),
                .faint
            )
        }
        let time = MediaTime(seconds: elapsed)
        let position = TimeText.position(time, of: status.duration.map { MediaTime(seconds: $0) })
        let place = status.position.map { "\($0 + 1)/\(status.queueLength)" } ?? ""
        let names = names
        let title = names.artist.isEmpty ? names.title : "\(names.artist) - \(names.title)"
        let remark = remark.map { [DisplayText.harmless($0)] } ?? []
        let attempts = [
            (position, place, remark + settings), (position, place, remark), (position, "", remark),
            (TimeText.clock(time), "", remark), (TimeText.clock(time), "", []),
        ]
        for (position, place, settings) in attempts {
            let tail = ([place] + settings).filter { !$0.isEmpty }
            let fixed = 2 + position.count + tail.reduce(0) { $0 + 2 + DisplayText.width(of: $1) }
            let room = width - Self.margin - fixed - 2
            guard room >= min(DisplayText.width(of: title), Self.leastTitle) else { continue }
            var line = StyledText(symbol, status.state == .playing ? .good : .attention)
            line.append(" \(position)")
            if !title.isEmpty {
                line.append("  ")
                let ellipsis = isUnicode ? "…" : "..."
                line.append(
                    DisplayText.heading(artist: names.artist, title: names.title, to: room, ellipsis: ellipsis),
                    .strong
                )
            }
            for text in tail { line.append("  \(text)", .faint) }
            return line
        }
        return StyledText(
            DisplayText.truncated("\(symbol) \(TimeText.clock(time))", to: max(0, width - Self.margin), ellipsis: "")
        )
    }

    /// The artist and the title of a song whose text is these two; else its text as a title.
    private var names: (artist: String, title: String) {
        guard let song else { return ("", "") }
        let text = DisplayText.harmless(song.text(format))
        if case .text(let artist) = song.value("artist"), case .text(let title) = song.value("title") {
            let (artist, title) = (DisplayText.harmless(artist), DisplayText.harmless(title))
            if text == "\(artist) - \(title)" { return (artist, title) }
        }
        return ("", text)
    }

    private var symbol: String {
        status.state == .playing ? (isUnicode ? "▶" : ">") : isUnicode ? "‖" : "="
    }

    private var stopped: String {
        let words = status.error ?? (status.queueLength == 0 ? "stopped; the queue is empty" : "stopped")
        return DisplayText.harmless(words)
    }

    private var settings: [String] {
        var words: [String] = []
        if let zone = status.zone, zone != "default" { words.append(DisplayText.harmless(zone)) }
        if let volume = status.volume, volume != 100 { words.append("volume \(volume)%") }
        if status.speed != 1 { words.append("speed \(brief(status.speed))") }
        if status.repeat { words.append("repeat") }
        if status.random { words.append("random") }
        if status.single != "0" { words.append(status.single == "1" ? "single" : "single once") }
        if status.consume != "0" { words.append("consume") }
        if status.updateJob != nil { words.append("updating") }
        return words
    }

    /// Seconds until the line changes by itself; `nil` when it does not.
    var secondsToNextChange: Double? {
        if remark != nil { return 1 }
        guard status.state == .playing, status.speed > 0 else { return nil }
        return (elapsed.rounded(.down) + 1 - elapsed) / status.speed
    }
}
