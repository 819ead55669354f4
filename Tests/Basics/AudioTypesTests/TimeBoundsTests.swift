import AudioTypes
import Testing

/// Times and positions of any size are limited, and what is counted with them does not overflow.
@Suite struct TimeBoundsTests {
    private static let extremes = [1e300, .infinity, .greatestFiniteMagnitude, 1e11, 9.3e18]

    @Test(arguments: extremes) func timesThatAreComputedAreLimited(_ seconds: Double) {
        for seconds in [seconds, -seconds] {
            let time = MediaTime(seconds: seconds)
            #expect(abs(time.seconds) == MediaTime.limit)
            #expect(abs(time.sample(at: 768_000)) == 7_680_000_000_000_000)
            #expect(abs(time.sample(at: Int(Int32.max))) == 1 << 53)
            #expect(abs((time + time).milliseconds) == 10_000_000_000_000)
        }
        #expect(MediaTime(seconds: .nan) == .zero)
    }

    @Test(arguments: extremes + [.nan, -1e300]) func timesFromOutsideAreRefused(_ seconds: Double) {
        #expect(MediaTime(checking: seconds) == nil)
        #expect(MediaTime(checking: MediaTime.limit)?.seconds == 1e10)
        #expect(MediaTime(checking: -0)?.seconds == 0)
    }

    @Test(arguments: extremes) func framesAndMomentsSaturate(_ seconds: Double) {
        let frames = AudioFormat.cd.frames(in: seconds)
        #expect(frames >= 4_410_000_000_000_000 && AudioFormat.cd.frames(in: -seconds) == -frames)
        #expect(FramePosition(.max) + frames == FramePosition(.max))
        #expect(FramePosition(.min) - frames == FramePosition(.min))
        #expect(FramePosition(.max) - FramePosition(.min) == .max)
        let later = HostTime.now + seconds
        #expect(later > .now + 3e9 && later + seconds >= later && HostTime.now + -seconds < .now)
    }
}
