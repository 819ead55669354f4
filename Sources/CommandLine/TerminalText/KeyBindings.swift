/// The command of a key.
package enum KeyCommand: Sendable, Hashable {
    case togglePause
    /// Pause, and show a film's next frame.
    case stepFrame
    /// In seconds, from the audible position.
    case seek(by: Double)
    case previousItem
    case nextItem
    /// Chapters from the current one.
    case seekChapter(by: Int)
    /// In percent points.
    case changeVolume(by: Double)
    case toggleMute
    case multiplySpeed(by: Double)
    case resetSpeed
    case toggleLoopItem
    /// The next audio track, and the first after the last.
    case cycleAudioTrack
    case cycleVideoTrack
    /// The next subtitles, and none after the last ones.
    case cycleSubtitles
    /// Hide the subtitles, and show them again.
    case toggleSubtitles
    case showPosition
    case showHelp
    /// Hand playback over to a server, and quit.
    case goOnInBackground
    /// Quit, and keep the position even without `--resume`.
    case quitKeepingPosition
    case quit
}

/// The keys, close to mpv's.
package enum KeyBindings {
    /// One line of the help: keys, their labels, their meaning.
    package struct Row: Sendable {
        package let keys: [Key]
        package let label: String
        package let meaning: String
        package let command: KeyCommand

        fileprivate init(_ label: String, _ meaning: String, _ command: KeyCommand, _ keys: Key...) {
            self.keys = keys
            self.label = label
            self.meaning = meaning
            self.command = command
        }
    }

    package static let rows = [
        Row("space, p", "pause, resume", .togglePause, .character(" "), .character("p")),
        Row(".", "pause, one frame on", .stepFrame, .character(".")),
        Row("left", "5 seconds back", .seek(by: -5), .left),
        Row("right", "5 seconds forward", .seek(by: 5), .right),
        Row("down", "a minute back", .seek(by: -60), .down),
        Row("up", "a minute forward", .seek(by: 60), .up),
        Row("<", "previous item", .previousItem, .character("<")),
        Row(">, Enter", "next item", .nextItem, .character(">"), .enter),
        Row("PgDn", "previous chapter", .seekChapter(by: -1), .pageDown),
        Row("PgUp", "next chapter", .seekChapter(by: 1), .pageUp),
        Row("9, /", "quieter", .changeVolume(by: -2), .character("9"), .character("/")),
        Row("0, *", "louder", .changeVolume(by: 2), .character("0"), .character("*")),
        Row("m", "mute", .toggleMute, .character("m")),
        Row("[", "slower by a tenth", .multiplySpeed(by: 1 / 1.1), .character("[")),
        Row("]", "faster by a tenth", .multiplySpeed(by: 1.1), .character("]")),
        Row("{", "half the speed", .multiplySpeed(by: 0.5), .character("{")),
        Row("}", "twice the speed", .multiplySpeed(by: 2), .character("}")),
        Row("Backspace", "normal speed", .resetSpeed, .backspace),
        Row("L", "repeat this item", .toggleLoopItem, .character("L")),
        Row("#", "next audio track", .cycleAudioTrack, .character("#")),
        Row("_", "next video track", .cycleVideoTrack, .character("_")),
        Row("j", "next subtitles", .cycleSubtitles, .character("j")),
        Row("v", "hide, show subtitles", .toggleSubtitles, .character("v")),
        Row("o", "show the position", .showPosition, .character("o")),
        Row("?", "show the keys", .showHelp, .character("?")),
        Row("b", "continue in the background", .goOnInBackground, .character("b")),
        Row("Q", "quit, keep the position", .quitKeepingPosition, .character("Q")),
        Row("q", "quit", .quit, .character("q")),
    ]

    /// The command of a key; `nil` for an unbound one.
    package static func command(for key: Key) -> KeyCommand? {
        rows.first { $0.keys.contains(key) }?.command
    }

    /// The keys in two columns if they fit in `width`, else in one.
    package static func help(_ rows: [Row] = rows, width: Int) -> [String] {
        let labelWidth = rows.map(\.label.count).max() ?? 0
        let cells = rows.map { padded($0.label, to: labelWidth) + "  " + $0.meaning }
        let cellWidth = cells.map(\.count).max() ?? 0
        guard 2 + 2 * cellWidth + 3 <= width else { return cells.map { "  " + $0 } }
        let half = (cells.count + 1) / 2
        return (0..<half).map { row in
            let right = row + half < cells.count ? "   " + cells[row + half] : ""
            return "  " + (right.isEmpty ? cells[row] : padded(cells[row], to: cellWidth) + right)
        }
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
