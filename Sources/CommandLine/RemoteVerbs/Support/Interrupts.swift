import Glibc
import Scheduling

/// Signals as bytes of a pipe, so that poll(2) can wait for them beside a socket.
enum Interrupts {
    /// Begins to receive `signals`.
    ///
    /// - Returns: The pipe's end to be read; −1 if there can be none.
    static func receive(_ signals: [Int32]) -> Int32 {
        let pipe = ProcessSignals.openPipe(for: signals)
        if pipe >= 0 { _ = fcntl(pipe, F_SETFL, O_NONBLOCK) }
        return pipe
    }

    /// The signals that have come.
    static func take(from pipe: Int32) -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(pipe, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).map(Int32.init)
    }

    /// Waits until one of `descriptors` can be read, or for so long.
    ///
    /// - Returns: Those that can.
    static func wait(for descriptors: [Int32], seconds: Double?) -> Set<Int32> {
        var entries = descriptors.filter { $0 >= 0 }.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let limit = seconds.map { Int32(max(0, min($0 * 1000, 1e9)).rounded(.up)) } ?? -1
        guard unsafe poll(&entries, nfds_t(entries.count), limit) > 0 else { return [] }
        return Set(entries.filter { $0.revents != 0 }.map(\.fd))
    }
}

/// Seconds of a clock that only runs forward.
func monotonicSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
