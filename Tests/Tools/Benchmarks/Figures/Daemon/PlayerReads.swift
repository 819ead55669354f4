import DBus
private import Foundation
import TestSupport

extension Measurement {
    /// No sound is lost while programs on the message bus ask a playing zone a thousand times a second.
    static let playerReads = Measurement(
        figures: ["mpris_reads"],
        summary: "1,000 reads a second of a playing zone's properties over D-Bus: silent samples at the monitor, CPU"
    ) { bench, report in
        guard MessageBus.missing.isEmpty else { return }
        let server = try await PulseServer.start()
        let bus = try await MessageBus()
        let daemon = try await LineDaemon(.segued, on: server, bus: bus)
        let client = try daemon.client()
        try client.command("add \"\(try await Material.tone(Landmark.first, seconds: 120))\"")
        let capture = try await MonitorCapture(of: server)
        try client.command("play")
        try await capture.waitForSound()
        try await Moments.sleep(1)
        let reader = PropertyReader(bus)
        defer { reader.close() }
        let (from, spent, start) = (capture.frames, daemon.process.cpuSeconds, ContinuousClock.now)
        let rounds = bench.isQuick ? 500 : 2_000
        for round in 1...rounds {
            for property in 0..<10 { reader.read(property) }
            try await Moments.sleep(max(0, Double(round) / 100 - ContinuousClock.now.seconds(since: start)))
        }
        let seconds = ContinuousClock.now.seconds(since: start)
        let cpu = daemon.process.cpuSeconds - spent
        try await Moments.sleep(0.5)
        let samples = capture.stop().samples(in: from..<capture.current.frames)
        var figure = Figure("mpris_reads")
        figure.set("answers_per_s", Double(reader.answers) / seconds)
        figure.set("cpu_per_second", cpu / seconds)
        figure.set("longest_silence_samples", samples.longestSilence)
        figure.setLimit(2, for: Double(samples.longestSilence))
        report(figure)
    }
}

/// Reads the properties of the elected player, without waiting for the answers.
private final class PropertyReader: BusPeer {
    private let count = Watched(0)
    private let thread = BusThread()
    private let connection: Watched<BusConnection?>

    init(_ bus: MessageBus) {
        connection = Watched(nil)
        let new = thread.connect(BusPlan(BusAddress(bus.address)), self)
        connection.withLock { $0 = new }
    }

    var answers: Int { count.withLock { $0 } }

    func read(_ number: Int) {
        let names = ["Metadata", "PlaybackStatus", "Position", "Volume", "CanSeek"]
        let arguments = ["org.mpris.MediaPlayer2.Player", names[number % names.count]].map(BusValue.string)
        let call = MethodCall(
            "Get",
            of: "org.freedesktop.DBus.Properties",
            at: ObjectPath(known: "/org/mpris/MediaPlayer2"),
            "org.mpris.MediaPlayer2.segue",
            arguments
        )
        connection.withLock { $0 }?.call(call) { [count] result in
            if case .success = result { count.withLock { $0 += 1 } }
        }
    }

    func close() { connection.withLock { $0 }?.close() }
}
