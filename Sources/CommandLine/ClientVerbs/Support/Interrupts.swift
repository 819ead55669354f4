import AudioTypes
import Files
import Glibc
import Threads

/// Delivers signals as bytes of a pipe, so that poll(2) can wait for them besides a socket.
enum Interrupts {
    /// Starts to receive `signals`.
    ///
    /// - Returns: The pipe's reading end; −1 on failure.
    static func receive(_ signals: [Int32]) -> Int32 {
        let pipe = ProcessSignals.openPipe(for: signals)
        if pipe >= 0 { _ = fcntl(pipe, F_SETFL, O_NONBLOCK) }
        return pipe
    }

    /// Reads the signals received so far.
    static func take(from pipe: Int32) -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(pipe, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).map(Int32.init)
    }

    /// Waits until one of `descriptors` is readable, or for a limited time.
    ///
    /// - Returns: The readable ones.
    static func wait(for descriptors: [Int32], seconds: Double?) -> Set<Int32> {
        let ready = Readiness.wait(
            for: descriptors.map(Readiness.readable),
            until: seconds.map { HostTime.now + max(0, $0) }
        )
        return Set(zip(descriptors, ready).filter(\.1).map(\.0))
    }
}

/// Seconds of a monotonic clock.
func monotonicSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
