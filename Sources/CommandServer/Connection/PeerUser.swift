internal import Glibc
internal import NIOCore
internal import NIOPosix
private import Synchronization

/// Who is at the other end of a Unix socket (`SO_PEERCRED`), asked on the channel's own loop.
///
/// - Returns: The user; `nil` when the system does not say.
func peerUser(of channel: any Channel) -> UInt32? {
    guard let provider = channel as? any SocketOptionProvider else { return nil }
    let user = UserBox()
    let answer: EventLoopFuture<PeerCredentials> = provider.unsafeGetSocketOption(
        level: .socket,
        name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
    )
    // On the loop itself the answer is there already.
    answer.whenSuccess { credentials in user.uid.withLock { $0 = credentials.uid } }
    return user.uid.withLock { $0 }
}

/// Linux's `struct ucred` (unix(7)), which Glibc's module does not show.
private struct PeerCredentials {
    var process: Int32
    var uid: UInt32
    var group: UInt32
}

private final class UserBox: Sendable {
    let uid = Mutex<UInt32?>(nil)
}

/// The user who runs this process.
func currentUser() -> UInt32 { geteuid() }
