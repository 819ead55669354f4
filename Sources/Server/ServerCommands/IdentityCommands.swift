internal import LibraryIndex
internal import LineProtocol
internal import Records
internal import ServerBasics
internal import ServerRequests

/// Lookup of songs by identifiers that survive moving, renaming and retagging.
let identityCommands: [Row<MusicServices>] = [
    Row(
        "identify",
        .read,
        library: .limited,
        reply: .records(.identifications),
        .rest("ID|URI...", fewest: 1).named(Parameter("uris", .words))
    ) {
        request,
        identifiers in
        try request.ask {
            try $0.identify(identifiers)
        } then: { results in
            for (identifier, result) in zip(identifiers, results) {
                request.reply.line("identifier", identifier)
                request.reply.append(result)
            }
            return .done
        }
    }
]

extension Reply {
    /// Each identifier has its own result: an unknown one does not fail the others.
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
