package import AudioTypes
package import Playback
package import TerminalText

/// Texts about a network medium.
package enum StreamText {
    /// Why there is silence, or will be soon; from the longest wording to the shortest, none when all is well.
    ///
    /// - Parameters:
    ///   - waiting: Why the player is silent; `nil` while it plays or is paused.
    ///   - isOpen: Whether any data of the medium has arrived yet.
    package static func state(
        _ stream: StreamStatus,
        waiting: WaitingReason?,
        isOpen: Bool,
        now: HostTime
    ) -> [String] {
        switch stream.connection {
        case .reconnecting(let wait):
            let what = isOpen ? "reconnecting" : "waiting for the network"
            let reason = DisplayText.harmless(wait.reason)
            let next = nextTry(wait, now)
            return ["\(what): \(reason), \(next) (attempt \(wait.attempt))", "\(what), \(next)", what]
        case .connecting where waiting != nil: return ["connecting"]
        case .connecting, .connected, .complete:
            guard waiting == .toMinimizeStalls else { return [] }
            return ["buffering \(percentFilled(stream))%", "buffering"]
        }
    }

    /// The share of the required data that is buffered, in percent, at most 99.
    ///
    /// The requirement is that of the player's `BufferGate`: the slower the data arrives, the more is required.
    private static func percentFilled(_ stream: StreamStatus) -> Int {
        var wanted = 1.0
        if let rate = stream.throughput, let needed = stream.bitRate, needed > 0 {
            wanted = min(max(18 * (1 - rate / Double(needed)), 1), 15)
        }
        return min(max(Int(saturating: stream.bufferedDuration / wanted * 100), 0), 99)
    }

    /// `next try in 3 s`; whole seconds, the last one rounded up.
    package static func nextTry(_ wait: StreamStatus.Reconnecting, _ now: HostTime) -> String {
        let seconds = wait.next - now
        return seconds > 0 ? "next try in \(duration(seconds.rounded(.up)))" : "trying"
    }

    /// The buffered playing time: `12 s ahead`; `nil` when it is not relevant.
    package static func ahead(_ stream: StreamStatus) -> String? {
        guard stream.connection != .complete, stream.bufferedDuration >= 1 else { return nil }
        return "\(duration(stream.bufferedDuration.rounded(.down))) ahead"
    }

    /// `http://host/x: connection refused; trying again`.
    package static func lost(_ item: PlayerItem, _ wait: StreamStatus.Reconnecting) -> String {
        "\(place(of: item)): \(DisplayText.harmless(wait.reason)); trying again"
    }

    /// `http://host/x: back after 12 s`.
    package static func back(_ item: PlayerItem, after seconds: Double) -> String {
        "\(place(of: item)): back after \(duration(seconds.rounded()))"
    }

    /// `http://host/x: ran out of data; waiting for more`.
    package static func stalled(_ item: PlayerItem) -> String {
        "\(place(of: item)): ran out of data; waiting for more"
    }

    /// `On air  Artist - Title`; empty when the stream only reports that there is no title.
    package static func onAir(_ tags: Tags) -> StyledText {
        let title = ItemText.heading(tags)
        guard !title.isEmpty else { return StyledText() }
        var line = StyledText("On air  ")
        line.append(title, .strong)
        return line
    }

    private static func place(of item: PlayerItem) -> String { DisplayText.harmless(item.entry.shownLocation) }

    /// `3 s`, `2 min`, `1 h 5 min`.
    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e9 else { return "a long time" }
        let whole = Int(saturating: max(0, seconds))
        if whole < 100 { return "\(whole) s" }
        let minutes = (whole + 30) / 60
        if minutes < 60 { return "\(minutes) min" }
        return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
    }
}
