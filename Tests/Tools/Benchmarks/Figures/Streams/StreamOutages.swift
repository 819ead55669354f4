import AudioTypes
import TestSupport

extension Measurement {
    /// The web server of an MP3 dies, and comes back.
    static let httpOutages = Measurement(
        figures: ["outage_http", "away_cpu_per_60s"],
        summary:
            "nginx killed for 5 and for 30 s while an MP3 plays: from its return to sound, what is lost, CPU meanwhile"
    ) { bench, report in
        let file = try await MediaFixtures.position(.mp3, seconds: 120)
        for seconds in bench.isQuick ? [5.0] : [5.0, 30] {
            // Little faster than it is played, so that no player has all of it before.
            let web = try await WebServer.start(.slow("slow/", rate: 26_000, after: 100_000))
            try web.publish(file, as: "a.mp3")
            let listeners = try await StreamListener.all(web.url("slow/a.mp3"))
            let results = try await StreamOutage(seconds: seconds).measure(listeners) {
                web.stop()
            } end: {
                try await web.start()
            }
            var figure = Figure("outage_http")
            figure.set("seconds", seconds)
            figure.set("_sound_after_s", of: results.compactMapValues(\.delay))
            figure.set("_seconds_lost_or_repeated", of: results.mapValues { Double($0.faults) })
            figure.set("limit_s", 1)
            figure.set("met", results[.segue].map { ($0.delay ?? .infinity) <= 1 && $0.faults == 0 } ?? false)
            report(figure)
            guard seconds >= 30 || bench.isQuick else { continue }
            var away = Figure("away_cpu_per_60s")
            away.set("", of: results.mapValues(\.awayCPU))
            away.setLimit(0.1, for: results[.segue]?.awayCPU)
            report(away)
        }
    }

    /// A station's source or its server dies, and comes back.
    static let radioOutages = Measurement(
        figures: ["outage_icecast"],
        summary:
            "an Icecast source or server gone for 5 and for 30 s: from its return to sound, and how far behind it is"
    ) { bench, report in
        guard IcecastServer.missing.isEmpty else { return }
        let radio = try await NetworkMaterial.radio(.mp3)
        for isServer in [false, true] {
            for seconds in bench.isQuick ? [5.0] : [5.0, 30] {
                let server = try await IcecastServer.start()
                let source = try IcecastSource(radio, to: server)
                let listeners = try await StreamListener.all(source.url)
                let results = try await StreamOutage(seconds: seconds, period: Int(radio.seconds))
                    .measure(listeners) {
                        if isServer { server.stop() }
                        source.drop()
                    } end: {
                        if isServer { try await server.start() }
                        try source.connect()
                    }
                var figure = Figure("outage_icecast")
                figure.set("gone", isServer ? "server" : "source")
                figure.set("seconds", seconds)
                figure.set("_sound_after_s", of: results.compactMapValues(\.delay))
                var behind: [StreamContestant: Double] = [:]
                for listener in listeners where results[listener.contestant]?.delay != nil {
                    behind[listener.contestant] = listener.secondsBehind(source)
                }
                figure.set("_behind_s", of: behind)
                figure.setLimit(2, for: results[.segue].map { $0.delay ?? .infinity })
                report(figure)
            }
        }
    }
}

extension StreamListener {
    /// How far what is heard is behind what the station sends; `nil` in silence.
    fileprivate func secondsBehind(_ source: IcecastSource) -> Double? {
        let recording = capture.current
        let now = source.time
        let heard = SecondsHeard(recording, from: max(0, recording.frames - 2 * recording.format.sampleRate))
        guard let last = heard.stretches.last, let second = last.second else { return nil }
        let period = source.programme.seconds
        let behind = (now - Double(second) - min(last.duration, 1)).truncatingRemainder(dividingBy: period)
        return behind < 0 ? behind + period : behind
    }
}

/// Something that goes away for a while under several players.
private struct StreamOutage {
    var seconds: Double
    var period: Int?

    struct Result: Sendable {
        /// From the return to the first sound, in seconds; `nil`: it never came.
        var delay: Double?
        /// Seconds that were lost, repeated or out of order.
        var faults: Int
        /// Processor time per minute while it was silent.
        var awayCPU: Double
    }

    /// How long the players play before, and how long it is waited for them afterwards.
    private static let before = 6.0
    private static let after = 15.0

    func measure(
        _ listeners: [StreamListener],
        start: () async throws -> Void,
        end: () async throws -> Void
    ) async throws -> [StreamContestant: Result] {
        for listener in listeners { _ = try? await listener.capture.waitForSound() }
        try await Moments.sleep(Self.before)
        let gone = ContinuousClock.now
        try await start()
        // What is in the buffers is played out first.
        try await Moments.sleep(until: seconds * 0.4, after: gone)
        let spent = listeners.map(\.process.cpuSeconds)
        try await Moments.sleep(until: seconds, after: gone)
        let away = zip(listeners, spent).map { ($0.process.cpuSeconds - $1) * 60 / (0.6 * seconds) }
        let places = listeners.map { max($0.frames, $0.capture.current.soundEnd) }
        try await end()
        let back = ContinuousClock.now
        try await Moments.sleep(Self.after)
        var results: [StreamContestant: Result] = [:]
        for (index, listener) in listeners.enumerated() {
            // What had something left, and fell silent after all, does not play on.
            let recent = max(0, listener.frames - 3 * listener.capture.current.format.sampleRate)
            let playsOn = listener.capture.current.firstSound(after: recent) != nil
            let delay = listener.seconds(from: back, toSoundAfter: places[index]).map { max(0, $0) }
            results[listener.contestant] = Result(
                delay: playsOn ? delay : nil,
                faults: listener.heard(period: period).faults().count,
                awayCPU: away[index]
            )
        }
        return results
    }
}
