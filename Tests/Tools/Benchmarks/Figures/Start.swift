import TestSupport

extension Measurement {
    /// From starting a program to the first frame that is heard.
    static let start = Measurement(
        figures: ["exec_to_sound_ms"],
        summary: "from exec to the first sound at the monitor; the limit is 1.2 x (a stub linked the same + paplay)"
    ) { bench, report in
        let file = try await Material.tone(Landmark.first, seconds: 10)
        let server = try await PulseServer.start()
        var times: [Contestant: Double] = [:]
        for contestant in [Contestant.segue, .paplay, .mpg123, .mpv] where contestant.words([file]) != nil {
            // mpg123 knows no FLAC.
            let file = contestant == .mpg123 ? try await Material.tone(Landmark.first, .mp3, seconds: 10) : file
            let ear = try await Ear(at: server)
            var samples: [Double] = []
            for _ in 0..<bench.repetitions {
                if let sample = try await timeToSound(of: contestant, file, on: server, ear) {
                    samples.append(sample)
                }
            }
            times[contestant] = samples.median
        }
        var stubs: [Double] = []
        for _ in 0..<bench.repetitions {
            let start = ContinuousClock.now
            let stub = try ChildProcess(Contestant.benchmarkPlayer, outlivesNothing: false)
            _ = try await stub.wait()
            stubs.append(ContinuousClock.now.seconds(since: start) * 1000)
        }
        var figure = Figure("exec_to_sound_ms")
        for contestant in [Contestant.segue, .paplay, .mpg123, .mpv] {
            figure.set(contestant.rawValue, times[contestant])
        }
        figure.set("stub", stubs.median)
        let limit = stubs.median.flatMap { stub in times[.paplay].map { 1.2 * (stub + $0) } }
        figure.setLimit(limit, for: times[.segue])
        report(figure)
    }

    /// In milliseconds.
    private static func timeToSound(
        of contestant: Contestant,
        _ file: String,
        on server: PulseServer,
        _ ear: Ear
    ) async throws -> Double? {
        let from = ear.capture.frames
        let start = ContinuousClock.now
        let process = try contestant.start([file], on: server, outlivesNothing: false)
        defer { process?.end() }
        let frame = try await ear.capture.waitForSound(after: from)
        try await Moments.sleep(0.1)
        let time = ear.milliseconds(from: start, to: frame)
        process?.end()
        try await ear.capture.waitForSilence(after: ear.capture.frames)
        return time
    }
}
