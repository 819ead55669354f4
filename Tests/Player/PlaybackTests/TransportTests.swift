import Playback
import TestSupport
import Testing

/// Whether time passes, decided from events alone.
struct TransportTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var events: [Transport.Event]
        /// What the last event leads to.
        var effects: [Transport.Effect]
        var status: TimeControlStatus
        var rate: Double
        var testDescription: String { name }

        init(
            _ name: String,
            _ events: [Transport.Event],
            _ effects: [Transport.Effect],
            _ status: TimeControlStatus,
            _ rate: Double
        ) {
            (self.name, self.events, self.effects, self.status, self.rate) = (name, events, effects, status, rate)
        }
    }

    private static let waiting = TimeControlStatus.waitingToPlayAtSpecifiedRate
    static let rows = [
        Row("at first", [], [], .paused, 0),
        Row("nothing to play", [.play()], [], waiting(.noItemToPlay), 1),
        Row("opening, paused", [.loaded(.preparing)], [], .paused, 0),
        Row("opening", [.play(), .loaded(.preparing)], [], waiting(.evaluatingBufferingRate), 1),
        Row("playing", [.play(), .loaded(.preparing), .loaded(.ready)], [.startOutput()], .playing, 1),
        Row("jumping", [.loaded(.ready), .play(), .loaded(.preparing)], [], waiting(.evaluatingBufferingRate), 1),
        Row("from ready", [.loaded(.ready), .play()], [.startOutput()], .playing, 1),
        Row("twice", [.loaded(.ready), .play(), .play()], [], .playing, 1),
        Row("pause", [.loaded(.ready), .play(), .pause()], [.pauseOutput()], .paused, 0),
        Row("fading out", [.loaded(.ready), .play(), .pause(fade: 0.3)], [.pauseOutput(fade: 0.3)], .paused, 0),
        Row("fading in", [.loaded(.ready), .play(fade: 0.3)], [.startOutput(fade: 0.3)], .playing, 1),
        Row("late for a fade", [.play(fade: 0.3), .loaded(.ready)], [.startOutput()], .playing, 1),
        Row("finished", [.loaded(.ready), .play(), .loaded(.finished)], [.pauseOutput()], waiting(.noItemToPlay), 1),
        Row("emptied", [.loaded(.ready), .play(), .loaded(.empty)], [.pauseOutput()], waiting(.noItemToPlay), 1),
        Row("speed while paused", [.loaded(.ready), .speed(1.5)], [.render], .paused, 0),
        Row("then play", [.loaded(.ready), .speed(1.5), .play()], [.startOutput()], .playing, 1.5),
        Row("speed while playing", [.loaded(.ready), .play(), .speed(2)], [.render], .playing, 2),
        Row("the same speed", [.loaded(.ready), .play(), .speed(1)], [], .playing, 1),
        Row("rate while paused", [.loaded(.ready), .rate(1.5)], [.render, .startOutput()], .playing, 1.5),
        Row("rate while playing", [.loaded(.ready), .play(), .rate(2)], [.render], .playing, 2),
        Row("play at a rate", [.loaded(.ready), .rate(2), .play()], [.render], .playing, 1),
        Row("the same rate again", [.loaded(.ready), .rate(2), .pause(), .rate(2)], [.startOutput()], .playing, 2),
        Row("speed at that rate", [.loaded(.ready), .rate(2), .pause(), .speed(2)], [], .paused, 0),
        Row(
            "opening a slow stream",
            [.play(), .loaded(.preparing), .loaded(.buffering)],
            [],
            waiting(.toMinimizeStalls),
            1
        ),
        Row("there is enough", [.play(), .loaded(.buffering), .loaded(.ready)], [.startOutput()], .playing, 1),
        Row("stalled", [.loaded(.ready), .play(), .ranDry], [.tellStall], waiting(.toMinimizeStalls), 1),
        Row(
            "stalled at another rate",
            [.speed(2), .loaded(.ready), .play(), .ranDry],
            [.tellStall],
            waiting(.toMinimizeStalls),
            2
        ),
        Row("goes on", [.loaded(.ready), .play(), .ranDry, .loaded(.ready)], [], .playing, 1),
        Row("stalled twice", [.loaded(.ready), .play(), .ranDry, .ranDry], [], waiting(.toMinimizeStalls), 1),
        Row("dry while paused", [.loaded(.ready), .ranDry], [], .paused, 0),
        Row("paused in a stall", [.loaded(.ready), .play(), .ranDry, .pause()], [.pauseOutput()], .paused, 0),
        Row(
            "played in a stall",
            [.loaded(.ready), .play(), .ranDry, .pause(), .play()],
            [],
            waiting(.toMinimizeStalls),
            1
        ),
        Row(
            "does not wait",
            [.waitingSet(false), .loaded(.ready), .play(), .ranDry],
            [.tellStall, .pauseOutput()],
            .paused,
            0
        ),
        Row(
            "does not wait and has nothing",
            [.waitingSet(false), .play(), .loaded(.buffering)],
            [],
            waiting(.evaluatingBufferingRate),
            1
        ),
        Row(
            "waits no more",
            [.play(), .loaded(.buffering), .waitingSet(false)],
            [],
            waiting(.evaluatingBufferingRate),
            1
        ),
        Row("server gone", [.loaded(.ready), .play(), .outputLost], [], waiting(.outputUnavailable), 1),
        Row("server gone, paused", [.loaded(.ready), .outputLost], [], .paused, 0),
        Row("server back", [.loaded(.ready), .play(), .outputLost, .outputRestored], [], .playing, 1),
        Row("paused meanwhile", [.loaded(.ready), .play(), .outputLost, .pause()], [.pauseOutput()], .paused, 0),
        Row(
            "wanted meanwhile",
            [.outputLost, .loaded(.ready), .play()],
            [.startOutput()],
            waiting(.outputUnavailable),
            1
        ),
    ]

    @Test(arguments: rows)
    func leadsTo(_ row: Row) {
        var transport = Transport()
        var effects: [Transport.Effect] = []
        for event in row.events { effects = transport.handle(event) }
        #expect(effects == row.effects)
        #expect(transport.status == row.status)
        #expect(transport.rate == row.rate)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func keepsItsPromisesWhateverHappens(_ seed: UInt64) {
        var generator = SplitMix(state: seed)
        var transport = Transport()
        var isRunning = false
        for _ in 0..<500 {
            let event: Transport.Event =
                switch Int.random(in: 0..<9, using: &generator) {
                case 0: .play()
                case 1: .pause()
                case 2: .rate([0.25, 1, 1.5, 4].randomElement(using: &generator) ?? 1)
                case 3:
                    .loaded(
                        [.empty, .preparing, .buffering, .ready, .finished].randomElement(using: &generator) ?? .empty
                    )
                case 4: .outputLost
                case 5: .ranDry
                case 6: .waitingSet(.random(using: &generator))
                case 7: .speed([0.25, 1, 1.5, 4].randomElement(using: &generator) ?? 1)
                default: .outputRestored
                }
            let effects = transport.handle(event)
            // The output is started and paused in turns, and never runs without anything to come.
            if effects.contains(.tellStall) { #expect(event == .ranDry) }
            for effect in effects where effect != .render && effect != .tellStall {
                #expect(isRunning == (effect == .pauseOutput()))
                isRunning = effect == .startOutput()
            }
            if isRunning { #expect(transport.rate != 0 && [.preparing, .buffering, .ready].contains(transport.load)) }
            if !isRunning { #expect(transport.rate == 0 || transport.load != .ready) }
            #expect((transport.status == .paused) == (transport.rate == 0))
            #expect(transport.rate == 0 || transport.rate == transport.renderedRate)
            #expect(PlaybackRate.range.contains(transport.defaultRate))
            if transport.status == .playing { #expect(transport.load == .ready && !transport.isOutputLost) }
        }
    }
}

extension Transport.Event {
    fileprivate static func rate(_ value: Double) -> Self { set(value, Self.rateSet) }
    fileprivate static func speed(_ value: Double) -> Self { set(value, Self.speedSet) }

    private static func set(_ value: Double, _ event: (PlaybackRate) -> Self) -> Self {
        guard let rate = try? PlaybackRate(value) else { preconditionFailure("\(value) is no rate") }
        return event(rate)
    }
}
