private import Foundation
private import Synchronization
import TestSupport

extension Measurement {
    /// Small covers, as clients show them.
    static let artwork = Measurement(
        figures: ["artwork_started_ms", "artwork_cold_ms", "artwork_warm_cpu_us", "artwork_scroll_ping_ms"]
            + ["artwork_scroll_mb", "artwork_scroll_silence"],
        summary:
            "covers of 320 pixels: the first one, the next ones, server CPU of kept ones; thousands for 4 clients: "
            + "another's slowest ping, memory, and silent samples of what plays beside"
    ) { bench, report in
        let covers = try await Covers(count: bench.isQuick ? 500 : 10_000)
        try await covers.measureOne(bench, report)
        try await covers.measureScrolling(report)
    }
}

/// Albums with a cover each, no two of them one file.
private struct Covers {
    private let folder: TemporaryFolder
    private let count: Int

    init(count: Int) async throws {
        self.count = count
        folder = try TemporaryFolder()
        let cover = folder.file("cover.jpg")
        let noise = "mandelbrot=size=600x600:start_scale=0.3,noise=alls=4"
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", noise, "-frames:v", "1", "-q:v", "8", cover])
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "sine=duration=1", folder.file("song.flac")])
        let (picture, song) = (try FileBytes.read(cover), folder.file("song.flac"))
        for number in 0..<count {
            _ = try folder.makeFolder("music/\(number)")
            try folder.write("music/\(number)/cover.jpg", picture)
        }
        for number in 0..<50 {
            try FileManager.default.copyItem(atPath: song, toPath: folder.file("music/\(number)/a.flac"))
        }
    }

    private func daemon(on server: PulseServer? = nil) async throws -> LineDaemon {
        let daemon = try await LineDaemon(.segued, music: folder.file("music"), on: server)
        try await daemon.update()
        try await daemon.settle()
        return daemon
    }

    private func client(of daemon: LineDaemon) throws -> RawClient {
        let client = try daemon.client()
        try client.command("binarylimit 1000000")
        return client
    }

    // MARK: One after the other

    func measureOne(_ bench: Bench, _ report: (Figure) -> Void) async throws {
        var (started, cold, warm): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<(bench.isQuick ? 2 : 5) {
            var daemon = try await daemon()
            let first = try client(of: daemon)
            var times = try songs().map { try milliseconds(of: $0, first) }
            started.append(times.removeFirst())
            cold += times
            // From the disk: a new process has none in memory.
            daemon = try await daemon.restarted().daemon
            try await daemon.settle()
            let again = try client(of: daemon)
            let spent = daemon.process.cpuSeconds
            for song in songs() { try again.command(song) }
            warm.append((daemon.process.cpuSeconds - spent) / Double(songs().count) * 1_000_000)
        }
        for (name, values, limit) in [
            ("artwork_started_ms", started, 80.0), ("artwork_cold_ms", cold, 25), ("artwork_warm_cpu_us", warm, 1_000),
        ] {
            var figure = Figure(name)
            figure.set("segued", values.median)
            figure.set("slowest", values.max())
            figure.setLimit(limit, for: values.median)
            report(figure)
        }
    }

    private func songs() -> [String] { (0..<50).map { "artwork song \($0)/a.flac 320 0" } }

    private func milliseconds(of command: String, _ client: RawClient) throws -> Double {
        let start = ContinuousClock.now
        try client.command(command)
        return (ContinuousClock.now - start).seconds * 1_000
    }

    // MARK: Many

    func measureScrolling(_ report: (Figure) -> Void) async throws {
        let server = try await PulseServer.start()
        let daemon = try await daemon(on: server)
        let client = try client(of: daemon)
        try client.command("add \"\(try await Material.tone(Landmark.first, seconds: 120))\"")
        try client.command("repeat 1")
        let capture = try await MonitorCapture(of: server)
        try client.command("play")
        try await capture.waitForSound()
        try await Moments.sleep(1)
        let before = daemon.process.privateDirty ?? 0
        let idle = try await onThread { [count] in try Self.pings(daemon, count: min(count, 5_000)) }
        let isDone = Flag()
        let from = capture.frames
        async let pings = onThread { try Self.pings(daemon, until: isDone) }
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { [count] in
                    try await onThread {
                        let client = try daemon.client()
                        try client.command("binarylimit 1000000")
                        for number in 0..<count { try client.command("artwork directory \(number) 320 0") }
                    }
                }
            }
            try await group.waitForAll()
        }
        let seconds = (ContinuousClock.now - start).seconds
        isDone.set()
        let (times, peak) = try await pings
        let samples = capture.stop().samples(in: from..<capture.current.frames)
        var figure = Figure("artwork_scroll_ping_ms")
        figure.set("segued", times.max())
        figure.set("median", times.median)
        // What the machine does to pings while there is nothing to do.
        figure.set("idle", idle.times.max())
        figure.set("late", times.count { $0 > 5 })
        figure.set("pings", times.count)
        figure.set("covers", count)
        figure.set("seconds", seconds)
        figure.setLimit(5, for: times.max())
        report(figure)
        var memory = Figure("artwork_scroll_mb")
        let growth = peak - before
        memory.set("segued", growth)
        memory.setLimit(32, for: growth)
        report(memory)
        var silence = Figure("artwork_scroll_silence")
        silence.set("longest_silence_samples", samples.longestSilence)
        silence.set("seconds", Double(samples.count) / Double(Material.sampleRate))
        // A tone is nearly nothing for a sample wherever it crosses zero.
        silence.setLimit(2, for: Double(samples.longestSilence))
        report(silence)
    }

    /// How long each ping took, in milliseconds, and the most memory that the server had meanwhile, in megabytes.
    private static func pings(
        _ daemon: LineDaemon,
        until isDone: Flag = Flag(),
        count: Int = .max
    ) throws -> (times: [Double], memory: Double) {
        let client = try daemon.client()
        var times: [Double] = []
        var memory = 0.0
        while !isDone.isSet, times.count < count {
            let start = ContinuousClock.now
            try client.command("ping")
            times.append((ContinuousClock.now - start).seconds * 1_000)
            if times.count % 100 == 0 { memory = max(memory, daemon.process.privateDirty ?? 0) }
            Thread.sleep(forTimeInterval: 0.002)
        }
        return (times, max(memory, daemon.process.privateDirty ?? 0))
    }
}

private final class Flag: Sendable {
    private let state = Mutex(false)
    var isSet: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
}

/// Runs what blocks on a thread of its own.
private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result { try body() }) }.start()
    }
}
