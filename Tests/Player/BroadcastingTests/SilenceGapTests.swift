import AudioTypes
import Testing

@testable import Broadcasting

@Suite struct SilenceGapTests {
    private func moment(_ seconds: Double) -> HostTime { HostTime(nanoseconds: 1_000_000_000) + seconds }

    @Test func framesThatComeInTimeGetNoSilence() {
        var gap = SilenceGap()
        gap.begin(at: moment(0))
        for step in 1...20 { #expect(gap.framesCame(0.25, at: moment(Double(step) * 0.25)) == 0) }
        #expect(gap.due(at: moment(5.5)) == 0)
    }

    /// After a pause of any length the stream is as long as the time that has passed.
    @Test(arguments: [0.7, 1, 3.3, 60])
    func aPauseIsFilled(seconds: Double) throws {
        var gap = SilenceGap()
        _ = gap.framesCame(0.25, at: moment(0))
        var silence = 0.0
        var now = moment(0)
        while let deadline = gap.deadline, deadline < moment(seconds) {
            now = deadline
            silence += gap.due(at: now)
        }
        #expect(silence > 0 && silence <= seconds)
        silence += gap.framesCame(0.25, at: moment(seconds + 0.25))
        #expect(abs(silence - seconds) < 0.001)
    }

    /// A stream begins with silence where nothing plays, so that a listener need not wait for sound to know it.
    @Test func aStreamWithoutFramesBeginsWithSilence() throws {
        var gap = SilenceGap()
        #expect(gap.deadline == nil)
        gap.begin(at: moment(0))
        let deadline = try #require(gap.deadline)
        #expect(deadline <= moment(0.3))
        #expect(gap.due(at: deadline) >= 1)
        #expect(gap.due(at: deadline) == 0)
        gap.stop()
        #expect(gap.deadline == nil)
    }
}
