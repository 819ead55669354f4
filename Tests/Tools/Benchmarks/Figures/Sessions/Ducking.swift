import TestSupport

extension Measurement {
    /// Being quieter for somebody costs nothing that playing does not.
    static let ducking = Measurement(
        figures: ["switches_ducked", "switches_unducked"],
        summary: "wake-ups per second under segued while a client's session ducks the music, and after, beside before"
    ) { bench, report in
        let window = bench.isQuick ? 15.0 : 60
        let file = try await Material.music(.flac, seconds: 360)
        let server = try await PulseServer.start()
        let daemon = try await LineDaemon(.segued, on: server)
        let (client, owner) = (try daemon.client(), try daemon.client())
        try client.command("add \"\(file)\"")
        try client.command("play")
        try await Moments.sleep(5)
        func rate() async throws -> Double {
            let (start, switches) = (ContinuousClock.now, daemon.process.voluntarySwitches)
            try await Moments.sleep(window)
            let passed = ContinuousClock.now.seconds(since: start)
            return Double(daemon.process.voluntarySwitches - switches) / passed
        }
        let plain = try await rate()
        let words = try owner.answer("session open ducker").split(separator: "\n")[0].split(separator: " ")
        let id = words.count > 1 ? String(words[1]) : ""
        for command in ["category \(id) playback options duckOthers", "activate \(id)", "playing \(id) 1"] {
            try owner.command("session \(command)")
        }
        try await Moments.sleep(3)
        let ducked = try await rate()
        try owner.command("session close \(id)")
        try await Moments.sleep(3)
        let after = try await rate()
        for (name, value) in [("switches_ducked", ducked), ("switches_unducked", after)] {
            var figure = Figure(name)
            figure.set("segued", value)
            figure.set("plain", plain)
            figure.set("seconds", window)
            // A tenth more, and one in two seconds, is within what two runs of the same differ by.
            figure.setLimit(plain * 1.1 + 0.5, for: value)
            report(figure)
        }
    }

    /// What a mixer before the output costs while one player has it for itself.
    static let mixer = Measurement(
        figures: ["mixer_cpu_per_60s"],
        summary: "CPU seconds per 60 s of a FLAC file, the player with a mixer before its output beside without"
    ) { bench, report in
        let lengths = bench.isQuick ? [10, 30] : [60, 120]
        let rounds = bench.isQuick ? 1 : 3
        var spent: [String: [Int: [Double]]] = [:]
        for _ in 0..<rounds {
            var runs: [(mode: String, seconds: Int, file: String)] = []
            for seconds in lengths {
                let file = try await Material.music(.flac, seconds: seconds)
                for mode in ["--mixed", "--play"] { runs.append((mode, seconds, file)) }
            }
            let results = try await concurrently(runs) { run in
                let server = try await PulseServer.start()
                let words = [run.mode, run.file]
                let environment = server.clientEnvironment
                let process = try ChildProcess(Contestant.benchmarkPlayer, words, environment: environment)
                return try await process.wait(within: .seconds(run.seconds + 30)).cpuSeconds
            }
            for (run, seconds) in zip(runs, results) {
                spent[run.mode, default: [:]][run.seconds, default: []] += [seconds]
            }
        }
        func perMinute(_ mode: String) -> Double? {
            guard let short = spent[mode]?[lengths[0]]?.median, let long = spent[mode]?[lengths[1]]?.median else {
                return nil
            }
            return (long - short) * 60 / Double(lengths[1] - lengths[0])
        }
        var figure = Figure("mixer_cpu_per_60s")
        figure.set("mixed", perMinute("--mixed"))
        figure.set("plain", perMinute("--play"))
        figure.setLimit(perMinute("--play").map { $0 * 1.1 + 0.005 }, for: perMinute("--mixed"))
        report(figure)
    }
}
