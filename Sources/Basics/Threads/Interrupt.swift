internal import AudioTypes
private import CCurl
private import Glibc
private import Synchronization

/// Breaks what blocks on media, FFmpeg's calls and libcurl's, from another thread.
///
/// Whoever wants the blocked thread's attention calls `raise`; who waits watches `descriptor`, or asks `isRaised` now and
/// then, and gives up; the thread calls `lower` with the number of the request it has come to serve. A request made later
/// keeps the flag up.
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

    /// One that those who ask `isRaised` see raised after so many seconds, and while another one is.
    package convenience init(after limit: Double, with parent: Interrupt? = nil) {
        self.init(at: .now + limit, with: parent)
    }

    private init(at deadline: HostTime?, with parent: Interrupt?) {
        descriptor = segue_eventfd()
        (self.deadline, self.parent) = (deadline, parent)
    }

    deinit { close(descriptor) }

    /// Whether a request waits to be served.
    package var isRaised: Bool {
        if requested.load(ordering: .acquiring) != served.load(ordering: .acquiring) { return true }
        if let deadline, HostTime.now >= deadline { return true }
        return parent?.isRaised ?? false
    }

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

    /// Marks all requests there are as served.
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
