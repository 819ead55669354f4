import TestSupport

extension Measurement {
    /// Processor time for a minute played: the difference of a long and a short run, so that starting does not count.
    static let processorTime = Measurement(
        figures: ["cpu_per_60s"],
        summary: "CPU seconds per 60 s played, per codec; the limit is 1.3 x decoding alone + 0.01"
    ) { bench, report in
        let lengths = bench.isQuick ? [10, 30] : [60, 120]
        let rounds = bench.isQuick ? 1 : 3
        var runs: [ProcessorTimeRun] = []
        for codec in Material.Codec.allCases {
            for seconds in lengths {
                let file = try await Material.music(codec, seconds: seconds)
                for contestant in ProcessorTimeRun.contestants {
                    runs.append(ProcessorTimeRun(contestant: contestant, codec: codec, seconds: seconds, file: file))
                }
            }
        }
        var spent: [ProcessorTimeRun: [Double]] = [:]
        for _ in 0..<rounds {
            // All play at the same time: processor time is what counts, and together they leave the machine idle.
            var servers: [Contestant: PulseServer] = [:]
            for contestant in ProcessorTimeRun.contestants { servers[contestant] = try await PulseServer.start() }
            let places = Array(runs.enumerated())
            let results = try await concurrently(places) { [servers] place -> Double? in
                guard let server = servers[place.element.contestant] else { return nil }
                // Not all in the same step.
                try await Moments.sleep(Double(place.offset) * 0.13)
                return try await place.element.play(on: server)
            }
            for (run, seconds) in zip(runs, results) { spent[run, default: []] += seconds.map { [$0] } ?? [] }
        }
        for codec in Material.Codec.allCases {
            let scale = 60 / Double(lengths[1] - lengths[0])
            func difference(_ times: (Int) -> [Double]?) -> Double? {
                guard let short = times(lengths[0])?.median, let long = times(lengths[1])?.median else { return nil }
                return (long - short) * scale
            }
            func perMinute(_ contestant: Contestant) -> Double? {
                difference { seconds in
                    spent.first {
                        $0.key.contestant == contestant && $0.key.codec == codec && $0.key.seconds == seconds
                    }?.value
                }
            }
            var decoding: [Int: [Double]] = [:]
            for _ in 0..<(bench.isQuick ? 3 : 9) {
                for seconds in lengths {
                    decoding[seconds, default: []].append(
                        try await decodingTime(of: Material.music(codec, seconds: seconds))
                    )
                }
            }
            let floor = difference { decoding[$0] }
            var figure = Figure("cpu_per_60s")
            figure.set("codec", codec.rawValue)
            figure.set("segue", perMinute(.segue))
            figure.set("decode_alone", floor)
            for contestant in ProcessorTimeRun.contestants where contestant != .segue {
                figure.set(contestant.rawValue, perMinute(contestant))
            }
            figure.setLimit(floor.map { 1.3 * $0 + 0.01 }, for: perMinute(.segue))
            report(figure)
        }
    }

    /// What FFmpeg takes to decode a file and throw it away.
    private static func decodingTime(of file: String) async throws -> Double {
        let words = ["-nostdin", "-v", "quiet", "-i", file, "-f", "null", "-"]
        return try await ChildProcess("ffmpeg", words).wait(within: .seconds(60)).cpuSeconds
    }
}

/// One file played to its end by one program.
private struct ProcessorTimeRun: Sendable, Hashable {
    static let contestants: [Contestant] = [.segue, .paplay, .mpd, .mpv]

    var contestant: Contestant
    var codec: Material.Codec
    var seconds: Int
    var file: String

    /// - Returns: The processor time; `nil` for a program that is not there or cannot play it.
    func play(on server: PulseServer) async throws -> Double? {
        if contestant == .mpd {
            guard contestant.isInstalled else { return nil }
            return try await MPD([file], on: server).playToEnd(seconds: Double(seconds))
        }
        guard let process = try contestant.start([file], on: server) else { return nil }
        let result = try await process.wait(within: .seconds(seconds + 30))
        return result.status == .code(0) ? result.cpuSeconds : nil
    }
}

extension MPD {
    /// - Returns: The processor time it took.
    fileprivate func playToEnd(seconds: Double) async throws -> Double {
        _ = try await play()
        try await Moments.sleep(seconds)
        while try isPlaying { try await Moments.sleep(0.5) }
        defer { process.end() }
        return process.cpuSeconds
    }
}
