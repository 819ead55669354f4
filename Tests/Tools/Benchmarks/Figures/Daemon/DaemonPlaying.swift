private import Foundation
import TestSupport

extension Measurement {
    /// What playing under the daemon costs, beside playing in the foreground.
    static let daemonPlaying = Measurement(
        figures: ["daemon_playing_cpu_per_60s", "daemon_playing_switches", "daemon_written_per_hour"],
        summary: "a FLAC file under segued: CPU and switches beside segue play, bytes written (extrapolated)"
    ) { bench, report in
        let window = bench.isQuick ? 20.0 : 120
        let file = try await Material.music(.flac, seconds: 180)
        let contestants: [Contestant] = [.segued, .segue, .mpd]
        let runs = try await concurrently(contestants) { contestant in
            try await DaemonPlayingRun.measure(contestant, file, seconds: window)
        }
        let results = Dictionary(uniqueKeysWithValues: zip(contestants, runs))
        func figure(
            _ name: String,
            _ value: (DaemonPlayingRun) -> Double,
            limit: (DaemonPlayingRun?) -> Double?
        ) -> Figure {
            var figure = Figure(name)
            for contestant in contestants {
                figure.set(contestant.rawValue, results[contestant].flatMap { $0.map(value) })
            }
            figure.set("seconds", window)
            figure.setLimit(limit(results[.segue] ?? nil), for: results[.segued].flatMap { $0.map(value) })
            return figure
        }
        // A tenth more is within what two runs of the same differ by.
        report(figure("daemon_playing_cpu_per_60s", { $0.cpu }) { $0.map { $0.cpu * 1.1 } })
        report(figure("daemon_playing_switches", { $0.switches }) { $0.map { $0.switches * 1.1 } })
        report(figure("daemon_written_per_hour", { $0.written }) { _ in 1_000_000 })
    }

    /// No sound is lost while the daemon answers as fast as it can.
    static let statusFlood = Measurement(
        figures: ["status_flood"],
        summary: "status from ten connections while a tone plays under segued: silent samples at the monitor"
    ) { bench, report in
        let server = try await PulseServer.start()
        let daemon = try await LineDaemon(.segued, on: server)
        let client = try daemon.client()
        try client.command("add \"\(try await Material.tone(Landmark.first, seconds: 120))\"")
        let capture = try await MonitorCapture(of: server)
        try client.command("play")
        try await capture.waitForSound()
        try await Moments.sleep(1)
        let from = capture.frames
        let load = try CommandLoad(daemon.socket, connections: 10)
        let result = try load.run("status", count: bench.isQuick ? 200_000 : 1_000_000, to: daemon.process)
        try await Moments.sleep(0.5)
        let samples = capture.stop().samples(in: from..<capture.current.frames)
        let silent = samples.longestSilence
        var figure = Figure("status_flood")
        figure.set("commands_per_s", result.rate)
        figure.set("seconds", Double(samples.count) / Double(Material.sampleRate))
        figure.set("longest_silence_samples", silent)
        // A tone is nearly nothing for a sample wherever it crosses zero.
        figure.setLimit(2, for: Double(silent))
        report(figure)
    }
}

struct DaemonPlayingRun: Sendable {
    /// Processor seconds for a minute.
    var cpu: Double
    /// Voluntary context switches per second.
    var switches: Double
    /// Bytes that came to be written to disk, per hour.
    var written: Double

    /// - Parameter server: `nil` for a PulseAudio with a sink at 44.1 kHz.
    static func measure(
        _ contestant: Contestant,
        _ file: String,
        seconds: Double,
        on server: (any SoundServer)? = nil
    ) async throws -> DaemonPlayingRun? {
        if let server { return try await measured(contestant, file, seconds: seconds, on: server) }
        return try await measured(contestant, file, seconds: seconds, on: try await PulseServer.start())
    }

    private static func measured(
        _ contestant: Contestant,
        _ file: String,
        seconds: Double,
        on server: some SoundServer
    ) async throws -> DaemonPlayingRun? {
        let player: (any ControlledPlayer)?
        let process: ChildProcess?
        if contestant == .segue {
            (player, process) = (nil, try contestant.start([file], on: server))
        } else {
            player = try await ControlledPlayers.start(contestant, [file], on: server)
            process = player?.process
            _ = try await player?.play()
        }
        guard let process else { return nil }
        defer { process.end() }
        try await Moments.sleep(5)
        let (start, cpu, switches) = (ContinuousClock.now, process.cpuSeconds, process.voluntarySwitches)
        let written = process.writtenBytes
        try await Moments.sleep(seconds)
        let passed = ContinuousClock.now.seconds(since: start)
        return DaemonPlayingRun(
            cpu: (process.cpuSeconds - cpu) / passed * 60,
            switches: Double(process.voluntarySwitches - switches) / passed,
            written: Double(process.writtenBytes - written) / passed * 3600
        )
    }
}

extension ChildProcess {
    /// Bytes that came to be written to a disk because of it (`write_bytes` of proc(5)'s `io`).
    fileprivate var writtenBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/io", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
}

extension [Float] {
    /// The most samples in a row that are quieter than −60 dB.
    var longestSilence: Int {
        var (longest, current) = (0, 0)
        for sample in self {
            current = abs(sample) < 0.001 ? current + 1 : 0
            longest = Swift.max(longest, current)
        }
        return longest
    }
}
