import CommandOptions
import ProtocolClient
import Records
import TerminalText
import TextEncodings

/// The state of the buffer and of the network stream.
struct BufferReport: Report {
    var buffer: BufferBlock

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        var table = TextTable([.init(style: .faint), .init(isFlexible: true)])
        for (name, value) in rows { table.add([name, value]) }
        return table.lines(width: width, ellipsis: isUnicode ? "…" : "...")
    }

    var plainLines: [String] { rows.map { "\($0.name): \($0.value)" } }

    private var rows: [(name: String, value: String)] {
        var rows = [(name: "state", value: stateText)]
        if let loaded = buffer.loaded {
            rows.append(("loaded", "\(brief(loaded.upperBound - loaded.lowerBound)) s"))
        }
        guard let stream = buffer.stream else { return rows }
        let full = stream.isFull ? ", full" : ""
        rows.append(("buffered", "\(brief(stream.buffered)) s, \(stream.bufferedBytes / 1024) KiB\(full)"))
        rows.append(("lasts", buffer.isLikelyToKeepUp ? "likely" : "unlikely"))
        rows.append(("connection", StreamStateText.connection(stream) + (stream.isLive ? ", live" : "")))
        if let rate = stream.throughput { rows.append(("arrives at", "\(rate / 1000) kbit/s")) }
        if let rate = stream.bitRate ?? stream.indicatedBitRate { rows.append(("takes", "\(rate / 1000) kbit/s")) }
        return rows
    }

    private var stateText: String {
        switch (buffer.state, buffer.reason) {
        case ("waitingToPlayAtSpecifiedRate", "toMinimizeStalls"?): "waiting for more of the stream"
        case ("waitingToPlayAtSpecifiedRate", "evaluatingBufferingRate"?): "opening"
        case ("waitingToPlayAtSpecifiedRate", "outputUnavailable"?): "waiting for the sound server"
        case ("waitingToPlayAtSpecifiedRate", "noItemToPlay"?): "nothing to play"
        default: buffer.state
        }
    }

    var json: [JSON] { [buffer.reply.record(.buffer)] }
}

/// A stream's state in words, as in `segue play`.
enum StreamStateText {
    static func connection(_ stream: BufferBlock.Stream, since seconds: Double = 0) -> String {
        guard let outage = stream.outage else { return stream.connection }
        let next = Int(saturating: max(0, outage.next - seconds).rounded(.up))
        let attempt = "attempt \(outage.attempt)"
        return
            "reconnecting: \(outage.reason), \(next > 0 ? "next try in \(next) s (\(attempt))" : "trying (\(attempt))")"
    }

    /// A remark about the stream, for the status; `nil` when all is well.
    ///
    /// - Parameter seconds: The age of the reply.
    static func remark(_ buffer: BufferBlock, since seconds: Double = 0) -> String? {
        guard let stream = buffer.stream else { return nil }
        if stream.outage != nil { return connection(stream, since: seconds) }
        guard buffer.state == "waitingToPlayAtSpecifiedRate" else { return nil }
        return stream.connection == "connecting" ? "connecting" : "buffering"
    }
}
