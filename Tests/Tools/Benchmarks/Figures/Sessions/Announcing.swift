import TestSupport

extension Measurement {
    /// From `announce` to the voice, and from its end to the music.
    static let announcements = Measurement(
        figures: ["announce_ms", "music_back_ms"],
        summary: "announce over music under segued: command to the first voice sample, last voice sample to full level"
    ) { bench, report in
        let times = try await AnnouncementRun.measure(repetitions: bench.repetitions)
        for (name, values, limit) in [("announce_ms", times.voice, 60.0), ("music_back_ms", times.back, 250)] {
            var figure = Figure(name)
            figure.set("segued", values.median)
            figure.set("segued_worst", values.max())
            figure.set("samples", values.count)
            figure.setLimit(limit, for: values.median)
            report(figure)
        }
    }
}

/// Music on the left and voices on the right, announced again and again.
private struct AnnouncementRun {
    private static let music = SignCode(seconds: 120, seed: 1)
    private static let voice = SignCode(seconds: 0.3, seed: 2)

    static func measure(repetitions: Int) async throws -> (voice: [Double], back: [Double]) {
        let folder = try TemporaryFolder()
        func write(_ name: String, _ left: [Int16], _ right: [Int16]) throws -> String {
            try folder.write(name, WaveFile.bytes([left, right], sampleRate: Material.sampleRate))
        }
        let song = try write("music.wav", music.samples, Array(repeating: 0, count: music.count))
        let bell = try write("voice.wav", Array(repeating: 0, count: voice.count), voice.samples)

        let server = try await PulseServer.start()
        let daemon = try await LineDaemon(.segued, on: server)
        let client = try daemon.client()
        try client.command("add \"\(song)\"")
        let ear = try await Ear(at: server)
        try client.command("play")
        try await ear.capture.waitForSound()
        try await Moments.sleep(2)
        var times: (voice: [Double], back: [Double]) = ([], [])
        for _ in 0..<repetitions {
            try await Moments.sleep(.random(in: 0.2...0.25))
            let from = ear.capture.frames
            let start = ContinuousClock.now
            try client.command("announce \"\(bell)\"")
            try await Moments.sleep(1.2)
            let samples = ear.capture.current.integers(in: from..<ear.capture.frames)
            let right = stride(from: 1, to: samples.count, by: 2).map { samples[$0] }
            let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
            guard let first = right.firstIndex(where: { $0 != 0 }), let last = right.lastIndex(where: { $0 != 0 }),
                let dip = GainCurve(music, left).dips().first
            else { continue }
            times.voice.append(ear.milliseconds(from: start, to: from + first))
            times.back.append(Double(dip.range.upperBound - last) / Double(Material.sampleRate) * 1000)
        }
        return times
    }
}
