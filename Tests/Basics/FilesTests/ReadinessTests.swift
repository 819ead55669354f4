import AudioTypes
import Files
import Glibc
import Testing

/// Events at the two ends of a pipe.
struct ReadinessTests {
    private final class Pipe {
        private(set) var ends: [Int32] = [-1, -1]

        init() {
            unsafe pipe(&ends)
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }

        deinit { for end in ends where end >= 0 { close(end) } }

        var reading: Int32 { ends[0] }
        var writing: Int32 { ends[1] }

        func fill() {
            let bytes = [UInt8](repeating: 0, count: 4_096)
            while unsafe write(writing, bytes, bytes.count) > 0 {}
        }

        func closeEnd(_ number: Int) {
            close(ends[number])
            ends[number] = -1
        }
    }

    @Test func aPipeIsReadableOnceItHasBytesAndWritableUntilItIsFull() {
        let pipe = Pipe()
        #expect(!Readiness.readable(pipe.reading).wait(until: .now))
        #expect(Readiness.writable(pipe.writing).wait(until: .now))
        pipe.fill()
        #expect(Readiness.readable(pipe.reading).wait())
        #expect(!Readiness.writable(pipe.writing).wait(until: .now + 0.001))
    }

    @Test func whichOfSeveralIsTold() {
        let (one, other) = (Pipe(), Pipe())
        other.fill()
        #expect(
            Readiness.wait(for: [.readable(one.reading), .readable(-1), .readable(other.reading)])
                == [false, false, true]
        )
        #expect(Readiness.wait(for: [.readable(-1)], until: .now) == [false])
    }

    @Test func theEndOfTheOtherSideCounts() {
        let pipe = Pipe()
        #expect(!Readiness.ended(pipe.reading).wait(until: .now))
        pipe.closeEnd(1)
        #expect(Readiness.ended(pipe.reading).wait())
        #expect(Readiness.readable(pipe.reading).wait())
    }

    /// It is not cut short by poll(2)'s milliseconds.
    @Test func aMomentIsWaitedFor() {
        let pipe = Pipe()
        let end = HostTime.now + 0.0123
        #expect(!Readiness.readable(pipe.reading).wait(until: end))
        #expect(HostTime.now >= end)
    }
}
