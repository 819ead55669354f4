internal import AudioTypes
internal import HTTP

/// Reports a session's failures, and changes of its connection.
struct SessionReporter {
    private let send: @Sendable (StreamEvent) -> Void
    /// The protocol's name.
    private let domain: String
    private(set) var status = StreamStatus()

    init(_ domain: String, _ send: @escaping @Sendable (StreamEvent) -> Void) {
        self.domain = domain
        self.send = send
    }

    /// Reports the variant being played, with its indicated bits per second.
    mutating func chose(isLive: Bool, indicatedBitRate: Int?) {
        guard status.isLive != isLive || status.indicatedBitRate != indicatedBitRate else { return }
        status.isLive = isLive
        status.indicatedBitRate = indicatedBitRate
        send(.changed(status))
    }

    mutating func connected(throughput: Double?) {
        guard status.connection != .connected else { return }
        status.throughput = throughput
        status.connection = .connected
        send(.changed(status))
    }

    mutating func completed() {
        status.connection = .complete
        send(.changed(status))
    }

    /// Reports that it will be retried.
    mutating func waits(_ reason: String, attempt: Int, until next: HostTime, since: HostTime) {
        status.connection = .reconnecting(.init(reason: reason, attempt: attempt, next: next, since: since))
        send(.changed(status))
    }

    func failed(_ error: HTTPError, url: String, isFinal: Bool = false) {
        send(.failed(StreamFailure(error, url: url, isFinal: isFinal)))
    }

    /// Reports a failure that is not an HTTP error.
    func failed(_ comment: String, url: String, isFinal: Bool = false) {
        // Only the row's URI and date come from HTTP.
        var failure = StreamFailure(HTTPError(.malformed), url: url, isFinal: isFinal)
        failure.domain = domain
        failure.comment = comment
        send(.failed(failure))
    }
}
