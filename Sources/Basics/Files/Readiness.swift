package import AudioTypes
private import Glibc

/// Something that may happen at a descriptor, and is waited for there by poll(2).
///
/// That the other side has ended, and errors, count in any case.
package struct Readiness: Sendable {
    private let descriptor: Int32
    private let events: Int16

    /// - Parameters:
    ///   - descriptor: A negative one is passed over.
    ///   - events: Bits of `pollfd.events`.
    package init(descriptor: Int32, events: Int16) { (self.descriptor, self.events) = (descriptor, events) }

    package static func readable(_ descriptor: Int32) -> Self { Self(descriptor: descriptor, events: Int16(POLLIN)) }
    package static func writable(_ descriptor: Int32) -> Self { Self(descriptor: descriptor, events: Int16(POLLOUT)) }
    /// As the kernel tells of changes of `/proc/self/mountinfo`.
    package static func urgent(_ descriptor: Int32) -> Self { Self(descriptor: descriptor, events: Int16(POLLPRI)) }
    package static func ended(_ descriptor: Int32) -> Self { Self(descriptor: descriptor, events: 0) }

    /// Waits until at least one of several things has happened.
    ///
    /// Signals that are handled on this thread do not end it.
    ///
    /// - Parameter end: When waiting ends without any; a moment that has passed asks what has happened already.
    /// - Returns: For each of them whether it has happened.
    @discardableResult
    package static func wait(for awaited: [Readiness], until end: HostTime? = nil) -> [Bool] {
        var requests = awaited.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        while true {
            let left = end.map { max(0, $0 - .now) }
            let milliseconds = left.map { Int32(saturating: ($0 * 1_000).rounded(.up)) } ?? -1
            let count = unsafe poll(&requests, nfds_t(requests.count), milliseconds)
            if count > 0 { return requests.map { $0.revents != 0 } }
            // Apart from signals, poll(2) fails only while the kernel is short of memory.
            let hasFailed = count < 0 && errno != EINTR
            if hasFailed { usleep(10_000) }
            // The longest wait of poll(2) may be shorter than what was left.
            if count == 0 || hasFailed, let end, HostTime.now >= end { return requests.map { _ in false } }
        }
    }

    /// Waits until this has happened.
    ///
    /// - Returns: Whether it has.
    @discardableResult
    package func wait(until end: HostTime? = nil) -> Bool { Self.wait(for: [self], until: end)[0] }
}
