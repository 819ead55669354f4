import AudioTypes
import TestSupport

extension Measurement {
    /// From a command to what is heard of it.
    static let latencies = Measurement(
        figures: ["play_ms", "pause_ms", "resume_ms", "seek_flac_ms", "seek_mp3_ms", "next_ms"],
        summary: "from a call of the player, or a command to segued, to the change at the monitor"
    ) { bench, report in
        let contestants: [Contestant] = [.segue, .segued, .mpd, .mpv]
        var results: [Contestant: [String: [Double]]] = [:]
        for contestant in contestants where contestant.isInstalled {
            results[contestant] = try await LatencyRun.measure(contestant, repetitions: bench.repetitions)
        }
        let limits = [
            ("play_ms", 10.0), ("pause_ms", 2), ("resume_ms", 6), ("seek_flac_ms", 12), ("seek_mp3_ms", 25),
            ("next_ms", 12),
        ]
        for (name, limit) in limits {
            var figure = Figure(name)
            let times = { (contestant: Contestant) in results[contestant]?[name] ?? [] }
            for contestant in contestants { figure.set(contestant.rawValue, times(contestant).median) }
            figure.set("segue_worst", times(.segue).max())
            figure.set("segued_worst", times(.segued).max())
            figure.set("samples", times(.segue).count)
            figure.setLimit(limit, for: [times(.segue).median, times(.segued).median].compactMap(\.self).max())
            report(figure)
        }
    }
}

/// One player at one server, told what to do again and again.
private struct LatencyRun {
    let player: any ControlledPlayer
    let ear: Ear
    let repetitions: Int

    /// How long after a command it is looked what came of it, in seconds.
    private static let settling = 0.45

    /// All figures of one player, in milliseconds.
    static func measure(_ contestant: Contestant, repetitions: Int) async throws -> [String: [Double]] {
        let server = try await PulseServer.start()
        let tones = [try await Material.tone(Landmark.first), try await Material.tone(Landmark.second)]
        var times: [String: [Double]] = [:]

        func run(_ files: [String], _ body: (LatencyRun) async throws -> Void) async throws {
            guard let player = try await ControlledPlayers.start(contestant, files, on: server) else { return }
            defer { player.process.end() }
            let ear = try await Ear(at: server)
            try await body(LatencyRun(player: player, ear: ear, repetitions: repetitions))
        }
        try await run([tones[0]]) { run in times["play_ms"] = try await run.starts() }
        try await run([tones[0]]) { run in (times["pause_ms"], times["resume_ms"]) = try await run.pauses() }
        for (name, codec) in [("seek_flac_ms", Material.Codec.flac), ("seek_mp3_ms", .mp3)] {
            let file = try await Material.landmarks(codec, seconds: 240)
            try await run([file]) { run in times[name] = try await run.seeks(seconds: 240) }
        }
        let queue = (0...repetitions).map { tones[$0 % 2] }
        try await run(queue) { run in times["next_ms"] = try await run.skips() }
        return times
    }

    private func starts() async throws -> [Double] {
        try await repeated { _ in
            let from = capture.frames
            let start = try await player.play()
            let time = try await time(of: capture.waitForSound(after: from), since: start)
            try await player.stop()
            try await capture.waitForSilence(after: capture.frames)
            return time
        }
    }

    private func pauses() async throws -> (pause: [Double], resume: [Double]) {
        _ = try await player.play()
        try await capture.waitForSound()
        try await Moments.sleep(1)
        var resumes: [Double] = []
        let pauses = try await repeated { _ in
            let start = try await player.pause()
            try await Moments.sleep(0.2)
            let end = try await capture.waitForSilence(after: 0)
            let pause = time(of: end, since: start)
            let from = capture.frames
            let resume = try await player.resume()
            resumes.append(try await time(of: capture.waitForSound(after: from), since: resume))
            return pause
        }
        return (pauses, resumes)
    }

    private func seeks(seconds: Int) async throws -> [Double] {
        _ = try await player.play()
        try await capture.waitForSound()
        return try await repeated { index in
            // To an even second of the other half, early enough that its tone lasts until the next seek.
            let isBack = index % 2 == 1
            let even = 2 * Int.random(in: 2..<seconds / 4 - 2) + (isBack ? 0 : seconds / 2)
            let target = Double(even) + .random(in: 0.02...0.1)
            let from = capture.frames
            let start = try await player.seek(to: target)
            return try await time(ofTone: Landmark.frequency(inSecondHalf: !isBack), after: from, since: start)
        }
    }

    private func skips() async throws -> [Double] {
        _ = try await player.play()
        try await capture.waitForSound()
        return try await repeated { index in
            let from = capture.frames
            let start = try await player.next()
            return try await time(ofTone: Landmark.frequency(inSecondHalf: index % 2 == 0), after: from, since: start)
        }
    }

    // MARK: Times

    private var capture: MonitorCapture { ear.capture }

    /// Takes a time again and again, at any moment of the server's period.
    private func repeated(_ body: (Int) async throws -> Double) async throws -> [Double] {
        var times: [Double] = []
        for index in 0..<repetitions {
            try await Moments.sleep(.random(in: 0.2...0.25))
            times.append(try await body(index))
        }
        return times
    }

    private func time(of frame: Int, since start: ContinuousClock.Instant) -> Double {
        ear.milliseconds(from: start, to: frame)
    }

    /// When a tone began to be heard that was not heard at the time of the command.
    private func time(
        ofTone frequency: Double,
        after from: Int,
        since start: ContinuousClock.Instant
    ) async throws -> Double {
        let finder = ToneFinder(frequency)
        for _ in 0..<5 {
            try await Moments.sleep(Self.settling)
            let recording = capture.current
            if let offset = finder.first(in: recording.samples(in: from..<recording.frames)) {
                return time(of: from + offset, since: start)
            }
        }
        throw CaptureError.deadline("\(frequency) Hz did not come")
    }
}
