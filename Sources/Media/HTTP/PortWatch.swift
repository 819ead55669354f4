internal import AudioTypes
internal import CCurl
private import Glibc

/// Learns when a near host that refuses connections accepts them again.
///
/// Asking for a resource anew takes a transfer, and is told to the player and its listeners; knocking takes two packets of
/// the network at hand. So the former happens seldom, the latter often, and what was away is noticed at once all the same.
@safe
final class PortWatch {
    /// A host that answers later than that, in seconds, is not near.
    private static let nearby = 0.05
    /// Seconds between two knocks, drawn anew each time: not all listeners knock at once.
    private static let pauses = 0.15...0.25

    /// Where the last request tried to connect to; for `segue_set_sockets`.
    let addresses = UnsafeMutablePointer<segue_addresses>.allocate(capacity: 1)
    private var began = HostTime.now
    /// Whether it is worth knocking.
    private(set) var isRefused = false

    init() { unsafe addresses.initialize(to: segue_addresses()) }

    deinit { unsafe addresses.deallocate() }

    /// A request begins.
    func begin() {
        unsafe addresses.pointee.count = 0
        began = .now
        isRefused = false
    }

    /// Whether the last request tried to connect to a port.
    func hasTried(port: Int) -> Bool {
        (0..<(unsafe addresses.pointee.count)).contains { unsafe Int(segue_port(addresses, $0)) == port }
    }

    /// The request has failed: from now on, it is worth knocking where that tells whether the next one would fail as well.
    func note(_ error: inout HTTPError) {
        guard error.kind == .connecting(code: ECONNREFUSED), unsafe addresses.pointee.count > 0 else { return }
        isRefused = HostTime.now - began < Self.nearby
        error.isWatched = isRefused
    }

    /// When to knock next; `nil` when that tells nothing.
    var nextKnock: HostTime? { isRefused ? .now + .random(in: Self.pauses) : nil }

    /// Says whether a connection was accepted; takes as long as near hosts take.
    func knock(_ interrupt: Interrupt) -> Bool {
        for index in 0..<(unsafe addresses.pointee.count) where isAccepted(index, interrupt) { return true }
        return false
    }

    private func isAccepted(_ index: Int32, _ interrupt: Interrupt) -> Bool {
        let socket = unsafe segue_begin_connecting(addresses, index)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        var events = [
            pollfd(fd: socket, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: interrupt.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard unsafe poll(&events, nfds_t(events.count), Int32(Self.nearby * 1000)) > 0, !interrupt.isRaised else {
            return false
        }
        return segue_is_connected(socket) != 0
    }
}
