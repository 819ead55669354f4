/// What a medium of the network is doing, at one moment.
package struct StreamStatus: Sendable, Hashable {
    package enum Connection: Sendable, Hashable {
        /// Nothing has come yet.
        case connecting
        case connected
        /// What was there is lost, and is tried again.
        case reconnecting(Reconnecting)
        /// All there is has been read.
        case complete
    }

    /// A wait for a server or a network.
    package struct Reconnecting: Sendable, Hashable {
        /// What happened, in words of a message, without the location: "connection refused".
        package var reason: String
        /// The number of the attempt that follows, from 1.
        package var attempt: Int
        /// When it follows at the latest; sooner where a near host is found to be back.
        package var next: HostTime
        /// When the stream was lost.
        package var since: HostTime

        package init(reason: String, attempt: Int, next: HostTime, since: HostTime) {
            self.reason = reason
            self.attempt = attempt
            self.next = next
            self.since = since
        }
    }

    package var connection = Connection.connecting
    /// Seconds of sound that are there and not decoded yet.
    package var bufferedDuration: Double = 0
    package var bufferedBytes = 0
    /// Whether no more is read until some of it was heard.
    package var isFull = false
    /// Whether no more comes than is there: all was read, or it has failed for good.
    package var hasEnded = false
    /// Whether it has no end, so that what was missed is gone.
    package var isLive = false
    /// Bits per second that came while it was waited for them; `nil` until known.
    package var throughput: Double?
    /// Bits per second that playing takes; `nil` until known.
    package var bitRate: Int?
    /// Bits per second that a playlist says of the variant that is played (`indicatedBitrate`).
    package var indicatedBitRate: Int?
    /// The request that goes on, with what has come of it so far; told about once a second.
    package var transfer: StreamTransfer?

    package init() {}
}

/// What network media tell while they are read, on the thread that reads.
package enum StreamEvent: Sendable, Hashable {
    /// The connection was lost, came back, or all was read; the buffer's figures change without an event.
    case changed(StreamStatus)
    case failed(StreamFailure)
    /// More of a request has been read.
    case progressed(StreamTransfer)
    case transferred(StreamTransfer)
}

/// One thing that went wrong with a stream: a row of AVPlayerItem's error log.
package struct StreamFailure: Sendable, Hashable {
    /// Seconds since 1970.
    package var date: Double
    /// Without user name and password.
    package var uri: String
    /// The server's numeric address; `nil` when it was not reached.
    package var serverAddress: String?
    /// The HTTP status; `nil` without an answer.
    package var statusCode: Int?
    /// Where it went wrong: `DNS`, `TCP`, `TLS`, `HTTP`, `HLS`, `DASH`, `media` or `recording`.
    package var domain: String
    /// In words of a message: "connection refused".
    package var comment: String
    /// Whether it is not tried again.
    package var isFinal: Bool
    /// Whether the stream itself is all right.
    package var isOfRecording: Bool { domain == "recording" }

    package init(
        date: Double,
        uri: String,
        serverAddress: String? = nil,
        statusCode: Int? = nil,
        domain: String,
        comment: String,
        isFinal: Bool
    ) {
        self.date = date
        self.uri = uri
        self.serverAddress = serverAddress
        self.statusCode = statusCode
        self.domain = domain
        self.comment = comment
        self.isFinal = isFinal
    }
}

/// One request, ended or with what has come so far, for AVPlayerItem's access log.
package struct StreamTransfer: Sendable, Hashable {
    /// Seconds since 1970.
    package var date: Double
    /// Without user name and password.
    package var uri: String
    package var serverAddress: String?
    /// Of the body.
    package var bytes: Int
    /// Seconds in which bytes were waited for.
    package var duration: Double
    /// Seconds of media in it, where it is a segment.
    package var mediaDuration: Double?

    package init(
        date: Double,
        uri: String,
        serverAddress: String?,
        bytes: Int,
        duration: Double,
        mediaDuration: Double? = nil
    ) {
        self.date = date
        self.uri = uri
        self.serverAddress = serverAddress
        self.bytes = bytes
        self.duration = duration
        self.mediaDuration = mediaDuration
    }

    /// Whether it is about the same request.
    package func isSame(as other: Self) -> Bool { date == other.date && uri == other.uri }
}
