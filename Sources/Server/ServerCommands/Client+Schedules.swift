internal import Alarms
internal import Authorization
internal import LineProtocol
internal import ServerRequests
internal import ServerRights
internal import Settings

extension Client {
    /// The client as the maker of a schedule.
    ///
    /// - Throws: For clients whose rights come from a configured password, or that the system does not identify.
    var scheduleMaker: Schedule.Maker {
        get throws(AckError) {
            guard let id = identity.id else {
                throw AckError(
                    .permission,
                    "a schedule needs a maker that is known again: connect by the Unix socket, or with the password of "
                        + "a named client"
                )
            }
            var maker = Schedule.Maker()
            maker.principal = "\(id)"
            switch principal.origin {
            case .unix: maker.origin = principal.peer.map { "uid \($0.uid)" } ?? ""
            case .network(let address, let server):
                maker.origin = "\(address)"
                maker.server = server.map { "\($0)" }
            }
            if principal.listener.permissions != nil { maker.listener = principal.listener.address.description }
            return maker
        }
    }
}
