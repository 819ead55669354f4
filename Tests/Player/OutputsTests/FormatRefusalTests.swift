import AudioTypes
import Testing

@testable import Outputs

/// Formats that a sink has not taken.
struct FormatRefusalTests {
    private let fine = AudioFormat(sampleFormat: .s32, sampleRate: 96_000, channels: .stereo)
    private let start = HostTime(nanoseconds: 1_000_000_000)

    @Test func theyAreRememberedForFiveMinutes() {
        var refusals = FormatRefusals()
        #expect(refusals.answer(to: fine, at: start) == nil)
        refusals.add(fine, .cd, at: start)
        #expect(refusals.answer(to: fine, at: start + 299) == .cd)
        #expect(refusals.answer(to: .cd, at: start) == nil)
        #expect(refusals.answer(to: fine, at: start + 301) == nil)
    }

    /// Each file may have another rate.
    @Test func theyHaveABudget() {
        var refusals = FormatRefusals()
        func format(_ rate: Int) -> AudioFormat {
            AudioFormat(sampleFormat: .s16, sampleRate: 8_000 + rate, channels: .stereo)
        }
        for rate in 0..<1_000 { refusals.add(format(rate), .cd, at: start) }
        #expect((0..<1_000).count { refusals.answer(to: format($0), at: start) != nil } == 64)
        // Refusals that are forgotten make room.
        refusals.add(format(999), .cd, at: start + 301)
        #expect(refusals.answer(to: format(999), at: start + 301) == .cd)
    }
}
