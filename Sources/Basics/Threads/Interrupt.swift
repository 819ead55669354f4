internal import AudioTypes
private import CLinux
private import Glibc
private import Synchronization

/// Interrupts calls that block on media, FFmpeg's and libcurl's, from another thread.
///
/// A thread that wants the blocked thread's attention calls `raise`; the blocking call watches `descriptor`, or polls
/// `isRaised`, and returns; the blocked thread then calls `lower` with the number of the request it serves. A later
/// request keeps the flag up.
///
/// All methods may be called from any thread and never block.
package final class Interrupt: Sendable {
    private let requested = Atomic<Int>(0)
    private let served = Atomic<Int>(0)
    /// Readable while the flag is up, for calls that wait in `poll`.
    package let descriptor: Int32

    private let deadline: HostTime?
    private let parent: Interrupt?

    package convenience init() { self.init(at: nil, with: nil) }

    /// An interrupt whose `isRaised` also becomes true after so many seconds, and while its parent is raised.
    package convenience init(after limit: Double, with parent: Interrupt? = nil) {
        self.init(at: .now + limit, with: parent)
    }

    private init(at deadline: HostTime?, with parent: Interrupt?) {
        descriptor = segue_eventfd()
        (self.deadline, self.parent) = (deadline, parent)
    }

    deinit { close(descriptor) }

    /// Whether a request is waiting to be served.
    package var isRaised: Bool {
        if requested.load(ordering: .acquiring) != served.load(ordering: .acquiring) { return true }
        if let deadline, HostTime.now >= deadline { return true }
        return parent?.isRaised ?? false
    }

    /// Interrupts blocking calls, now and until the request is served.
    ///
    /// - Returns: The request's number, for `lower(to:)`.
    @discardableResult
    package func raise() -> Int {
        let number = requested.add(1, ordering: .acquiringAndReleasing).newValue
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, 8)
        return number
    }

    /// Marks all current requests as served.
    package func lowerAll() { lower(to: requested.load(ordering: .acquiring)) }

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
