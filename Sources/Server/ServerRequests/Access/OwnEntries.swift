internal import Authorization
package import LineProtocol
internal import Playlists
internal import ServerRights
internal import Zones

/// The entries of the queue that a client has added: what a client that may only add sees and removes.
extension Client {
    /// Whether it is recorded who added the client's songs: that is so for clients with grants.
    package var isOwnerKept: Bool {
        if !permissions.contains(.add) { return true }
        return identity.id.map { grants.store[$0] != nil } ?? false
    }

    /// Throws unless all entries are the client's own, or it may remove others' too.
    package func requireOwnership(of positions: Range<Int>, for command: String) throws(AckError) {
        guard !permissions.contains(.player) else { return }
        guard positions.allSatisfy(isOwn) else {
            throw AckError(
                .permission,
                "you don't have permission for \"\(command)\" of entries that others have added"
            )
        }
    }

    private func isOwn(_ position: Int) -> Bool { zone.queue.owner(at: position) == identity.name }

    /// Whether the client may see an entry.
    package func sees(_ position: Int) -> Bool { permissions.contains(.read) || isOwn(position) }

    /// Those entries that the client may see.
    package func shown(_ range: Range<Int>) -> ShownEntries {
        permissions.contains(.read) ? .range(range) : .positions(range.filter(isOwn))
    }
}
