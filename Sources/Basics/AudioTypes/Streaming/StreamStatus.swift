/// The state of a network medium, at one moment.
package struct StreamStatus: Sendable, Hashable {
    package enum Connection: Sendable, Hashable {
        /// No data has arrived yet.
        case connecting
        case connected
        /// The connection is lost, and retried.
        case reconnecting(Reconnecting)
        /// All data has been read.
        case complete
    }

    /// A wait before reconnecting.
    package struct Reconnecting: Sendable, Hashable {
        /// The cause, for a message, without the location: "connection refused".
        package var reason: String
        /// The number of the next attempt, from 1.
        package var attempt: Int
        /// The latest time of that attempt; sooner if a local host is found to be back.
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
    /// Seconds of sound received and not decoded yet.
    package var bufferedDuration: Double = 0
    package var bufferedBytes = 0
    /// Whether no more is read until some of it was heard.
    package var isFull = false
    /// Whether no more data follows: all was read, or the stream has failed for good.
    package var hasEnded = false
    /// Whether the stream is live, so that missed data is gone.
    package var isLive = false
    /// The times of a live medium that its server still has, up to the one that is played live; `nil` where it cannot be
    /// sought.
    package var window: ClosedRange<Double>?
    /// Bits per second received while waiting for data; `nil` until known.
    package var throughput: Double?
    /// Bits per second that playback consumes; `nil` until known.
    package var bitRate: Int?
    /// Bits per second that the playlist indicates for the variant being played (`indicatedBitrate`).
    package var indicatedBitRate: Int?
    /// The current request, with the data received so far; reported about once a second.
    package var transfer: StreamTransfer?

    package init() {}
}

/// An event of a network medium, on the thread that reads it.
package enum StreamEvent: Sendable, Hashable {
    /// The connection was lost or restored, or all was read; the buffer's figures change without an event.
    case changed(StreamStatus)
    case failed(StreamFailure)
    /// More of a request has been read.
    case progressed(StreamTransfer)
    case transferred(StreamTransfer)
}

/// One error of a stream: a row of AVPlayerItem's error log.
package struct StreamFailure: Sendable, Hashable {
    /// Seconds since 1970.
    package var date: Double
    /// Without user name and password.
    package var uri: String
    /// The server's numeric address; `nil` when it was not reached.
    package var serverAddress: String?
    /// The HTTP status; `nil` without an answer.
    package var statusCode: Int?
    /// Where it occurred: `DNS`, `TCP`, `TLS`, `HTTP`, `HLS`, `DASH`, `media` or `recording`.
    package var domain: String
    /// For a message: "connection refused".
    package var comment: String
    /// Whether it is not retried.
    package var isFinal: Bool
    /// Whether only the recording failed, and not the stream itself.
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

/// One request, finished or with the data received so far, for AVPlayerItem's access log.
package struct StreamTransfer: Sendable, Hashable {
    /// Seconds since 1970.
    package var date: Double
    /// Without user name and password.
    package var uri: String
    package var serverAddress: String?
    /// The size of the body.
    package var bytes: Int
    /// Seconds spent waiting for data.
    package var duration: Double
    /// Seconds of media in it, if it is a segment.
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
