import TestSupport

extension Measurement {
    /// The sound server dies while Segue plays, and comes back.
    static let outages = Measurement(
        figures: ["outage"],
        summary: "the sound server killed for 2 and for 8 s: time from its return to sound, what is repeated or skipped"
    ) { bench, report in
        for seconds in [2.0, 8] {
            var runs: [OutageRun] = []
            for _ in 0..<(bench.isQuick ? 1 : 3) { runs.append(try await OutageRun.measure(seconds: seconds)) }
            let delay = runs.map(\.delay).median
            let shifts = runs.map { $0.shift * 1000 }
            let worst = shifts.max { abs($0) < abs($1) }
            var figure = Figure("outage")
            figure.set("seconds", seconds)
            figure.set("segue_sound_after_s", delay)
            // Skipped is positive, repeated negative.
            figure.set("segue_skipped_ms", shifts.median)
            figure.set("segue_worst_ms", worst)
            figure.set("mpd", nil as Double?)
            figure.set("mpv", nil as Double?)
            figure.set("limit_s", 1)
            figure.set("limit_ms", 50)
            figure.set("met", (delay ?? .infinity) <= 1 && abs(worst ?? .infinity) <= 50)
            report(figure)
        }
    }
}

private struct OutageRun: Sendable {
    /// From the moment the server can be reached to the first sound, in seconds.
    var delay: Double
    /// How much later in the medium it goes on than it broke off, in seconds.
    var shift: Double

    private static let length = 40
    private static let window = 4096

    static func measure(seconds: Double) async throws -> OutageRun {
        let rate = Material.sampleRate
        // Nothing in it is like anything else in it.
        let signal: @Sendable () -> [Float] = { Signal.softNoise(frames: length * rate, sampleRate: rate, seed: 5) }
        let file = try await Material.encoded("unique", .flac) { [signal(), signal()] }
        let reference = signal()
        let server = try await PulseServer.start()
        // Players come in by a door of their own, which is opened when the recording runs: so no sound is missed.
        let door = server.folder.file("pulse/player.sock")
        try server.control("load-module", "module-native-protocol-unix", "socket=\(door)", "auth-anonymous=1")
        var environment = server.clientEnvironment
        environment["PULSE_SERVER"] = "unix:\(door)"
        let player = try await SeguePlayer([file], environment: environment)
        defer { player.process.end() }

        let before = try await MonitorCapture(of: server)
        _ = try await player.play()
        try await before.waitForSound()
        try await Moments.sleep(.random(in: 6...7))
        server.kill()
        let first = before.stop()
        let killed = ContinuousClock.now
        try await Moments.sleep(until: seconds, after: killed)
        guard player.process.isRunning else {
            throw ChildProcessError.failed(
                "the player",
                try await player.process.wait().status,
                errors: player.process.errorText
            )
        }
        try await server.restart()
        let after = try await MonitorCapture(of: server)
        try server.control("load-module", "module-native-protocol-unix", "socket=\(door)", "auth-anonymous=1")
        let back = ContinuousClock.now
        let start = try await after.waitForSound()
        try await after.waitForFrames(2 * window, after: start)
        let second = after.stop()

        let last = first.samples(in: first.soundEnd - window..<first.soundEnd)
        let next = second.samples(in: start..<start + window)
        guard let end = Analysis.find(last, in: reference), end.likeness > 0.9 else {
            throw CaptureError.deadline("what was heard before the server died is not what was played")
        }
        guard let begin = Analysis.find(next, in: reference), begin.likeness > 0.9 else {
            throw CaptureError.deadline("what was heard after the server came back is not what was played")
        }
        let shift = Double(begin.offset - end.offset - window) / Double(rate)
        return OutageRun(delay: second.time(of: start).seconds(since: back), shift: shift)
    }
}
