internal import AudioTypes
internal import HTTP
internal import LineProtocol
internal import NIOCore
internal import NIOPosix
internal import Settings
internal import Zones

/// Creation and departure of clients.
extension ServerState {
    /// - Returns: `nil` for a client that is already gone, and when a connection limit is reached.
    func makeClient(_ id: Int, _ channel: any Channel, _ listener: Listener) -> Client? {
        guard let principal = Principal(channel, at: listener) else { return nil }
        let zone = listener.zone.flatMap(rooms.zone(named:)) ?? rooms.defaultZone
        let client = Client(id: id, server: self, channel: channel, principal: principal, zone: zone)
        client.enterPermittedZone()
        guard clients.admit(client) else { return nil }
        client.greet()
        return client
    }

    func forget(_ id: Int) {
        guard let client = clients.remove(id) else { return }
        let wasSubscribed = !client.subscriptions.channels.isEmpty
        client.disconnected()
        jobs.dropAll(of: client)
        desk.clientIsGone(client.sessionClient)
        if wasSubscribed { note(.subscription, in: client.zone) }
    }
}

extension NetworkReach {
    /// The addresses that a client can reach by itself: for clients on this machine, everything that the machine can
    /// reach; for others, public addresses and the networks of the interface that they came by.
    init(of origin: ClientOrigin) {
        switch origin {
        case .unix: self = .anywhere
        case .network(let address, let server):
            // The kernel drops packets from outside that claim one of its own addresses as their source.
            let isHere = address.isLoopback || address == server
            self = isHere ? .anywhere : NetworkReach(networks: server.map(networks(ofInterfaceWith:)) ?? [])
        }
    }
}

extension Client {
    /// The network access of fetches on this client's behalf.
    var access: NetworkAccess { NetworkAccess(reach, server.configuration.fetching) }
}
