import TestSupport

extension Measurement {
    /// What playing on and on costs: wake-ups, the sound server's own work, memory; each player alone on a server.
    static let steady = Measurement(
        figures: ["pulse_cpu_per_60s", "switches_playing", "switches_paused", "private_dirty"],
        summary: "steady playing and paused: the server's CPU, voluntary context switches per second, memory in MB"
    ) { bench, report in
        let window = bench.isQuick ? 15.0 : 60
        let file = try await Material.music(.flac, seconds: 180)
        let runs = try await concurrently(SteadyRun.Kind.allCases) { kind in
            let server = try await PulseServer.start()
            return try await SteadyRun.measure(kind, file, on: server, window: window)
        }
        let results = Dictionary(uniqueKeysWithValues: zip(SteadyRun.Kind.allCases, runs))
        func figure(
            _ name: String,
            limit: (SteadyRun?) -> Double?,
            _ value: (SteadyRun) -> Double?
        ) -> Figure {
            var figure = Figure(name)
            let own = results[.segue].flatMap { $0.flatMap(value) }
            let player = results[.player].flatMap { $0.flatMap(value) }
            figure.set("segue", own ?? player)
            figure.set("segue_player", player)
            for kind in SteadyRun.Kind.others { figure.set(kind.rawValue, results[kind].flatMap { $0.flatMap(value) }) }
            figure.setLimit(limit(results[.paplay] ?? nil), for: own ?? player)
            return figure
        }
        report(figure("pulse_cpu_per_60s", limit: { $0.map { 1.5 * $0.serverTime } }) { $0.serverTime })
        report(figure("switches_playing", limit: { _ in 3 }) { $0.switches })
        // One in ten seconds is allowed for being interrupted by chance.
        report(figure("switches_paused", limit: { _ in 0.1 }) { $0.pausedSwitches })
        var memory = figure("private_dirty", limit: { _ in 12 }) { $0.memory }
        memory.set("segue_growth", results[.player].flatMap { $0?.growth })
        memory.set("growth_seconds", window)
        report(memory)
    }
}

private struct SteadyRun: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        /// The command line; nothing before it is built.
        case segue
        /// The player without a command line.
        case player
        case paplay
        case mpd
        case mpv
        /// A server that plays nothing.
        case idle

        static let others: [Self] = [.paplay, .mpd, .mpv, .idle]
    }

    /// The server's processor time for a minute.
    var serverTime: Double
    /// Voluntary context switches per second, all threads.
    var switches: Double?
    var pausedSwitches: Double?
    /// Private dirty memory after the window, in megabytes.
    var memory: Double?
    /// How much more it is after as long again.
    var growth: Double?

    static func measure(_ kind: Kind, _ file: String, on server: PulseServer, window: Double) async throws -> SteadyRun?
    {
        let player: (any ControlledPlayer)?
        var process: ChildProcess?
        switch kind {
        case .idle: player = nil
        case .player: player = try await ControlledPlayers.start(.segue, [file], on: server)
        case .mpd: player = try await ControlledPlayers.start(.mpd, [file], on: server)
        case .mpv: player = try await ControlledPlayers.start(.mpv, [file], on: server)
        case .paplay:
            player = nil
            process = try Contestant.paplay.start([file], on: server)
        case .segue:
            player = nil
            if Contestant.commandLine != nil { process = try Contestant.segue.start([file], on: server) }
        }
        process = process ?? player?.process
        guard process != nil || kind == .idle else { return nil }
        defer { process?.end() }
        _ = try await player?.play()
        // What happens at the start is no part of it.
        try await Moments.sleep(5)
        let playing = try await rates(process, server, seconds: window)
        var run = SteadyRun(serverTime: playing.server * 60, switches: playing.switches)
        run.memory = process?.privateDirty
        try await Moments.sleep(window)
        run.growth = process?.privateDirty.flatMap { later in run.memory.map { later - $0 } }
        guard let player else { return run }
        _ = try await player.pause()
        try await Moments.sleep(3)
        run.pausedSwitches = try await rates(process, server, seconds: min(window, 30)).switches
        return run
    }

    /// Per second.
    private static func rates(
        _ process: ChildProcess?,
        _ server: PulseServer,
        seconds: Double
    ) async throws -> (switches: Double?, server: Double) {
        let (start, switches, spent) = (ContinuousClock.now, process?.voluntarySwitches, server.cpuSeconds)
        try await Moments.sleep(seconds)
        let passed = ContinuousClock.now.seconds(since: start)
        let more = process.flatMap { process in switches.map { process.voluntarySwitches - $0 } }
        return (more.map { Double($0) / passed }, (server.cpuSeconds - spent) / passed)
    }
}
