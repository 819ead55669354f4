import TestSupport

extension Measurement {
    /// Listeners of one HTTP stream of MP3, 128 kbit/s, one of whom reads nothing.
    static let listeners = Measurement(
        figures: ["listener_cpu_us", "listener_kb", "listener_least", "listeners_growth_mb"],
        summary: "500 listeners of a stream: microseconds of CPU per second and memory of each, the least that one got"
    ) { bench, report in
        var (time, memory) = (Figure("listener_cpu_us"), Figure("listener_kb"))
        var (least, growth) = (Figure("listener_least"), Figure("listeners_growth_mb"))
        var runs: [String: ListenerRun] = [:]
        for kind in LineDaemon.Kind.installed { runs[kind.rawValue] = try await ListenerRun.measure(kind, bench) }
        if IcecastServer.missing.isEmpty, ChildProcess.find("ffmpeg") != nil {
            runs["icecast2"] = try await ListenerRun.measureIcecast(bench)
        }
        for (name, run) in runs.sorted(by: { $0.key < $1.key }) {
            time.set(name, run.time)
            memory.set(name, run.memory)
            least.set(name, run.least)
            growth.set(name, run.growth)
        }
        time.setLimit(runs["mpd"]?.time, for: runs["segued"]?.time)
        memory.setLimit(runs["mpd"]?.memory, for: runs["segued"]?.memory)
        // Of what 128 kbit/s are in that time.
        least.setFloor(0.98, for: runs["segued"]?.least)
        for figure in [time, memory, least, growth] { report(figure) }
    }
}

private struct ListenerRun: Sendable {
    /// Microseconds of processor time per second and listener.
    var time: Double
    /// Kilobytes of private memory per listener.
    var memory: Double?
    /// The share of the stream that the listener got who got least.
    var least: Double
    /// Megabytes of private memory, from the beginning to the end of the window.
    var growth: Double?

    static func measure(_ kind: LineDaemon.Kind, _ bench: Bench) async throws -> ListenerRun {
        let port = try steadyPort()
        let file = try await Material.music(.flac, seconds: 300)
        let daemon = try await LineDaemon(kind, streamingAt: port)
        let client = try daemon.client()
        try client.command("repeat 1")
        try client.command("add \"\(file)\"")
        try client.command("play")
        return try await measure(daemon.process, at: port, "/", bench)
    }

    static func measureIcecast(_ bench: Bench) async throws -> ListenerRun {
        let server = try await IcecastServer.start()
        let file = try await Material.music(.flac, seconds: 300)
        let address = "icecast://source:\(IcecastServer.sourcePassword)@127.0.0.1:\(server.port)/radio"
        let words = ["-v", "error", "-re", "-stream_loop", "-1", "-i", file, "-vn"]
        let encoder = ["-c:a", "libmp3lame", "-b:a", "128k", "-content_type", "audio/mpeg", "-f", "mp3", address]
        let source = try ChildProcess("ffmpeg", words + encoder)
        defer { source.end() }
        try await Moments.sleep(3)
        guard let process = server.currentProcess else { throw SoundServerError.notReady("icecast2") }
        return try await measure(process, at: server.port, "/radio", bench)
    }

    private static func measure(
        _ process: ChildProcess,
        at port: UInt16,
        _ path: String,
        _ bench: Bench
    ) async throws -> ListenerRun {
        let window = bench.isQuick ? 10.0 : 60
        let count = 500
        try await waitForPort(port, of: process)
        let first = try ListenerCrowd(1, at: port, path: path)
        defer { first.end() }
        try await Moments.sleep(5)
        let (before, alone) = (process.privateDirty, try await rate(process, window))
        let crowd = try ListenerCrowd(count, at: port, path: path)
        defer { crowd.end() }
        try await Moments.sleep(5)
        let (start, bytes, during) = (ContinuousClock.now, crowd.bytes, process.privateDirty)
        let together = try await rate(process, window)
        let seconds = ContinuousClock.now.seconds(since: start)
        let least = zip(crowd.bytes, bytes).map { $0 - $1 }.min() ?? 0
        let after = process.privateDirty
        return ListenerRun(
            time: (together - alone) / Double(count) * 1e6,
            memory: during.flatMap { during in before.map { (during - $0) * 1024 / Double(count) } },
            least: Double(least) / (16_000 * seconds),
            growth: after.flatMap { after in during.map { after - $0 } }
        )
    }

    /// Processor seconds per second.
    private static func rate(_ process: ChildProcess, _ window: Double) async throws -> Double {
        let (start, spent) = (ContinuousClock.now, process.cpuSeconds)
        try await Moments.sleep(window)
        return (process.cpuSeconds - spent) / ContinuousClock.now.seconds(since: start)
    }
}
