import AudioSessions
import TestTiming
import Testing

@Suite struct CostTests {
    /// An event costs as much among ten thousand sessions as among a hundred, unless it changes them all.
    @Test func anEventLooksOnlyAtWhatItChanges() throws {
        let few = try secondsPerEvent(sessionCount: 100)
        let many = try secondsPerEvent(sessionCount: 10_000)
        #expect(many < 8 * few, "\(few * 1e6) µs and \(many * 1e6) µs")
    }

    /// Half of the sessions mix, and they come and go, with one that ducks all along; no session listens to hints.
    private func secondsPerEvent(sessionCount: Int) throws -> Double {
        var arbiter = SessionArbiter()
        var generator = SeededGenerator(seed: 3)
        for number in 1...sessionCount {
            let options: SessionOptions = number % 2 == 0 ? [] : .mixWithOthers
            let configuration = try SessionConfiguration(category: .playback, options: options)
            let event = SessionEvent.open(SessionID(number), name: "", kind: .zone, configuration: configuration)
            _ = try arbiter.handle(event, at: 0)
        }
        let prompt = SessionID(sessionCount + 1)
        let ducking = try SessionConfiguration(category: .playback, options: .duckOthers)
        _ = try arbiter.handle(.open(prompt, name: "", kind: .announcement, configuration: ducking), at: 0)
        _ = try arbiter.handle(.activate(prompt), at: 0)

        let count = 5_000
        let start = threadSeconds()
        for step in 0..<count {
            let now = Double(step)
            if let deadline = arbiter.nextDeadline, deadline <= now { _ = arbiter.expire(at: now) }
            let id = SessionID(Int.random(in: 1...sessionCount, using: &generator))
            switch step % 3 {
            case 0:
                _ = try arbiter.handle(.activate(id), at: now)
                _ = try arbiter.handle(.playing(id, true), at: now)
            case 1: _ = try arbiter.handle(.playing(id, false), at: now)
            default: _ = try arbiter.handle(.deactivate(id, notifyOthers: true), at: now)
            }
        }
        return (threadSeconds() - start) / Double(count)
    }
}
