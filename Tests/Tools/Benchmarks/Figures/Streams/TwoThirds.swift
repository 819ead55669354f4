import TestSupport

extension Measurement {
    /// A network that carries two thirds of what is played.
    static let twoThirds = Measurement(
        figures: ["two_thirds"],
        summary: "MP3 of 24 kB/s at 16 kB/s: how often it stops, for how long, and how much is silent in all"
    ) { bench, report in
        let length = bench.isQuick ? 40.0 : 90
        let web = try await WebServer.start(.slow("slow/", rate: 16_000))
        try web.publish(await MediaFixtures.position(.mp3, seconds: 120), as: "a.mp3")
        let listeners = try await StreamListener.all(web.url("slow/a.mp3"))
        let begin = ContinuousClock.now
        try await Moments.sleep(until: length, after: begin)
        var waits: [StreamContestant: Double] = [:]
        var medians: [StreamContestant: Double] = [:]
        var silence: [StreamContestant: Double] = [:]
        var gap: Double?
        for listener in listeners {
            let first = listener.capture.current.firstSound(after: 0) ?? 0
            let heard = listener.heard(from: first)
            let silences = heard.silences.filter { $0.duration > 0.1 }
            waits[listener.contestant] = Double(silences.count)
            medians[listener.contestant] = silences.map(\.duration).median
            silence[listener.contestant] = silences.reduce(0) { $0 + $1.duration }
            if listener.contestant == .segue {
                gap = zip(silences, silences.dropFirst()).map { $1.start - $0.start }.min()
            }
        }
        var figure = Figure("two_thirds")
        figure.set("seconds", length)
        figure.set("_waits", of: waits)
        figure.set("_median_wait_s", of: medians)
        figure.set("_silence_s", of: silence)
        figure.set("segue_least_time_between_waits_s", gap)
        // At most one wait in 15 s.
        figure.setLimit((length / 15).rounded(.up), for: waits[.segue])
        report(figure)
    }
}
