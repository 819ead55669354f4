import Glibc

/// Signals as bytes of a pipe, so that poll(2) can wait for them beside a socket.
enum Interrupts {
    /// Where the handler writes; at a fixed address, with no Swift object in it.
    nonisolated(unsafe) private static let writeEnd: UnsafeMutablePointer<Int32> = {
        let number = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        unsafe number.initialize(to: -1)
        return unsafe number
    }()

    private nonisolated static let onSignal: @convention(c) (Int32) -> Void = { number in
        let code = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = unsafe write(writeEnd.pointee, &byte, 1)
        errno = code
    }

    /// Begins to receive `signals`.
    ///
    /// - Returns: The pipe's end to be read; −1 if there can be none.
    static func receive(_ signals: [Int32]) -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return -1 }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        unsafe writeEnd.pointee = ends[1]
        // What the parent set to be ignored, such as SIGHUP under nohup(1), stays so.
        for number in signals where !isIgnored(number) {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = onSignal
            unsafe sigaction(number, &action, nil)
        }
        return ends[0]
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// The signals that have come.
    static func take(from pipe: Int32) -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(pipe, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).map(Int32.init)
    }

    /// Ends the process by a signal, so that a shell sees what happened.
    static func die(by number: Int32) -> Never {
        _ = signal(number, SIG_DFL)
        raise(number)
        _exit(128 + number)
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
