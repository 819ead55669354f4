internal import AudioTypes
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import ServerRequests
internal import Settings
private import Synchronization

extension Principal {
    /// The other end of a connection; asked on the channel's own loop.
    ///
    /// The listener says whether that is a process of this machine. A peer that reset its connection before it was accepted
    /// has no address any more.
    ///
    /// - Returns: `nil` for such a peer.
    init?(_ channel: any Channel, at listener: Listener) {
        switch listener.address {
        case .unix, .abstract: self.init(unixPeer(of: channel), at: listener)
        case .tcp, .tls:
            guard let address = channel.remoteAddress.flatMap(IPAddress.init) else { return nil }
            self.init(address, server: channel.localAddress.flatMap(IPAddress.init), at: listener)
        }
    }
}

extension IPAddress {
    fileprivate init?(_ address: SocketAddress) {
        guard let text = address.ipAddress else { return nil }
        self.init(text)
    }
}

/// - Returns: `nil` when the system does not say.
private func unixPeer(of channel: any Channel) -> UnixPeer? {
    guard let provider = channel as? any SocketOptionProvider else { return nil }
    let peer = PeerBox()
    let answer: EventLoopFuture<PeerCredentials> = provider.unsafeGetSocketOption(
        level: .socket,
        name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
    )
    // On the loop itself the answer is there already.
    answer.whenSuccess { credentials in
        peer.value.withLock { $0 = UnixPeer(uid: credentials.uid, process: credentials.process) }
    }
    return peer.value.withLock { $0 }
}

/// Linux's `struct ucred` (unix(7)), which Glibc's module does not show.
private struct PeerCredentials {
    var process: Int32
    var uid: UInt32
    var group: UInt32
}

private final class PeerBox: Sendable {
    let value = Mutex<UnixPeer?>(nil)
}
