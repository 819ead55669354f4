internal import AudioTypes
internal import Configuration
internal import LineProtocol
internal import NIOCore
internal import NIOPosix
internal import Zones

/// Clients come and go.
extension ServerState {
    func makeClient(_ id: Int, _ channel: any Channel, _ listener: Listener) -> Client {
        let origin = ClientOrigin(channel)
        let client = Client(
            id: id,
            server: self,
            channel: channel,
            origin: origin,
            zone: listener.zone.flatMap(zone(named:)) ?? defaultZone,
            permissions: configuration.access.permissions(of: origin, at: listener)
        )
        client.greet()
        return client
    }

    func forget(_ id: Int) {
        guard let client = clients.removeValue(forKey: id) else { return }
        client.disconnected()
        desk.clientIsGone(client)
        if !client.channels.isEmpty { note(.subscription, in: client.zone) }
    }
}

extension ClientOrigin {
    init(_ channel: any Channel) {
        guard let remote = channel.remoteAddress.flatMap(IPAddress.init) else {
            self = .unix
            return
        }
        self = .network(remote, server: channel.localAddress.flatMap(IPAddress.init))
    }
}

extension IPAddress {
    fileprivate init?(_ address: SocketAddress) {
        guard let text = address.ipAddress else { return nil }
        self.init(text)
    }
}

extension Peer {
    init(_ channel: any Channel) {
        let address = channel.remoteAddress?.ipAddress
        isUnix = address == nil
        description = address ?? "a local client"
        uid = isUnix ? peerUser(of: channel) : nil
    }

    /// Whether the client is the very user who runs the server, on this machine.
    var isSameUser: Bool { isUnix && uid == currentUser() }
}
