internal import LineProtocol
internal import MediaLibrary

/// From identifiers of songs, which stay when these are moved, renamed or retagged, to where they are.
let identityCommands: [Command] = [
    Command("identify", .read, .rest("ID|URI...", fewest: 1)) { client, identifiers in
        try client.ask(nil) {
            try $0.identify(identifiers)
        } then: { [unowned client] results in
            for (identifier, result) in zip(identifiers, results) {
                client.reply.line("identifier", identifier)
                client.reply.append(result)
            }
            return .done
        }
    }
]

extension Reply {
    /// Each identifier has a result of its own: that one is unknown is no failure of the others.
    fileprivate mutating func append(_ result: Identification) {
        switch result {
        case .one(let uri, let portableID):
            line("file", uri)
            if let portableID { line("id", portableID) }
        case .several(let portableID, let uris):
            line("error", "multipleIdentifiersFound")
            line("id", portableID)
            for uri in uris { line("candidate", uri) }
        case .none(let portableID, let was):
            line("error", "identifierNotFound")
            if let portableID { line("id", portableID) }
            for uri in was { line("was", uri) }
        }
    }
}
