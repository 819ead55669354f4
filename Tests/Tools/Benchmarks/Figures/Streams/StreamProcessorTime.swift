import TestSupport

extension Measurement {
    /// What the network costs: an MP3 over HTTP beside the same file.
    static let streamProcessorTime = Measurement(
        figures: ["http_cpu_per_60s"],
        summary: "CPU seconds per 60 s of an MP3 over HTTP; the limit is 1.5 x the same file played locally"
    ) { bench, report in
        let lengths = bench.isQuick ? [10, 30] : [60, 120]
        let web = try await WebServer.start()
        var runs: [StreamRun] = []
        for seconds in lengths {
            let file = try await Material.music(.mp3, seconds: seconds)
            let url = try web.publish(file, as: "\(seconds).mp3")
            runs.append(StreamRun(contestant: .segue, place: file, seconds: seconds, isLocal: true))
            for contestant in StreamContestant.installed {
                runs.append(StreamRun(contestant: contestant, place: url, seconds: seconds, isLocal: false))
            }
        }
        var spent: [StreamRun: [Double]] = [:]
        for _ in 0..<(bench.isQuick ? 1 : 3) {
            let results = try await concurrently(Array(runs.enumerated())) { place in
                // Not all in the same step.
                try await Moments.sleep(Double(place.offset) * 0.13)
                return try await place.element.play()
            }
            for (run, seconds) in zip(runs, results) { spent[run, default: []].append(seconds) }
        }
        func perMinute(_ contestant: StreamContestant, isLocal: Bool = false) -> Double? {
            let times = lengths.map { length in
                spent.first {
                    $0.key.contestant == contestant && $0.key.isLocal == isLocal && $0.key.seconds == length
                }?.value.median
            }
            guard let short = times[0], let long = times[1] else { return nil }
            return (long - short) * 60 / Double(lengths[1] - lengths[0])
        }
        var figure = Figure("http_cpu_per_60s")
        let local = perMinute(.segue, isLocal: true)
        for contestant in StreamContestant.allCases { figure.set(contestant.rawValue, perMinute(contestant)) }
        figure.set("segue_local", local)
        figure.setLimit(local.map { 1.5 * $0 }, for: perMinute(.segue))
        report(figure)
    }
}

/// A file or URL played to its end.
private struct StreamRun: Sendable, Hashable {
    var contestant: StreamContestant
    var place: String
    var seconds: Int
    var isLocal: Bool

    /// - Returns: The processor time it took.
    func play() async throws -> Double {
        let listener = try await StreamListener(contestant, place)
        // Daemons do not end; they are looked at when all has been heard.
        try await listener.capture.waitForSound()
        try await Moments.sleep(Double(seconds) - 1)
        try await listener.capture.waitForSilence(after: listener.frames, within: .seconds(30))
        try await Moments.sleep(0.5)
        return listener.process.cpuSeconds
    }
}
