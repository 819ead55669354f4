package import AudioTypes
private import Glibc

/// The origin of a client.
package enum ClientOrigin: Sendable, Hashable {
    /// A process on this machine, through a Unix socket.
    case unix
    /// `server` is this machine's address in the connection, if known.
    case network(IPAddress, server: IPAddress? = nil)
}

/// The process that connected to a Unix socket, as reported by the system (`SO_PEERCRED`, unix(7)).
package struct UnixPeer: Sendable, Hashable {
    package let uid: UInt32
    /// The process id at the time of the connection.
    package let process: Int32

    package init(uid: UInt32, process: Int32) {
        self.uid = uid
        self.process = process
    }
}

/// The identity of a client: everything besides the configuration that its permissions depend on.
package struct Principal: Sendable, Hashable {
    /// The listener that accepted the client.
    package let listener: Listener
    package let origin: ClientOrigin
    /// `nil` for clients from a network, and when the system does not report it.
    package let peer: UnixPeer?
    /// The name in messages and in rules on sessions: `uid 1000`, or the address; an IPv4 address always in IPv4 form.
    package let name: String
    /// The last password that the client gave.
    package var password: String?

    /// A process on this machine.
    package init(_ peer: UnixPeer?, at listener: Listener) {
        self.listener = listener
        origin = .unix
        self.peer = peer
        name = peer.map { "uid \($0.uid)" } ?? "a local client"
    }

    /// A client from a network.
    ///
    /// - Parameter server: This machine's address in the connection, if known.
    package init(_ address: IPAddress, server: IPAddress?, at listener: Listener) {
        self.listener = listener
        origin = .network(address, server: server)
        peer = nil
        name = address.description
    }

    /// Someone on a network, for whom a proxy asks that tells no address.
    package init(ofUnknownAddressAt listener: Listener) {
        self.listener = listener
        origin = .network(.unknown, server: nil)
        peer = nil
        name = "an unknown address"
    }

    package var isUnix: Bool { origin == .unix }

    /// Whether it comes from another machine, and others may read along.
    package var isPlainFromNetwork: Bool {
        guard case .network(let address, let server) = origin, !listener.address.isEncrypted else { return false }
        return !address.isLoopback && address != server
    }

    /// Whether the client is a process of the user who runs this program, or of root.
    package var isOwner: Bool { peer.map { $0.uid == geteuid() || $0.uid == 0 } ?? false }
}
