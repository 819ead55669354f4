import TestSupport

extension Measurement {
    /// A queue of a hundred thousand songs, every one of them a file.
    static let largeQueue = Measurement(
        figures: [
            "queue_add_us", "queue_listing_cpu_ms", "queue_window_ms", "queue_changes_ms", "queue_other_ping_ms",
            "queue_restart_s",
        ],
        summary: "a queue of 100,000 songs: adding, listing, what others wait meanwhile, restarting"
    ) { bench, report in
        let music = try await MusicFolder(songs: bench.isQuick ? 10_000 : 100_000)
        var figures = LargeQueueFigures()
        for kind in LineDaemon.Kind.installed {
            let run = try await LargeQueueRun(kind, music)
            figures.add(run.daemon.kind, try await run.measure(bench))
        }
        for figure in figures.all { report(figure) }
    }
}

/// Figures by their names, filled server by server.
private struct LargeQueueFigures {
    private static let limits: [(name: String, limit: Double)] = [
        ("queue_add_us", 20), ("queue_add_single_us", 20), ("queue_listing_cpu_ms", 200), ("queue_window_ms", 0.4),
        ("queue_changes_ms", 10), ("queue_other_ping_ms", 5), ("queue_restart_s", 1),
    ]
    var all = limits.map { Figure($0.name) }

    mutating func add(_ kind: LineDaemon.Kind, _ values: [String: Double]) {
        for index in all.indices {
            let value = values[all[index].name]
            all[index].set(kind.rawValue, value)
            if kind == .segued { all[index].setLimit(Self.limits[index].limit, for: value) }
            guard all[index].name == "queue_add_single_us" else { continue }
            // What asking and answering takes on this machine, without anything being done.
            all[index].set("\(kind.rawValue)_ping", values["ping_us"])
        }
    }
}

private struct LargeQueueRun {
    let daemon: LineDaemon
    let music: MusicFolder
    let client: RawClient
    private var count: Int { music.uris.count }

    init(_ kind: LineDaemon.Kind, _ music: MusicFolder) async throws {
        daemon = try await LineDaemon(kind, music: music.path)
        try await daemon.update()
        self.music = music
        client = try daemon.client()
    }

    func measure(_ bench: Bench) async throws -> [String: Double] {
        var values: [String: Double] = [:]
        values["ping_us"] = try singly(Array(repeating: "ping\n", count: count / 10))
        values["queue_add_single_us"] = try singly(music.uris.prefix(count / 10).map(add))
        try client.command("clear")
        values["queue_add_us"] = try addInLists()
        try await daemon.settle()
        let times = try (0..<bench.repetitions).map { _ in try processorTime { try client.command("playlistinfo") } }
        values["queue_listing_cpu_ms"] = times.median
        values["queue_window_ms"] = try (0..<200).map { round in
            let start = count * 7 / 10 + round
            return try time { try client.command("playlistinfo \(start):\(start + 100)") }
        }.median
        values["queue_changes_ms"] = try (0..<bench.repetitions).map { _ in
            try time { try client.command("plchangesposid 0") }
        }.median
        values["queue_other_ping_ms"] = try worstPing(bench)
        values["queue_restart_s"] = try await restart()
        return values
    }

    // MARK: Adding

    private func add(_ uri: String) -> String { "add \"\(uri)\"\n" }

    /// Sends one command after the other, each when the one before was answered.
    ///
    /// - Returns: Microseconds for each.
    private func singly(_ commands: [String]) throws -> Double {
        let lines = commands.map { Array($0.utf8) }
        let milliseconds = try time {
            for line in lines {
                try client.send(line)
                try client.readReply()
            }
        }
        return milliseconds * 1000 / Double(lines.count)
    }

    private func addInLists() throws -> Double {
        let lists = stride(from: 0, to: count, by: 1_000).map { start in
            let lines = music.uris[start..<min(start + 1_000, count)].map(add)
            return Array(("command_list_begin\n" + lines.joined() + "command_list_end\n").utf8)
        }
        let milliseconds = try time {
            for list in lists {
                try client.send(list)
                try client.readReply()
            }
        }
        let status = try client.answer("status")
        guard status.contains("playlistlength: \(count)\n") else { throw LineSocketError.refused(status) }
        return milliseconds * 1000 / Double(count)
    }

    // MARK: Reading

    /// The longest that another client's ping takes while one reads the whole queue, in milliseconds.
    private func worstPing(_ bench: Bench) throws -> Double {
        let other = try daemon.client()
        var worst: [Double] = []
        for _ in 0..<bench.repetitions {
            let reader = try daemon.client()
            try reader.send(Array("playlistinfo\n".utf8))
            var longest = 0.0
            while try !reader.drainReply() { longest = max(longest, try time { try other.command("ping") }) }
            worst.append(longest)
        }
        return worst.median ?? 0
    }

    // MARK: Starting again

    /// From the start to the answer that the whole queue is there, in seconds.
    private func restart() async throws -> Double {
        try await Moments.sleep(1)
        let (daemon, start) = try await daemon.restarted()
        let client = try daemon.client()
        while try !client.answer("status").contains("playlistlength: \(count)\n") { try await Moments.sleep(0.005) }
        return ContinuousClock.now.seconds(since: start)
    }

    // MARK: Measuring

    /// In milliseconds.
    private func time(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return ContinuousClock.now.seconds(since: start) * 1000
    }

    /// The server's, in milliseconds.
    private func processorTime(_ body: () throws -> Int) rethrows -> Double {
        let spent = daemon.process.cpuSeconds
        _ = try body()
        return (daemon.process.cpuSeconds - spent) * 1000
    }
}
