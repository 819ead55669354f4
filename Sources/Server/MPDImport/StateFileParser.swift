/// Reads MPD's state file: `key: value` lines, and the queue between two marks.
struct StateFileParser {
    private var state: ImportedState
    private var isInQueue = false
    /// The entry of a `song_begin` block that has not ended.
    private var open: ImportedEntry?
    /// The next entry's priority: its line comes before the entry.
    private var priority = 0

    /// Parses the text into a state; unknown lines are ignored.
    static func parse(_ text: String, into state: inout ImportedState) {
        var parser = StateFileParser(state: state)
        for line in text.split(whereSeparator: { $0 == "\n" || $0 == "\r\n" }) { parser.read(line) }
        if let open = parser.open { parser.state.queue.append(open) }
        state = parser.state
        if let current = state.current, !state.queue.indices.contains(current) {
            state.problems.append("the state file names entry \(current) of a queue of \(state.queue.count)")
            state.current = nil
            state.elapsed = 0
        }
        if state.current == nil { state.playback = .stopped }
    }

    private init(state: ImportedState) { self.state = state }

    private mutating func read(_ line: Substring) {
        switch line {
        case "playlist_begin": isInQueue = true
        case "playlist_end": isInQueue = false
        case _ where isInQueue: readEntry(line)
        default:
            if line.hasPrefix("audio_device_state:") {
                readOutput(line.dropFirst("audio_device_state:".count))
            } else if let (key, value) = Self.pair(line) {
                readOption(key, value)
            }
        }
    }

    /// `key: value`.
    private static func pair(_ line: Substring) -> (key: Substring, value: Substring)? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        return (line[..<colon], line[line.index(after: colon)...].drop { $0 == " " })
    }

    /// `1:name`; the name may have colons too.
    private mutating func readOutput(_ text: Substring) {
        guard let (flag, _) = Self.pair(text), flag == "0" || flag == "1" else { return }
        state.outputs.append(ImportedOutput(name: String(text.dropFirst(2)), isEnabled: flag == "1"))
    }

    private mutating func readEntry(_ line: Substring) {
        if line == "song_end" {
            if let open { state.queue.append(open) }
            open = nil
        } else if line.hasPrefix("song_begin: ") {
            if let open { state.queue.append(open) }
            open = entry(line.dropFirst("song_begin: ".count))
        } else if open != nil {
            readDetail(line)
        } else if let (key, value) = Self.pair(line) {
            if key == "Prio" {
                priority = min(max(Int(value) ?? 0, 0), 255)
            } else if Int(key) != nil {
                // The URI follows the number directly, and may begin with a blank.
                state.queue.append(entry(line[line.index(after: key.endIndex)...]))
            }
        }
    }

    private mutating func entry(_ uri: Substring) -> ImportedEntry {
        var entry = ImportedEntry(String(uri))
        entry.priority = priority
        priority = 0
        return entry
    }

    /// Parses a line about the open entry.
    private mutating func readDetail(_ line: Substring) {
        guard let (key, value) = Self.pair(line), var entry = open else { return }
        switch key {
        case "Range":
            let ends = value.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            entry.start = Int(ends[0]).flatMap { $0 > 0 ? Double($0) / 1000 : nil }
            entry.end = ends.count > 1 ? Int(ends[1]).flatMap { $0 > 0 ? Double($0) / 1000 : nil } : nil
        case "Time", "Playlist", "mtime", "Format", "added", "Added", "target": break
        default:
            // Files have their own tags.
            if entry.uri.contains("://") {
                entry.tags.append(ImportedTag(name: String(key), value: String(value)))
            }
        }
        open = entry
    }

    private mutating func readOption(_ key: Substring, _ value: Substring) {
        switch key {
        case "sw_volume": state.volume = Int(value).flatMap { (0...100).contains($0) ? $0 : nil }
        case "state": state.playback = value == "play" ? .playing : value == "pause" ? .paused : .stopped
        case "current": state.current = Int(value).flatMap { $0 >= 0 ? $0 : nil }
        case "time": state.elapsed = Self.seconds(value) ?? 0
        case "random": state.options.random = value == "1"
        case "repeat": state.options.repeats = value == "1"
        case "single": state.options.single = Self.toggle(value)
        case "consume": state.options.consume = Self.toggle(value)
        case "crossfade": state.options.crossfade = Self.seconds(value) ?? 0
        case "mixrampdb": state.options.mixRampThreshold = Double(value).flatMap { $0.isFinite ? $0 : nil } ?? 0
        case "mixrampdelay": state.options.mixRampDelay = Self.seconds(value)
        default: break
        }
    }

    /// `nil` for text that is not a duration, such as a negative number, which stands for none.
    private static func seconds(_ text: Substring) -> Double? {
        Double(text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }

    private static func toggle(_ text: Substring) -> ImportedOptions.Switch {
        text == "1" ? .on : text == "2" || text == "oneshot" ? .oneshot : .off
    }
}
