import TestSupport

extension Measurement {
    /// Requests by HTTP, beside a server that does nothing but respond.
    static let webRequests = Measurement(
        figures: ["web_status_us", "web_status_rate"],
        summary:
            "`status` by POST on 16 connections: microseconds of CPU, and requests per second; beside a bare server"
    ) { bench, report in
        var (time, rate) = (Figure("web_status_us"), Figure("web_status_rate"))
        guard ChildProcess.find("wrk") != nil else {
            for figure in [time, rate] { report(figure) }
            return
        }
        let daemon = try await LineDaemon(.segued)
        let bare = try await BareWebServer()
        var (ours, theirs): ([WebLoad], [WebLoad]) = ([], [])
        for _ in 0..<(bench.isQuick ? 1 : 5) {
            ours.append(try await WebLoad(daemon.webPort) { daemon.process.cpuSeconds })
            theirs.append(try await WebLoad(bare.port) { try await bare.cpuSeconds() })
        }
        try await bare.end()
        time.set("segued", ours.map(\.time).median)
        time.set("bare", theirs.map(\.time).median)
        rate.set("segued", ours.map(\.rate).median)
        rate.set("bare", theirs.map(\.rate).median)
        rate.setFloor(theirs.map(\.rate).median.map { $0 / 3 }, for: ours.map(\.rate).median)
        report(time)
        report(rate)
    }

    /// WebSockets that wait, and are told of changes.
    static let webSockets = Measurement(
        figures: ["websocket_kb", "notification_us", "notification_ms"],
        summary: "1,000 WebSockets: memory of each, CPU of a notification, and milliseconds from a change to the last"
    ) { bench, report in
        let daemon = try await LineDaemon(.segued)
        let speaker = try daemon.client()
        try speaker.command("status")
        let before = daemon.process.privateDirty
        let sockets = try (0..<1_000).map { _ in try WebConnection(daemon.webSocket) }
        for socket in sockets { try socket.openSocket() }
        func kilobytes() -> Double? {
            daemon.process.privateDirty.flatMap { after in before.map { (after - $0) * 1024 / 1_000 } }
        }
        let idle = kilobytes()
        for socket in sockets {
            try socket.sendMessage(#"{"jsonrpc":"2.0","id":1,"method":"watch","params":{"topics":["options"]}}"#)
            try socket.readMessage()
        }
        var memory = Figure("websocket_kb")
        memory.set("idle", idle)
        memory.set("watching", kilobytes())
        memory.setLimit(12, for: idle)
        report(memory)

        let rounds = bench.isQuick ? 20 : 100
        var times: [Double] = []
        let spent = daemon.process.cpuSeconds
        for round in 0..<rounds {
            let start = ContinuousClock.now
            try speaker.command("crossfade \(round % 2 + 1)")
            for socket in sockets { try socket.readMessage() }
            times.append(ContinuousClock.now.seconds(since: start) * 1000)
            // Further changes within 50 ms are told together.
            try await Moments.sleep(0.1)
        }
        let each = (daemon.process.cpuSeconds - spent) / Double(rounds * sockets.count) * 1e6
        var (time, told) = (Figure("notification_us"), Figure("notification_ms"))
        time.set("segued", each)
        time.setLimit(15, for: each)
        told.set("segued", times.median)
        told.set("segued_worst", times.max())
        told.setLimit(40, for: times.median)
        report(time)
        report(told)
    }
}

/// `status` by POST, one at a time on each of 16 connections, as fast as responses come.
private struct WebLoad {
    /// Microseconds of the server's processor time for each request.
    let time: Double
    /// Requests in a second.
    let rate: Double

    private static let script = """
        wrk.method = "POST"
        wrk.headers["Content-Type"] = "application/json"
        wrk.body = '{"jsonrpc":"2.0","id":1,"method":"status"}'
        """

    init(_ port: UInt16, cpuSeconds: () async throws -> Double) async throws {
        let folder = try TemporaryFolder()
        let script = try folder.write("post.lua", Self.script)
        let spent = try await cpuSeconds()
        let words = ["-t1", "-c16", "-d5s", "-s", script, "http://127.0.0.1:\(port)/api"]
        let output = try await ChildProcess("wrk", words).wait().outputText
        guard let count = Self.number(before: "requests in", output),
            let rate = Self.number(after: "Requests/sec:", output),
            !output.contains("Non-2xx")
        else { throw LineSocketError.refused(output) }
        (time, self.rate) = ((try await cpuSeconds() - spent) / count * 1e6, rate)
    }

    private static func number(before text: String, _ output: String) -> Double? {
        output.ranges(of: text).first.flatMap {
            output[..<$0.lowerBound].split(separator: " ").last.flatMap { Double($0) }
        }
    }

    private static func number(after text: String, _ output: String) -> Double? {
        output.ranges(of: text).first.flatMap { output[$0.upperBound...].split(separator: " ").first }
            .flatMap { Double($0.prefix { $0 != "\n" }) }
    }
}
