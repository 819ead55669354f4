package import AudioTypes
package import Playback
package import TerminalText

/// The progress line.
///
/// On narrow terminals the least important parts are dropped first: volume and settings, then the position in the
/// queue, then the duration; the title is truncated before that. The reason for silence stays to the last, in shorter
/// wordings.
package struct ProgressLine: Sendable {
    package var status: PlayerStatus
    package var time: MediaTime
    package var stream: Stream?
    /// The number of the item, from 1, and of how many, where the player has only one of them.
    package var place: (number: Int, count: Int)?
    /// Whether symbols beyond ASCII may be used.
    package var isUnicode: Bool

    /// The state of a network medium.
    package struct Stream: Sendable, Hashable {
        package var status: StreamStatus
        /// The moment to show.
        package var now: HostTime

        package init(_ status: StreamStatus, now: HostTime) {
            self.status = status
            self.now = now
        }

        /// Whether the line changes with time alone.
        package func changesByItself(_ status: PlayerStatus) -> Bool {
            if case .reconnecting = self.status.connection { return true }
            if case .waitingToPlayAtSpecifiedRate(.toMinimizeStalls) = status.timeControlStatus { return true }
            return false
        }
    }

    package init(status: PlayerStatus, time: MediaTime, stream: Stream? = nil, isUnicode: Bool = true) {
        self.status = status
        self.time = time
        self.stream = stream
        self.isUnicode = isUnicode
    }

    /// A shorter title is not informative.
    private static let leastTitle = 12

    /// The line in at most `width` columns.
    package func render(width: Int) -> StyledText {
        let duration = status.currentItem?.duration
        let position = TimeText.position(time, of: duration)
        let (states, extras) = (states, extras)
        var layouts = [Layout(position: position, count: count, extras: states.prefix(1) + extras)]
        // With each wording of the state, or none.
        for state in states.isEmpty ? [[]] : states.map({ [$0] }) {
            layouts.append(Layout(position: position, count: count, extras: state))
            layouts.append(Layout(position: position, count: "", extras: state))
            layouts.append(Layout(position: TimeText.clock(time), count: "", extras: state))
        }
        for layout in layouts {
            if let line = render(layout, names, width: width) { return line }
        }
        for state in states {
            let layout = Layout(position: TimeText.clock(time), count: "", extras: [state])
            if let line = render(layout, ("", ""), width: width) { return line }
        }
        let least = "\(symbol.0) \(TimeText.clock(time))"
        return DisplayText.width(of: least) <= width ? StyledText(least) : StyledText()
    }

    /// The parts shown besides the title.
    private struct Layout {
        var position: String
        var count: String
        var extras: [StyledText.Piece]
    }

    /// - Returns: `nil` when too little of the title would be left.
    private func render(_ layout: Layout, _ names: (artist: String, title: String), width: Int) -> StyledText? {
        let title = names.artist.isEmpty ? names.title : "\(names.artist) - \(names.title)"
        let (symbol, style) = symbol
        let fixed =
            DisplayText.width(of: symbol + " " + layout.position) + Self.width(of: layout.extras)
            + (layout.count.isEmpty ? 0 : 2 + layout.count.count)
        let room = width - fixed - (title.isEmpty ? 0 : 2)
        guard room >= min(DisplayText.width(of: title), Self.leastTitle) else { return nil }
        var line = StyledText(symbol, style)
        line.append(" " + layout.position)
        if !title.isEmpty {
            line.append("  ")
            let ellipsis = isUnicode ? "…" : "..."
            line.append(
                DisplayText.heading(artist: names.artist, title: names.title, to: room, ellipsis: ellipsis),
                .strong
            )
        }
        if !layout.count.isEmpty { line.append("  " + layout.count, .faint) }
        for extra in layout.extras { line.append("  " + extra.text, extra.style) }
        return line
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

    private var names: (artist: String, title: String) { status.currentItem.map(ItemText.names) ?? ("", "") }

    private var count: String {
        if let place { return place.count > 1 ? "\(place.number)/\(place.count)" : "" }
        guard let index = status.currentIndex, status.itemCount > 1 else { return "" }
        return "\(index + 1)/\(status.itemCount)"
    }

    /// `2/9 The Storm`: the chapter that is heard.
    private var chapter: String? {
        guard let item = status.currentItem, let chapters = item.info?.chapters, chapters.count > 1 else { return nil }
        let place = time + (item.entry.start ?? .zero)
        guard let index = chapters.lastIndex(where: { $0.start <= place }) else { return nil }
        let title = DisplayText.harmless(chapters[index].title ?? "")
        let number = "\(index + 1)/\(chapters.count)"
        guard !title.isEmpty else { return number }
        return number + " " + DisplayText.truncated(title, to: Self.longestChapter, ellipsis: isUnicode ? "…" : "...")
    }

    /// Of a chapter's title, in columns.
    private static let longestChapter = 24

    /// Why there is silence, or will be soon, from the longest wording to the shortest.
    private var states: [StyledText.Piece] {
        var waiting: WaitingReason?
        if case .waitingToPlayAtSpecifiedRate(let reason) = status.timeControlStatus { waiting = reason }
        let isOpen = status.currentItem?.info != nil
        let texts: [String] =
            switch waiting {
            case .outputUnavailable: ["waiting for the sound server"]
            case .noItemToPlay: []
            case .toMinimizeStalls, .evaluatingBufferingRate, nil:
                stream.map { stream in
                    StreamText.state(
                        stream.status,
                        waiting: waiting,
                        isOpen: isOpen,
                        now: stream.now
                    )
                } ?? []
            }
        if texts.isEmpty {
            if waiting == .toMinimizeStalls { return [.init(text: "buffering", style: .attention)] }
            if waiting == .evaluatingBufferingRate, status.currentItem?.status == .unknown {
                return [.init(text: "opening", style: .attention)]
            }
        }
        return texts.map { .init(text: $0, style: .attention) }
    }

    /// Settings that differ from the defaults.
    private var extras: [StyledText.Piece] {
        var pieces: [StyledText.Piece] = []
        func add(_ text: String, _ style: TextStyle = .faint) { pieces.append(.init(text: text, style: style)) }
        if let chapter { add(chapter) }
        if let ahead = (stream?.status).flatMap(StreamText.ahead) { add(ahead) }
        if status.defaultRate != 1 { add("speed \(ItemText.factor(status.defaultRate))") }
        if status.volume != .full { add("volume \(Int(saturating: status.volume.percent.rounded()))%") }
        if status.isMuted { add("muted", .attention) }
        switch status.loopMode {
        case .off: break
        case .item: add("looping this item")
        case .queue: add("looping")
        }
        return pieces
    }
}
