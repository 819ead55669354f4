/// The reply to segued's `lyrics`.
package struct LyricsBlock: Sendable, Hashable {
    package let reply: ServerReply
    package struct Line: Sendable, Hashable {
        /// In seconds; `nil` in lyrics without times.
        package var time: Double?
        package var text: String

        package init(time: Double?, text: String) {
            self.time = time
            self.text = text
        }
    }

    /// `file` or `embedded`.
    package var source: String
    package var isSynced: Bool
    package var language: String?
    /// By time, if they have times.
    package var lines: [Line]

    package init(_ reply: ServerReply) {
        self.reply = reply
        source = reply["source"] ?? ""
        isSynced = reply["synced"] == "1"
        language = reply["language"]
        lines = []
        var time: Double?
        for pair in reply.pairs {
            switch pair.key {
            case "time": time = Double(pair.value).flatMap { $0.isFinite ? $0 : nil }
            case "line":
                lines.append(Line(time: time, text: pair.value))
                time = nil
            default: break
            }
        }
        // Times that are missing or out of order would stop what waits for the next one.
        if zip(lines, lines.dropFirst()).contains(where: { ($0.time ?? .infinity) > ($1.time ?? -1) }) {
            isSynced = false
        }
    }

    /// The index of the line that is sung at `elapsed` seconds; `nil` before the first, and without times.
    package func index(at elapsed: Double) -> Int? {
        guard isSynced else { return nil }
        var (low, high) = (0, lines.count)
        while low < high {
            let middle = low + (high - low) / 2
            if lines[middle].time ?? 0 > elapsed { high = middle } else { low = middle + 1 }
        }
        return low > 0 ? low - 1 : nil
    }
}
