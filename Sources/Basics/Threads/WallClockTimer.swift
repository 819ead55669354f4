private import CLinux
private import Glibc
private import Synchronization

/// Rings at a moment of the time of day, and whenever the clock is set.
///
/// A thread (*segue-timer*) sleeps in the kernel until then; nothing polls, and a clock that jumps is noticed at once.
/// While the machine sleeps it does not ring; a moment that has passed meanwhile rings when it is awake.
package final class WallClockTimer: Sendable {
    private let descriptor: Int32
    private let isClosed = Atomic(false)

    /// - Parameter ring: Called on the timer's thread.
    /// - Returns: `nil` when the process has no descriptor or thread left.
    package init?(_ ring: @escaping @Sendable () -> Void) {
        descriptor = segue_wall_timer()
        guard descriptor >= 0 else { return nil }
        do {
            // The thread keeps the timer until it is closed.
            try WorkThread.start(named: "segue-timer") { self.wait(ring) }
        } catch {
            Glibc.close(descriptor)
            return nil
        }
    }

    /// Sets when it rings, in seconds since 1970; `nil`: no more.
    ///
    /// A moment that has passed rings at once.
    package func set(_ moment: Int64?) { segue_set_wall_timer(descriptor, moment.map { max(1, $0) } ?? 0) }

    /// Ends the thread.
    package func close() {
        isClosed.store(true, ordering: .releasing)
        segue_set_wall_timer(descriptor, 1)
    }

    private func wait(_ ring: @Sendable () -> Void) {
        var count: UInt64 = 0
        while true {
            let size = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
            if isClosed.load(ordering: .acquiring) { break }
            if size > 0 || errno == ECANCELED { ring() } else if errno != EINTR { break }
        }
        Glibc.close(descriptor)
    }
}
