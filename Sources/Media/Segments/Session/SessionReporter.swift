internal import AudioTypes
internal import HTTP

/// What a session tells those who watch it: each failure, and the connection when it changes.
struct SessionReporter {
    private let send: @Sendable (StreamEvent) -> Void
    /// What the protocol is called.
    private let domain: String
    private(set) var status = StreamStatus()

    init(_ domain: String, _ send: @escaping @Sendable (StreamEvent) -> Void) {
        self.domain = domain
        self.send = send
    }

    /// What is played, in bits per second as a playlist says.
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

    /// It is tried again at a moment.
    mutating func waits(_ reason: String, attempt: Int, until next: HostTime, since: HostTime) {
        status.connection = .reconnecting(.init(reason: reason, attempt: attempt, next: next, since: since))
        send(.changed(status))
    }

    func failed(_ error: HTTPError, url: String, isFinal: Bool = false) {
        send(.failed(StreamFailure(error, url: url, isFinal: isFinal)))
    }

    /// Something that HTTP has no name for.
    func failed(_ comment: String, url: String, isFinal: Bool = false) {
        // Only the row's URI and date are HTTP's.
        var failure = StreamFailure(HTTPError(.malformed), url: url, isFinal: isFinal)
        failure.domain = domain
        failure.comment = comment
        send(.failed(failure))
    }
}
