internal import AudioTypes
private import HTTP
internal import Settings

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
