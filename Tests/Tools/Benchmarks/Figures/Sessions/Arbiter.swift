import AudioSessions
import TestSupport

extension Measurement {
    /// What a decision costs does not grow with the number of those who take no part in it, nor with that of events.
    static let arbiter = Measurement(
        figures: ["arbiter_us_per_event", "arbiter_growth"],
        summary: "1 M events at one arbiter with 10,000 sessions: microseconds each; the second half beside the first"
    ) { bench, report in
        let count = bench.isQuick ? 100_000 : 1_000_000
        var figure = Figure("arbiter_us_per_event")
        var (large, small) = (try ArbiterRun(sessions: 10_000), try ArbiterRun(sessions: 1_000))
        let (many, few) = (try large.measure(events: count), try small.measure(events: count))
        figure.set("sessions_10000", many.median)
        figure.set("sessions_1000", few.median)
        figure.set("events", count)
        figure.setLimit(few.median.map { $0 * 2 + 1 }, for: many.median)
        report(figure)
        var growth = Figure("arbiter_growth")
        let half = many.count / 2
        let ratio = zip([many.suffix(half).median], [many.prefix(half).median]).lazy
            .compactMap { later, earlier in later.flatMap { later in earlier.map { later / $0 } } }.first
        growth.set("later_to_earlier", ratio)
        growth.setLimit(1.2, for: ratio)
        report(growth)
    }
}

/// Programs that are heard for a while, one after another and over each other, as announcements and players are.
private struct ArbiterRun {
    private var arbiter = SessionArbiter()
    private var random = SplitMix(state: 1)
    private let sessions: Int

    init(sessions: Int) throws {
        self.sessions = sessions
        let kinds: [SessionConfiguration] = [
            try SessionConfiguration(category: .playback), try SessionConfiguration(category: .ambient),
            try SessionConfiguration(category: .playback, options: .duckOthers),
            try SessionConfiguration(category: .playback, mode: .spokenAudio),
        ]
        for number in 1...sessions {
            let kind = kinds[number % kinds.count]
            let id = SessionID(number)
            _ = try arbiter.handle(.open(id, name: "\(number)", kind: .client, configuration: kind), at: 0)
        }
    }

    /// - Returns: The microseconds that an event took, in each of a hundred parts.
    mutating func measure(events count: Int) throws -> [Double] {
        let part = count / 100
        var active: [SessionID] = []
        var time = 0.0
        return try (0..<100).map { _ in
            let start = ContinuousClock.now
            for _ in 0..<part / 4 {
                time += 0.01
                let id = SessionID(.random(in: 1...sessions, using: &random))
                _ = try? arbiter.handle(.activate(id), at: time)
                _ = try? arbiter.handle(.playing(id, true), at: time)
                active.append(id)
                guard active.count > 8 else { continue }
                let old = active.removeFirst()
                _ = try arbiter.handle(.playing(old, false), at: time)
                _ = try arbiter.handle(.deactivate(old, notifyOthers: true), at: time)
            }
            return ContinuousClock.now.seconds(since: start) * 1e6 / Double(part / 4 * 4)
        }
    }
}
