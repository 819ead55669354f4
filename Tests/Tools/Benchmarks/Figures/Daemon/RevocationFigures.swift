import TestSupport

extension Measurement {
    /// How soon a client has lost its rights, whatever it does.
    static let revocation = Measurement(
        figures: ["revocation_ms"],
        summary:
            "1,000 principals: the slowest milliseconds until `clients revoke` is on the disk and answered, by what the "
            + "client does meanwhile, and until the client has noticed"
    ) { bench, report in
        let music = try await MusicFolder(songs: 2_000)
        let daemon = try await LineDaemon(.segued, music: music.path, streamingAt: try steadyPort())
        try await daemon.update()
        let stage = try RevocationStage(daemon)
        for number in 0..<998 { try stage.owner.order("clients set client\(number) permissions read zone default") }
        var figure = Figure("revocation_ms")
        var worst = 0.0
        for state in RevocationStage.states {
            let times = try (0..<bench.repetitions).map { _ in try stage.revoke(state) }
            let answered = times.map(\.answered).max() ?? 0
            figure.set(state.name, answered)
            figure.set("\(state.name)_noticed", times.map(\.noticed).max())
            worst = max(worst, answered)
        }
        figure.setLimit(50, for: worst)
        report(figure)
    }
}

/// A client whose rights are taken from it, again and again.
private struct RevocationStage {
    struct State {
        let name: String
        /// The requests that bring the client there; `nil` for one that listens by HTTP.
        let requests: String?
        /// The beginning of the line that tells the client that it is over.
        let end: String
    }

    static let states = [
        State(name: "idle", requests: "idle permission\n", end: "changed: permission"),
        State(name: "library", requests: String(repeating: "listallinfo\n", count: 30), end: "<closed>"),
        State(name: "subscribed", requests: "subscribe news\nidle permission\n", end: "changed: permission"),
        State(name: "announcing", requests: "announce say hello\nidle permission\n", end: "changed: permission"),
        State(name: "session", requests: "session open Bell\nidle permission\n", end: "changed: permission"),
        State(name: "listening", requests: nil, end: "<closed>"),
    ]

    let owner: LineClient
    private let daemon: LineDaemon
    private let password: String

    init(_ daemon: LineDaemon) throws {
        self.daemon = daemon
        owner = try LineClient(.unix(daemon.socket))
        password = try owner.values("clients password guest")["password"] ?? ""
    }

    /// - Returns: In milliseconds, from the revocation to its reply, and to the client's end.
    func revoke(_ state: State) throws -> (answered: Double, noticed: Double) {
        let id = state.requests == nil ? "127.0.0.1" : "guest"
        try owner.order("clients set \(id) permissions read,add,player,control")
        let client = try state.requests.map(guest) ?? listener()
        let start = ContinuousClock.now
        try owner.order("clients revoke \(id)")
        let answered = ContinuousClock.now.seconds(since: start) * 1_000
        var line = client.line()
        // Between two pieces of a reply, the rest is refused.
        while line != state.end, !line.hasPrefix("ACK [4@0]") {
            guard line != "<silence>", line != "<closed>" else { throw LineSocketError.closed }
            line = client.line()
        }
        return (answered, ContinuousClock.now.seconds(since: start) * 1_000)
    }

    /// A client that the server has heard.
    private func guest(_ requests: String) throws -> LineClient {
        let client = try LineClient(.unix(daemon.socket))
        try client.order("password \(password)")
        client.send(requests)
        try owner.order("ping")
        return client
    }

    /// A client that hears what plays.
    private func listener() throws -> LineClient {
        let client = LineClient(descriptor: try SocketAddress.ipv4(daemon.webPort).connect())
        client.send("GET /stream/default.mp3 HTTP/1.0\r\n\r\n")
        guard client.line().contains("200") else { throw LineSocketError.closed }
        return client
    }
}
