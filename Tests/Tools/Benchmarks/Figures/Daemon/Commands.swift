import TestSupport

extension Measurement {
    /// What answering costs a server, beside MPD, which plays as well.
    static let commands = Measurement(
        figures: ["command_cpu_us", "commands_per_s", "round_trip_us", "list_of_status_ms"],
        summary: "segued answering while it plays to a null output: one command outstanding on each connection"
    ) { bench, report in
        let daemons = try await playingDaemons(music: Material.music(.flac, seconds: 180))
        for connections in [1, 10, 100, 1_000] {
            for command in ["ping", "status", "currentsong"] {
                let results = try loads(daemons, command, connections: connections, bench)
                report(processorTime(command, connections, results))
                if connections == 100 { report(rate(command, results)) }
            }
        }
        for command in ["ping", "status"] { report(try roundTrip(daemons, command, bench)) }
        report(try list(daemons, bench))
    }

    private typealias Results = [LineDaemon.Kind: [CommandLoad.Result]]

    /// A server of each kind that plays ten songs to a null output.
    private static func playingDaemons(music file: String) async throws -> [LineDaemon] {
        var daemons: [LineDaemon] = []
        for kind in LineDaemon.Kind.installed {
            let daemon = try await LineDaemon(kind)
            let client = try daemon.client()
            for _ in 0..<10 { try client.command("add \"\(file)\"") }
            try client.command("play")
            daemons.append(daemon)
        }
        try await Moments.sleep(1)
        return daemons
    }

    /// Runs of each server in turn, so that what else the machine does falls on both.
    private static func loads(
        _ daemons: [LineDaemon],
        _ command: String,
        connections: Int,
        _ bench: Bench
    ) throws -> Results {
        let loads = try daemons.map { try CommandLoad($0.socket, connections: connections) }
        var results: Results = [:]
        for _ in 0..<bench.repetitions {
            for (daemon, load) in zip(daemons, loads) {
                let result = try load.run(command, count: bench.isQuick ? 10_000 : 20_000, to: daemon.process)
                results[daemon.kind, default: []].append(result)
            }
        }
        return results
    }

    private static func processorTime(_ command: String, _ connections: Int, _ results: Results) -> Figure {
        var figure = Figure("command_cpu_us")
        figure.set("command", command)
        figure.set("connections", connections)
        let times = { (kind: LineDaemon.Kind) in (results[kind] ?? []).map(\.processorTime).median }
        for kind in LineDaemon.Kind.allCases { figure.set(kind.rawValue, times(kind)) }
        figure.setLimit(times(.mpd).map { command == "status" ? $0 / 2 : $0 }, for: times(.segued))
        return figure
    }

    private static func rate(_ command: String, _ results: Results) -> Figure {
        var figure = Figure("commands_per_s")
        figure.set("command", command)
        figure.set("connections", 100)
        let rates = { (kind: LineDaemon.Kind) in (results[kind] ?? []).map(\.rate).median }
        for kind in LineDaemon.Kind.allCases { figure.set(kind.rawValue, rates(kind)) }
        figure.setFloor(rates(.mpd), for: rates(.segued))
        return figure
    }

    private static func roundTrip(_ daemons: [LineDaemon], _ command: String, _ bench: Bench) throws -> Figure {
        var times: [LineDaemon.Kind: [Double]] = [:]
        for _ in 0..<bench.repetitions {
            for daemon in daemons {
                let trips = try CommandLoad(daemon.socket, connections: 1).roundTrips(command, count: 5_000)
                times[daemon.kind, default: []] += trips
            }
        }
        var figure = Figure("round_trip_us")
        figure.set("command", command)
        for kind in LineDaemon.Kind.allCases { figure.set(kind.rawValue, times[kind]?.median) }
        figure.setLimit(25, for: times[.segued]?.median)
        return figure
    }

    private static func list(_ daemons: [LineDaemon], _ bench: Bench) throws -> Figure {
        let lines = ["command_list_begin"] + Array(repeating: "status", count: 10_000) + ["command_list_end", ""]
        let bytes = Array(lines.joined(separator: "\n").utf8)
        var figure = Figure("list_of_status_ms")
        for daemon in daemons {
            let client = try daemon.client()
            var (times, spent): ([Double], [Double]) = ([], [])
            for _ in 0..<bench.repetitions {
                let (start, used) = (ContinuousClock.now, daemon.process.cpuSeconds)
                try client.send(bytes)
                try client.readReply()
                times.append(ContinuousClock.now.seconds(since: start) * 1000)
                spent.append((daemon.process.cpuSeconds - used) * 1000)
            }
            figure.set(daemon.kind.rawValue, times.median)
            figure.set("\(daemon.kind.rawValue)_cpu_ms", spent.median)
            if daemon.kind == .segued { figure.setLimit(15, for: times.median) }
        }
        return figure
    }
}
