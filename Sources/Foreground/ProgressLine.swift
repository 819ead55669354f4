package import AudioTypes
package import Playback
package import TerminalText

/// The one line that shows what is heard.
///
/// What matters least goes first when the width is small: the volume and its like, then the place in the queue, then
/// the duration; the title is cut before the duration goes.
package struct ProgressLine: Sendable, Hashable {
    package var status: PlayerStatus
    package var time: MediaTime
    /// Whether symbols and the ellipsis may be other than ASCII.
    package var isUnicode: Bool

    package init(status: PlayerStatus, time: MediaTime, isUnicode: Bool = true) {
        self.status = status
        self.time = time
        self.isUnicode = isUnicode
    }

    /// A title of fewer columns tells nothing.
    private static let leastTitle = 12

    /// The line in at most `width` columns.
    package func render(width: Int) -> StyledText {
        let (symbol, style) = symbol
        let duration = status.currentItem?.duration
        let position = TimeText.position(time, of: duration)
        let extras = extras
        let title = title
        let titleWidth = DisplayText.width(of: title)

        let attempts: [(position: String, count: String, extras: [StyledText.Piece])] = [
            (position, count, extras),
            (position, count, []),
            (position, "", []),
            (TimeText.clock(time), "", []),
        ]
        for attempt in attempts {
            let fixed =
                DisplayText.width(of: symbol + " " + attempt.position) + Self.width(of: attempt.extras)
                + (attempt.count.isEmpty ? 0 : 2 + attempt.count.count)
            let room = width - fixed - 2
            guard room >= min(titleWidth, Self.leastTitle) else { continue }
            var line = StyledText(symbol, style)
            line.append(" " + attempt.position)
            if !title.isEmpty {
                line.append("  ")
                line.append(DisplayText.truncated(title, to: room, ellipsis: isUnicode ? "…" : "..."), .strong)
            }
            if !attempt.count.isEmpty { line.append("  " + attempt.count, .faint) }
            for extra in attempt.extras { line.append("  " + extra.text, extra.style) }
            return line
        }
        let least = "\(symbol) \(TimeText.clock(time))"
        return DisplayText.width(of: least) <= width ? StyledText(least) : StyledText()
    }

    private static func width(of pieces: [StyledText.Piece]) -> Int {
        pieces.reduce(0) { $0 + 2 + DisplayText.width(of: $1.text) }
    }

    private var symbol: (String, TextStyle) {
        switch status.timeControlStatus {
        case .playing: (isUnicode ? "▶" : ">", .good)
        case .paused: (isUnicode ? "‖" : "=", .attention)
        case .waitingToPlayAtSpecifiedRate: (isUnicode ? "⋯" : "~", .attention)
        }
    }

    private var title: String {
        guard let item = status.currentItem else { return "" }
        return ItemText.heading(item)
    }

    private var count: String {
        guard let index = status.currentIndex, status.itemCount > 1 else { return "" }
        return "\(index + 1)/\(status.itemCount)"
    }

    /// What differs from how things usually are.
    private var extras: [StyledText.Piece] {
        var pieces: [StyledText.Piece] = []
        func add(_ text: String, _ style: TextStyle = .faint) { pieces.append(.init(text: text, style: style)) }
        if case .waitingToPlayAtSpecifiedRate(let reason) = status.timeControlStatus {
            switch reason {
            case .toMinimizeStalls: add("buffering", .attention)
            case .outputUnavailable: add("waiting for the sound server", .attention)
            case .evaluatingBufferingRate: if status.currentItem?.status == .unknown { add("opening", .attention) }
            case .noItemToPlay: break
            }
        }
        if status.defaultRate != 1 { add("speed \(ItemText.factor(status.defaultRate))") }
        if status.volume != .full { add("volume \(Int(status.volume.percent.rounded()))%") }
        if status.isMuted { add("muted", .attention) }
        switch status.loopMode {
        case .off: break
        case .item: add("looping this item")
        case .queue: add("looping")
        }
        return pieces
    }
}
