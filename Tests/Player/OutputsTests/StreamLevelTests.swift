import Testing

@testable import Outputs

/// The levels of other programs' streams, and how they are changed.
@Suite struct StreamLevelTests {
    private let full = StreamLevel([65_536, 65_536])

    @Test func fourteenDecibelsAreTheirCubeRoot() {
        let level = full.lowered(by: 14)
        let gain = Double(level.volumes[0]) / 65_536
        #expect(abs(gain * gain * gain - 0.19953) < 0.0001)
        #expect(full.lowered(by: 0) == full)
        #expect(full.lowered(by: -3) == full, "nothing gets louder")
        #expect(StreamLevel([10, 65_536]).lowered(by: 60).volumes == [1, 6_554])
    }

    @Test func hostileVolumesAreBounded() {
        #expect(StreamLevel(Array(repeating: .max, count: 99)).volumes == Array(repeating: .max / 2, count: 32))
        #expect(StreamLevel([]).loudness == 0)
        #expect(StreamLevel([5, 9]).fitted(to: 3).volumes == [9, 9, 9])
    }

    @Test func aDuckHasTwelveSteps() {
        let target = full.lowered(by: 14)
        let ramp = LevelRamp(from: full, to: target, steps: 12)
        #expect(ramp.steps.count == 12)
        #expect(ramp.steps.last == [.volume(target.volumes)])
        let values = ramp.steps.flatMap { $0 }.compactMap { change -> UInt32? in
            if case .volume(let volumes) = change { volumes[0] } else { nil }
        }
        #expect(values == values.sorted(by: >) && Set(values).count == 12)
        #expect(LevelRamp(from: full, to: full, steps: 12).isOver)
    }

    /// A muted stream has its volume back, so that a user who unmutes it hears it.
    @Test func aMuteComesInSilence() {
        let steps = LevelRamp(from: full, to: full.muted, steps: 2).steps
        #expect(
            steps == [[.volume([32_768, 32_768])], [.volume([0, 0])], [.mute(true), .volume([65_536, 65_536])]]
        )
        let back = LevelRamp(from: full.muted, to: full, steps: 2).steps
        #expect(
            back == [[.volume([0, 0]), .mute(false)], [.volume([32_768, 32_768])], [.volume([65_536, 65_536])]]
        )
    }

    @Test func missedStepsAreLeftOut() {
        var ramp = LevelRamp(from: full, to: full.muted, steps: 10)
        #expect(ramp.advance(to: 1).count == 1)
        #expect(ramp.advance(to: 1) == [])
        #expect(ramp.advance(to: 8) == [.volume([13_107, 13_107])])
        #expect(ramp.advance(to: 100) == [.volume([0, 0]), .mute(true), .volume([65_536, 65_536])])
        #expect(ramp.isOver && ramp.advance(to: 200) == [])
    }

    /// What is reported while a fade goes on is told from what the user does.
    @Test func theUsersChangeIsKnown() {
        var sent = SentLevels(full)
        for volume in [60_000, 50_000, 40_000] as [UInt32] { sent.send(.volume([volume, volume])) }
        #expect(sent.report(StreamLevel([50_000, 50_000]), asked: 2) == true, "an earlier step, reported late")
        #expect(sent.report(StreamLevel([40_010, 39_990]), asked: 3) == true, "the last one, as PipeWire rounds it")
        #expect(
            sent.report(StreamLevel([50_000, 50_000]), asked: 3) == false,
            "a step before the one that was reported"
        )
        #expect(sent.current == StreamLevel([50_000, 50_000]))
        sent.send(.mute(true))
        #expect(sent.report(StreamLevel([20_000, 20_000], isMuted: true), asked: 1) == false)
        #expect(sent.report(StreamLevel([20_000, 20_000]), asked: 1) == false, "the user has unmuted it")
    }

    /// A fade that is taken back ends where it began, so a report of that may be older than its steps.
    @Test func aReportFromBeforeTheFadeSettlesNothing() {
        var sent = SentLevels(full)
        sent.send(.volume([60_000, 60_000]))
        sent.send(.volume([65_536, 65_536]))
        #expect(sent.report(full, asked: 0) == true)
        #expect(sent.report(StreamLevel([60_000, 60_000]), asked: 1) == true)
        #expect(sent.report(full, asked: 2) == true)
        #expect(sent.report(StreamLevel([60_000, 60_000]), asked: 2) == false)
    }

    @Test func namesAreHarmless() {
        #expect(cleanName("a\u{1b}[31mb\nc\u{202e}d\u{0}") == "a[31mbcd")
        #expect(cleanName("Müsli 🎵") == "Müsli 🎵")
    }
}
