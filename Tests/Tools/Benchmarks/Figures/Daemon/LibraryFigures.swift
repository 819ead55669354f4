import TestSupport

extension Measurement {
    /// A library of a hundred thousand songs.
    static let library = Measurement(
        figures: Library.limits.map(\.name),
        summary: "a library of 100,000 songs: scans, starting, queries, listings, what others wait meanwhile, memory"
    ) { bench, report in
        let count = bench.isQuick ? 10_000 : 100_000
        let music = try await TaggedMusic(songs: count / 5)
        // The same files when there are few of them.
        var fewer: [LineDaemon.Kind: Double] = [:]
        for kind in LineDaemon.Kind.installed {
            fewer[kind] = try await Library(kind, music, songs: count / 5).scanCost
        }
        for number in count / 5..<count { try music.write(number) }
        var figures = Library.limits.map { Figure($0.name) }
        for kind in LineDaemon.Kind.installed {
            let library = try await Library(kind, music, songs: count)
            var values = try await library.measure(bench)
            values["library_growth"] = fewer[kind].map { library.scanCost / $0 }
            for index in figures.indices {
                let value = values[figures[index].name]
                figures[index].set(kind.rawValue, value)
                if kind == .segued { figures[index].setLimit(Library.limits[index].limit, for: value) }
            }
        }
        for figure in figures { report(figure) }
    }
}

/// One server with the library.
private struct Library {
    /// What must be reached with 100,000 songs.
    static let limits: [(name: String, limit: Double)] = [
        ("library_first_scan_cpu_s", 12), ("library_first_scan_s", 8), ("library_rescan_cpu_s", 0.6),
        ("library_growth", 5.5), ("library_start_ms", 100), ("library_list_genre_cpu_ms", 1),
        ("library_list_albums_cpu_ms", 15),
        ("library_find_artist_cpu_ms", 2), ("library_search_rare_cpu_ms", 10), ("library_search_common_cpu_ms", 60),
        ("library_search_none_cpu_ms", 3), ("library_count_cpu_ms", 10), ("library_sorted_window_cpu_ms", 10),
        ("library_stats_cpu_ms", 0.1), ("library_listall_cpu_ms", 41), ("library_listallinfo_cpu_ms", 400),
        ("library_other_ping_ms", 5), ("library_add_all_s", 0.3),
        ("library_queue_bytes_per_song", 300), ("library_memory_mb", 20), ("library_database_mb", 150),
        ("library_shuffle_ms", 3), ("library_shuffle_other_ping_ms", 5),
    ]

    private static let queries: [(name: String, command: String)] = [
        ("library_list_genre_cpu_ms", "list genre"), ("library_list_albums_cpu_ms", "list album group albumartist"),
        ("library_find_artist_cpu_ms", "find artist \"Artist 7\""),
        ("library_search_rare_cpu_ms", "search any \"song 4321 \""),
        ("library_search_common_cpu_ms", "search any common"), ("library_search_none_cpu_ms", "search any xyzzy"),
        ("library_count_cpu_ms", "count genre \"Genre 3\""),
        ("library_sorted_window_cpu_ms", "find \"(genre == 'Genre 3')\" sort Title window 1000:1050"),
        ("library_stats_cpu_ms", "stats"), ("library_listall_cpu_ms", "listall"),
        ("library_listallinfo_cpu_ms", "listallinfo"),
    ]

    private let daemon: LineDaemon
    private let count: Int
    private let scanTime: Double
    /// Processor time from the start to the end of the first scan, in seconds.
    let scanCost: Double

    init(_ kind: LineDaemon.Kind, _ music: TaggedMusic, songs: Int) async throws {
        try music.warm()
        let start = ContinuousClock.now
        daemon = try await LineDaemon(kind, music: music.path)
        try await daemon.update()
        scanTime = ContinuousClock.now.seconds(since: start)
        scanCost = daemon.process.cpuSeconds
        count = songs
        let stats = try daemon.client().answer("stats")
        guard stats.contains("songs: \(songs)\n") else { throw LineSocketError.refused(stats) }
    }

    func measure(_ bench: Bench) async throws -> [String: Double] {
        var values = ["library_first_scan_s": scanTime, "library_first_scan_cpu_s": scanCost]
        let spent = daemon.process.cpuSeconds
        try daemon.client().command("update")
        while try daemon.client().answer("status").contains("updating_db") { try await Moments.sleep(0.05) }
        values["library_rescan_cpu_s"] = daemon.process.cpuSeconds - spent
        try await daemon.settle()
        let client = try daemon.client()
        for (name, command) in Self.queries {
            values[name] = try (0..<bench.repetitions).map { _ in
                let spent = daemon.process.cpuSeconds
                try client.command(command)
                return (daemon.process.cpuSeconds - spent) * 1000
            }.median
        }
        values["library_other_ping_ms"] = try worstPing(bench)
        values.merge(try await sizes(client)) { $1 }
        values.merge(try shuffling(bench)) { $1 }
        try client.command("clear")
        try await Moments.sleep(1)
        let (again, begin) = try await restarted()
        values["library_start_ms"] = begin * 1000
        values["library_database_mb"] = Double(again.databaseSize) / 1e6
        return values
    }

    /// What the library takes in memory and on the disk, and what a queue of all of it takes.
    private func sizes(_ client: RawClient) async throws -> [String: Double] {
        let idle = try await LineDaemon(daemon.kind)
        try await idle.update()
        try await idle.settle()
        try await daemon.settle()
        let loaded = daemon.process.privateDirty ?? 0
        let start = ContinuousClock.now
        try client.command("add \"\"")
        let adding = ContinuousClock.now.seconds(since: start)
        try await daemon.settle()
        return [
            "library_add_all_s": adding, "library_memory_mb": loaded - (idle.process.privateDirty ?? 0),
            "library_queue_bytes_per_song": ((daemon.process.privateDirty ?? 0) - loaded) * 1_048_576 / Double(count),
        ]
    }

    /// The longest that another client's ping takes while one reads the whole library, in milliseconds.
    private func worstPing(_ bench: Bench) throws -> Double {
        let other = try daemon.client()
        return try (0..<bench.repetitions).map { _ in
            let reader = try daemon.client()
            try reader.send(Array("listallinfo\n".utf8))
            var longest = 0.0
            while try !reader.drainReply() {
                let start = ContinuousClock.now
                try other.command("ping")
                longest = max(longest, ContinuousClock.now.seconds(since: start) * 1000)
            }
            return longest
        }.median ?? 0
    }

    /// How long the queue of all songs takes to shuffle, and the longest that another client's ping takes until that is on
    /// the disk.
    private func shuffling(_ bench: Bench) throws -> [String: Double] {
        let (client, other) = (try daemon.client(), try daemon.client())
        var (times, pings): ([Double], [Double]) = ([], [])
        for _ in 0..<bench.repetitions {
            let start = ContinuousClock.now
            try client.command("shuffle")
            times.append(ContinuousClock.now.seconds(since: start) * 1000)
            var longest = 0.0
            while ContinuousClock.now.seconds(since: start) < 2 {
                let begin = ContinuousClock.now
                try other.command("ping")
                longest = max(longest, ContinuousClock.now.seconds(since: begin) * 1000)
            }
            pings.append(longest)
        }
        return ["library_shuffle_ms": times.median ?? 0, "library_shuffle_other_ping_ms": pings.median ?? 0]
    }

    /// - Returns: How long it takes from the start to the answer of a query, in seconds.
    private func restarted() async throws -> (daemon: LineDaemon, seconds: Double) {
        let (next, start) = try await daemon.restarted()
        try next.client().command("find title \"Song 5 of the wind\"")
        return (next, ContinuousClock.now.seconds(since: start))
    }
}
