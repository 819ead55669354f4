private import CFFmpeg
private import Glibc
private import Synchronization

/// Breaks FFmpeg's blocking calls from another thread.
///
/// Whoever wants the blocked thread's attention calls `raise`; FFmpeg asks `isRaised` while it waits and gives up with
/// `AVERROR_EXIT`; the thread calls `lower` with the number of the request it has come to serve. A request made later
/// keeps the flag up.
///
/// All methods may be called from any thread and never block.
package final class Interrupt: Sendable {
    private let requested = Atomic<Int>(0)
    private let served = Atomic<Int>(0)
    /// Readable while the flag is up, for calls that wait in `poll`.
    let descriptor: Int32

    package init() { descriptor = segue_eventfd() }

    deinit { close(descriptor) }

    /// Whether a request waits to be served.
    package var isRaised: Bool { requested.load(ordering: .acquiring) != served.load(ordering: .acquiring) }

    /// Breaks what blocks now and what comes until the request is served.
    ///
    /// - Returns: The request's number, for `lower(to:)`.
    @discardableResult
    package func raise() -> Int {
        let number = requested.add(1, ordering: .acquiringAndReleasing).newValue
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, 8)
        return number
    }

    /// Marks all requests up to `number` as served.
    package func lower(to number: Int) {
        guard number > served.load(ordering: .acquiring) else { return }
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, 8)
        served.store(number, ordering: .releasing)
        if isRaised {
            var one: UInt64 = 1
            _ = unsafe write(descriptor, &one, 8)
        }
    }
}

/// What libavformat calls while it waits (`AVIOInterruptCB`): non-zero breaks the wait.
func interruptCallback(_ opaque: UnsafeMutableRawPointer?) -> Int32 {
    guard let opaque = unsafe opaque else { return 0 }
    return unsafe Unmanaged<Interrupt>.fromOpaque(opaque).takeUnretainedValue().isRaised ? 1 : 0
}
