import TestSupport

extension Measurement {
    /// Into the middle of three hours.
    static let streamSeeks = Measurement(
        figures: ["http_seek_ms"],
        summary: "a seek to the middle of a 3 h MP3 and Opus over HTTP: time to sound, and how far off it is"
    ) { bench, report in
        for form in NetworkMaterial.Hours.allCases {
            let web = try await WebServer.start()
            let name = "hours.\(form == .opus ? "opus" : "mp3")"
            let url = try web.publish(await NetworkMaterial.hours(form), as: name)
            var results: [Contestant: [StreamSeek]] = [:]
            for contestant in [Contestant.segue, .segued, .mpd, .mpv] where contestant.isInstalled {
                var seeks: [StreamSeek] = []
                for _ in 0..<(bench.isQuick ? 1 : 5) {
                    if let seek = try await StreamSeek.measure(contestant, url) { seeks.append(seek) }
                }
                results[contestant] = seeks
            }
            var figure = Figure("http_seek_ms")
            figure.set("medium", form.rawValue)
            for contestant in [Contestant.segue, .segued, .mpd, .mpv] {
                figure.set(contestant.rawValue, results[contestant]?.map(\.delay).median)
                figure.set(
                    "\(contestant.rawValue)_error_s",
                    results[contestant]?.map(\.error).max { abs($0) < abs($1) }
                )
            }
            let (delay, error) = (results[.segue]?.map(\.delay).median, results[.segue]?.map { abs($0.error) }.max())
            figure.set("limit", 300)
            figure.set("limit_error_s", 0.1)
            figure.set("met", (delay ?? .infinity) <= 300 && (error ?? .infinity) <= 0.1)
            report(figure)
        }
    }
}

/// One seek in a player of its own.
private struct StreamSeek {
    /// From the order to the sound of the new place, in milliseconds.
    var delay: Double
    /// How far behind the place that was asked for it is, in seconds.
    var error: Double

    /// The middle of a second that is not heard near the beginning.
    private static let target = 5430.5

    static func measure(_ contestant: Contestant, _ url: String) async throws -> StreamSeek? {
        let server = try await PulseServer.start()
        guard let player = try await ControlledPlayers.start(contestant, [url], on: server) else { return nil }
        defer { player.process.end() }
        let ear = try await Ear(at: server)
        _ = try await player.play()
        guard (try? await ear.capture.waitForSound(within: .seconds(10))) != nil else { return nil }
        try await Moments.sleep(1.2)
        let from = ear.capture.frames
        // MPD calls an Opus file of the network not seekable.
        guard let start = try? await player.seek(to: target) else { return nil }
        let deadline = start + .seconds(40)
        // What was heard before is far away: 400 to 500 Hz.
        while ContinuousClock.now < deadline {
            try await Moments.sleep(0.5)
            let samples = ear.capture.current.samples(in: from..<ear.capture.frames)
            let heard = SecondsHeard(samples, sampleRate: Material.sampleRate, period: 60)
            guard let index = heard.stretches.firstIndex(where: { ($0.second ?? 0) > 10 }),
                index + 1 < heard.stretches.count, let second = heard.stretches[index].second
            else { continue }
            let stretch = heard.stretches[index]
            let finder = ToneFinder(Signal.positionFrequency(second))
            let near = max(0, Int((stretch.start - 0.1) * Double(Material.sampleRate)))
            guard let offset = finder.first(in: Array(samples[near...])) else { continue }
            let next = Int(stretch.end * Double(Material.sampleRate))
            // It goes on to the second's end, from which its beginning is known.
            let left = Double(next - near - offset) / Double(Material.sampleRate)
            return StreamSeek(
                delay: ear.milliseconds(from: start, to: from + near + offset),
                error: Double(second) + 1 - left - target.truncatingRemainder(dividingBy: 60)
            )
        }
        return nil
    }
}
