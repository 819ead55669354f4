internal import AudioTypes
internal import CCurl
internal import Files
private import Glibc
internal import Threads

/// Detects when a local host that refuses connections accepts them again.
///
/// A full request costs a transfer, and is reported to the player and its listeners; a probe costs two packets on the
/// local network. So requests are rare and probes frequent, and a host that returns is still noticed at once.
@safe
final class PortWatch {
    /// A host that answers later than this, in seconds, is not local.
    private static let nearby = 0.05
    /// Seconds between two probes, random each time: not all listeners probe at once.
    private static let pauses = 0.15...0.25

    /// The addresses of the last request; for `segue_set_sockets`.
    let addresses = UnsafeMutablePointer<segue_addresses>.allocate(capacity: 1)
    private var began = HostTime.now
    /// Whether probing makes sense.
    private(set) var isRefused = false

    init() { unsafe addresses.initialize(to: segue_addresses()) }

    deinit { unsafe addresses.deallocate() }

    /// Resets the state for a new request.
    func begin() {
        unsafe addresses.pointee.count = 0
        began = .now
        isRefused = false
    }

    /// Whether the last request tried to connect at all.
    var hasTried: Bool { unsafe addresses.pointee.count > 0 }

    /// Whether the last request tried to connect to a port.
    func hasTried(port: Int) -> Bool {
        (0..<(unsafe addresses.pointee.count)).contains { unsafe Int(segue_port(addresses, $0)) == port }
    }

    /// Handles a failed request: from now on, probes are sent if they can tell whether the next one would fail as well.
    func annotate(_ error: inout HTTPError) {
        guard error.kind == .connecting(code: ECONNREFUSED), unsafe addresses.pointee.count > 0 else { return }
        isRefused = HostTime.now - began < Self.nearby
        error.isWatched = isRefused
    }

    /// The time of the next probe; `nil` when probing makes no sense.
    var nextKnock: HostTime? { isRefused ? .now + .random(in: Self.pauses) : nil }

    /// Returns whether a connection was accepted; takes as long as local hosts take.
    func knock(_ interrupt: Interrupt) -> Bool {
        for index in 0..<(unsafe addresses.pointee.count) where isAccepted(index, interrupt) { return true }
        return false
    }

    private func isAccepted(_ index: Int32, _ interrupt: Interrupt) -> Bool {
        let socket = unsafe segue_begin_connecting(addresses, index)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        let ready = Readiness.wait(
            for: [.writable(socket), .readable(interrupt.descriptor)],
            until: .now + Self.nearby
        )
        return ready[0] && !interrupt.isRaised && segue_is_connected(socket) != 0
    }
}
