/// The reply to segued's `buffer`.
package struct BufferBlock: Sendable, Hashable {
    package let reply: ServerReply
    /// `paused`, `playing` or `waitingToPlayAtSpecifiedRate`.
    package var state: String
    /// Why it waits, under AVPlayer's names.
    package var reason: String?
    /// The range that is buffered from the heard time on, in seconds of the song.
    package var loaded: ClosedRange<Double>?
    /// The range that can be seeked to, in seconds of the song.
    package var seekable: ClosedRange<Double>?
    package var isEmpty: Bool
    package var isLikelyToKeepUp: Bool
    /// `nil` for local media.
    package var stream: Stream?

    /// The state of the network stream.
    package struct Stream: Sendable, Hashable {
        /// Seconds received and not decoded yet.
        package var buffered: Double
        package var bufferedBytes: Int
        package var isFull: Bool
        package var isLive: Bool
        /// Bits per second received, consumed by playback, and indicated by a playlist; `nil` when unknown.
        package var throughput: Int?
        package var bitRate: Int?
        package var indicatedBitRate: Int?
        /// `connecting`, `connected`, `reconnecting` or `complete`.
        package var connection: String
        package var outage: Outage?
    }

    /// A stream that is being retried.
    package struct Outage: Sendable, Hashable {
        package var reason: String
        /// The number of the next attempt.
        package var attempt: Int
        /// Seconds until then, and since the stream was lost.
        package var next: Double
        package var lostFor: Double
    }

    package init(_ reply: ServerReply) {
        self.reply = reply
        func number(_ key: String) -> Double? {
            reply[key].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
        }
        func count(_ key: String) -> Int? { reply[key].flatMap { Int($0) } }
        state = reply["state"] ?? "paused"
        reason = reply["reason"]
        func range(_ key: String) -> ClosedRange<Double>? {
            guard let start = number(key + "start"), let end = number(key + "end"), start <= end else { return nil }
            return start...end
        }
        loaded = range("loaded")
        seekable = range("seekable")
        isEmpty = reply["playbackbufferempty"] == "1"
        isLikelyToKeepUp = reply["playbacklikelytokeepup"] == "1"
        guard let connection = reply["connection"] else { return }
        stream = Stream(
            buffered: number("buffered") ?? 0,
            bufferedBytes: count("bufferedbytes") ?? 0,
            isFull: reply["playbackbufferfull"] == "1",
            isLive: reply["live"] == "1",
            throughput: count("throughput"),
            bitRate: count("bitrate"),
            indicatedBitRate: count("indicatedbitrate"),
            connection: connection
        )
        guard let reason = reply["connectionerror"] else { return }
        stream?.outage = Outage(
            reason: reason,
            attempt: count("attempt") ?? 0,
            next: number("nextattempt") ?? 0,
            lostFor: number("lostfor") ?? 0
        )
    }
}
