import AudioTypes
import CommandOptions
import ProtocolClient
import Records
import TerminalText
import TextEncodings

/// The current song, and the player's state.
struct StatusReport: Report {
    var status: ServerStatus
    var song: RemoteSong?
    var format: SongFormat?
    /// The event that the song's stream is waiting for.
    var stream: String?

    // MARK: For scripts: mpc's three lines

    var plainLines: [String] {
        var lines: [String] = []
        if status.state != .stopped {
            if let song { lines.append(song.text(format ?? .usual)) }
            lines.append(plainProgress)
        }
        if let job = status.updateJob { lines.append("Updating DB (#\(job)) ...") }
        lines.append(
            "volume:\(volumeText)   repeat: \(padded(onOff(status.repeat)))random: \(padded(onOff(status.random)))"
                + "single: \(padded(Self.word(status.single)))consume: \(Self.word(status.consume))"
        )
        if let stream { lines.append("stream: \(stream)") }
        if let sleep = status.sleep { lines.append("sleep: \(sleep)") }
        if let error = status.error { lines.append("ERROR: \(error)") }
        return lines
    }

    private var volumeText: String {
        guard let volume = status.volume else { return " n/a" }
        return String(repeating: " ", count: volume < 10 ? 2 : volume < 100 ? 1 : 0) + "\(volume)%"
    }

    private var plainProgress: String {
        let time = status.wholeSeconds
        let elapsed = clockText(time?.elapsed ?? 0)
        let minutes = elapsed.prefix { $0 != ":" }.count
        return (status.state == .playing ? "[playing] " : "[paused]  ")
            + "#\((status.position ?? 0) + 1)/\(status.queueLength) "
            + String(repeating: " ", count: max(0, 3 - minutes)) + elapsed
            + "/\(clockText(time?.duration ?? 0)) (\(percent)%)"
    }

    private var percent: Int {
        guard let time = status.wholeSeconds, time.duration > 0 else { return 0 }
        return time.elapsed * 100 / time.duration
    }

    private func onOff(_ value: Bool) -> String { value ? "on" : "off" }

    private func padded(_ word: String) -> String { word + String(repeating: " ", count: max(0, 6 - word.count)) }

    /// `off`, `on` or `once`.
    static func word(_ value: String) -> String {
        switch value {
        case "1": "on"
        case "oneshot": "once"
        default: "off"
        }
    }

    /// The value of a name in mpc's status formats; as an extension, also of the song's names.
    func value(_ name: String) -> SongFormat.Value {
        let time = status.wholeSeconds
        switch name {
        case "totaltime": return .text(clockText(time?.duration ?? 0))
        case "currenttime": return .text(clockText(time?.elapsed ?? 0))
        case "percenttime": return .text(String(repeating: " ", count: max(0, 3 - "\(percent)".count)) + "\(percent)%")
        case "songpos": return .text("\(status.position.map { $0 + 1 } ?? 0)")
        case "length": return .text("\(status.queueLength)")
        case "state":
            switch status.state {
            case .playing: return .text("playing")
            case .paused: return .text("paused")
            case .stopped: return .text("stopped")
            }
        case "volume": return .text(volumeText)
        case "random": return .text(onOff(status.random))
        case "repeat": return .text(onOff(status.repeat))
        case "single": return .text(Self.word(status.single))
        case "consume": return .text(Self.word(status.consume))
        default: return song?.value(name) ?? .unknown
        }
    }

    // MARK: For people

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        let ellipsis = isUnicode ? "…" : "..."
        func cut(_ text: String, _ indent: Int) -> String {
            DisplayText.truncated(DisplayText.harmless(text), to: width - indent, ellipsis: ellipsis)
        }
        var lines: [StyledText] = []
        var first = StyledText(symbol(isUnicode), style)
        first.append(" " + cut(song.map { heading($0) } ?? stateText, 2), .strong)
        lines.append(first)
        if let song, status.state != .stopped || song.title != nil {
            let details = details(song)
            if format == nil, !details.isEmpty { lines.append(StyledText("  " + cut(details, 2), .faint)) }
        }
        if status.state != .stopped { lines.append(progress(width: width, isUnicode: isUnicode)) }
        if let stream { lines.append(StyledText("  " + cut(stream, 2), .attention)) }
        for line in Self.wrapped(settings, width: width) { lines.append(line) }
        if let job = status.updateJob { lines.append(StyledText("  updating the library (job \(job))", .attention)) }
        if let error = status.error { lines.append(StyledText("  " + cut(error, 2), .bad)) }
        return lines
    }

    private func symbol(_ isUnicode: Bool) -> String {
        switch status.state {
        case .playing: isUnicode ? "▶" : ">"
        case .paused: isUnicode ? "‖" : "="
        case .stopped: isUnicode ? "■" : "#"
        }
    }

    private var style: TextStyle {
        switch status.state {
        case .playing: .good
        case .paused: .attention
        case .stopped: .faint
        }
    }

    private var stateText: String {
        status.queueLength == 0
            ? "stopped; the queue is empty" : "stopped; \(count(status.queueLength, "song")) in the queue"
    }

    private func heading(_ song: RemoteSong) -> String {
        let text = song.text(format ?? .usual)
        return text.isEmpty ? song.uri : text
    }

    private func details(_ song: RemoteSong) -> String {
        var parts: [String] = []
        if let album = song.album { parts.append(album + (song["Date"].map { " (\($0.prefix(4)))" } ?? "")) }
        if let audio = status.audio ?? song["Format"] { parts.append(AudioText.describe(audio)) }
        if let rate = status.bitRate { parts.append("\(rate) kbit/s") }
        if let sound = status.sound { parts.append(sound) }
        return parts.joined(separator: ", ")
    }

    /// `0:12 / 4:05 [======----] 40%  3 of 12`.
    private func progress(width: Int, isUnicode: Bool) -> StyledText {
        let elapsed = MediaTime(seconds: status.elapsed ?? 0)
        let times = TimeText.position(elapsed, of: status.duration.map { MediaTime(seconds: $0) })
        let place = status.position.map { "\($0 + 1) of \(status.queueLength)" } ?? ""
        var line = StyledText("  " + times)
        if let duration = status.duration, duration > 0 {
            let room = min(40, width - times.count - place.count - 8)
            if room >= 8 {
                let filled = max(0, min(room, Int(saturating: Double(room) * elapsed.seconds / duration)))
                line.append("  ")
                line.append(String(repeating: isUnicode ? "━" : "=", count: filled), style)
                line.append(String(repeating: isUnicode ? "─" : "-", count: room - filled), .faint)
            }
        }
        if !place.isEmpty { line.append("  " + place, .faint) }
        return line
    }

    /// The settings; those that differ from the defaults stand out.
    private var settings: [StyledText.Piece] {
        var pieces: [StyledText.Piece] = []
        func add(_ text: String, _ isSpecial: Bool) {
            pieces.append(.init(text: text, style: isSpecial ? .plain : .faint))
        }
        if let zone = status.zone, zone != "default" { add("zone \(DisplayText.harmless(zone))", true) }
        add(status.volume.map { "volume \($0)%" } ?? "no volume control", status.volume != nil)
        add("repeat \(onOff(status.repeat))", status.repeat)
        add("random \(onOff(status.random))", status.random)
        add("single \(Self.word(status.single))", status.single != "0")
        add("consume \(Self.word(status.consume))", status.consume != "0")
        if let seconds = status.crossfade, seconds > 0 { add("crossfade \(brief(seconds)) s", true) }
        if status.speed != 1 { add("speed \(brief(status.speed))", true) }
        if let sleep = status.sleep { add(SleepText.describe(sleep), true) }
        if let name = interrupterName { add("interrupted by \(DisplayText.harmless(name))", true) }
        return pieces
    }

    private var interrupterName: String? { status.interrupter ?? status.interrupterID.map { "session \($0)" } }

    /// Wraps pieces into as many lines as needed.
    private static func wrapped(_ pieces: [StyledText.Piece], width: Int) -> [StyledText] {
        var lines: [StyledText] = []
        var line = StyledText()
        for piece in pieces {
            if line.width > 0, line.width + 2 + DisplayText.width(of: piece.text) > width {
                lines.append(line)
                line = StyledText()
            }
            line.append("  ")
            line.append(piece.text, piece.style)
        }
        lines.append(line)
        return lines
    }

    // MARK: For programs

    var json: [JSON] { [.object(fields)] }

    var fields: [JSON.Field] {
        let record = status.reply.record(.status, ("pitch", status.pitch), ("stream", stream))
        return record.fields + (song.map { [.init("song", $0.json)] } ?? [])
    }
}

/// `44100:16:2` in words.
enum AudioText {
    static func describe(_ audio: String) -> String {
        let parts = audio.split(separator: ":").map(String.init)
        guard parts.count == 3, let rate = Int(parts[0]) else { return audio }
        let kilohertz = Double(rate) / 1000
        let channels: String
        switch parts[2] {
        case "1": channels = "mono"
        case "2": channels = "stereo"
        default: channels = "\(parts[2]) channels"
        }
        let bits = parts[1] == "f" ? "float" : "\(parts[1]) bit"
        return "\(brief(kilohertz)) kHz \(bits) \(channels)"
    }
}

/// A number without a zero fraction.
func brief(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e9
        ? "\(Int(saturating: number))" : "\((number * 1000).rounded() / 1000)"
}

/// `1 song`, `2 songs`.
func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
