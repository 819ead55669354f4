private import Foundation
import TestSupport

extension Measurement {
    /// Everything at random, some twenty times a second; now and then it is listened where the player says it is.
    static let soak = Measurement(
        figures: ["soak"],
        summary: "random seeks, skips, pauses and rates; crashes, hangs, wrong positions, growth (--soak: ten minutes)"
    ) { bench, report in
        let server = try await PulseServer.start()
        var run = try await SoakRun(on: server, seed: bench.seed)
        var failure: String?
        do { try await run.run(seconds: bench.soakSeconds) } catch { failure = run.describe(error) }
        var figure = Figure("soak")
        figure.set("seconds", bench.soakSeconds)
        figure.set("seed", Int(bench.seed))
        figure.set("operations", run.operations)
        figure.set("failure", failure ?? "")
        figure.set("checks", run.checks)
        figure.set("positions_compared", run.errors.count)
        figure.set("wrong", run.wrong)
        figure.set("median_error_ms", run.errors.map { $0 * 1000 }.median)
        figure.set("worst_error_ms", run.errors.max().map { $0 * 1000 })
        figure.set("private_dirty_start_mb", run.startMemory)
        figure.set("private_dirty_end_mb", run.endMemory)
        figure.set("met", failure == nil && run.wrong == 0)
        report(figure)
    }
}

private struct SoakRun {
    private static let sweeps = [400.0, 4_400, 8_400].map { Sweep(base: $0) }
    /// How far off a position may be, in seconds of the medium at rate 1.
    private static let tolerance = 0.05
    /// How long the player is left alone before it is listened to.
    private static let rest = 0.6

    let player: SeguePlayer
    /// A new one every minute: recordings grow.
    private var ear: Ear
    private var earAge = ContinuousClock.now
    private let server: PulseServer
    private var generator: SplitMix
    private var rate = 1.0
    /// The last commands, for telling how it came to a failure.
    private var history: [String] = []
    private(set) var operations = 0
    private(set) var checks = 0
    private(set) var wrong = 0
    private(set) var errors: [Double] = []
    private(set) var startMemory: Double?
    private(set) var endMemory: Double?

    init(on server: PulseServer, seed: UInt64) async throws {
        self.server = server
        generator = SplitMix(state: seed)
        var files: [String] = []
        for sweep in Self.sweeps { files.append(try await Material.sweep(sweep)) }
        player = try await SeguePlayer(files, environment: server.clientEnvironment)
        ear = try await Ear(at: server)
    }

    /// How the player ended, if that is what an error comes from.
    func describe(_ error: any Error) -> String {
        let end = player.process.isRunning ? "" : "; the player has ended: \(player.process.errorText.suffix(600))"
        return "\(error)\(end); before: \(history.suffix(30).joined(separator: ", "))"
    }

    mutating func run(seconds: Double) async throws {
        try await command("loop")
        try await command("play")
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            for _ in 0..<Int.random(in: 20...60, using: &generator) {
                try await command(anything())
                try await Moments.sleep(.random(in: 0.02...0.07, using: &generator))
            }
            try await check()
            if startMemory == nil { startMemory = player.process.privateDirty }
        }
        endMemory = player.process.privateDirty
    }

    private mutating func command(_ line: String) async throws {
        operations += 1
        history.append(line)
        if history.count > 1000 { history.removeFirst(500) }
        try await player.command(line)
    }

    private mutating func anything() -> String {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<40: return "seek \(Double.random(in: 0..<60, using: &generator))"
        case 40..<50: return "next"
        case 50..<55: return "previous"
        case 55..<60: return "jump \(Int.random(in: 0..<3, using: &generator))"
        case 60..<80: return "toggle"
        case 80..<95:
            rate = [0.5, 0.75, 1, 1, 1.25, 2, 4].randomElement(using: &generator) ?? 1
            return "rate \(rate)"
        default: return "volume \([60, 80, 100].randomElement(using: &generator) ?? 100)"
        }
    }

    // MARK: Listening

    /// Compares where the player says it is with what is heard.
    private mutating func check() async throws {
        if Bool.random(using: &generator) {
            rate = 1
            try await command("rate 1")
        }
        let isPaused = Int.random(in: 0..<5, using: &generator) == 0
        try await command(isPaused ? "pause" : "play")
        try await Moments.sleep(Self.rest)
        let answer = try await player.command("position")
        guard answer.words.count >= 3, let time = Double(answer.words[0]), let item = Int(answer.words[1]) else {
            return
        }
        let from = ear.capture.frames
        try await ear.capture.waitForFrames(Material.sampleRate / 4, after: from)
        let recording = ear.capture.current
        let frame = ear.frame(at: answer.moment)
        let half = Material.sampleRate * 30 / 1000
        let heard = recording.samples(in: frame - half..<frame + half)
        checks += 1
        if ContinuousClock.now > earAge + .seconds(60) {
            ear = try await Ear(at: server)
            earAge = .now
        }
        if isPaused {
            if Analysis.level(heard) > -80 { note("sounds while paused at \(answer.words)") }
            return
        }
        // Where two items meet, either may be heard.
        guard Self.sweeps.indices.contains(item), (0.5...59 - rate).contains(time) else { return }
        guard Analysis.level(heard) > -40 else { return note("silent while playing at \(answer.words)") }
        let frequency = Analysis.frequency(heard, sampleRate: Material.sampleRate)
        guard let place = Self.sweeps[item].time(of: frequency) else {
            return note("hears \(frequency) Hz at \(answer.words)")
        }
        errors.append(abs(place - time))
        // At other rates the stretcher moves sound by some periods.
        if abs(place - time) > Self.tolerance * max(1, rate) {
            note("hears \(place) s at \(answer.words) rate \(rate)")
        }
    }

    private mutating func note(_ problem: String) {
        wrong += 1
        let text = "soak: \(problem); before: \(history.suffix(8).joined(separator: ", "))\n"
        FileHandle.standardError.write(Data(text.utf8))
    }
}
