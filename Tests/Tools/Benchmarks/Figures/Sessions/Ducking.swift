import TestSupport

extension Measurement {
    /// Being ducked costs nothing that playing does not.
    static let ducking = Measurement(
        figures: ["switches_ducked", "switches_unducked"],
        summary: "wake-ups per second under segued while a client's session ducks the music, and after, beside before"
    ) { bench, report in
        let window = bench.isQuick ? 15.0 : 60
        let file = try await Material.music(.flac, seconds: 360)
        let server = try await PulseServer.start()
        let daemon = try await LineDaemon(.segued, on: server)
        let (client, owner) = (try daemon.client(), try daemon.client())
        try client.command("add \"\(file)\"")
        try client.command("play")
        try await Moments.sleep(5)
        func rate() async throws -> Double {
            let (start, switches) = (ContinuousClock.now, daemon.process.voluntarySwitches)
            try await Moments.sleep(window)
            let passed = ContinuousClock.now.seconds(since: start)
            return Double(daemon.process.voluntarySwitches - switches) / passed
        }
        let plain = try await rate()
        let words = try owner.answer("session open ducker").split(separator: "\n")[0].split(separator: " ")
        let id = words.count > 1 ? String(words[1]) : ""
        for command in ["category \(id) playback options duckOthers", "activate \(id)", "playing \(id) 1"] {
            try owner.command("session \(command)")
        }
        try await Moments.sleep(3)
        let ducked = try await rate()
        try owner.command("session close \(id)")
        try await Moments.sleep(3)
        let after = try await rate()
        for (name, value) in [("switches_ducked", ducked), ("switches_unducked", after)] {
            var figure = Figure(name)
            figure.set("segued", value)
            figure.set("plain", plain)
            figure.set("seconds", window)
            // A tenth more, and one in two seconds, is within what two runs of the same differ by.
            figure.setLimit(plain * 1.1 + 0.5, for: value)
            report(figure)
        }
    }
}
